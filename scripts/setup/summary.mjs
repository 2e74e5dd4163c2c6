/**
 * Prints a line for each stage, each failed test once more, what wasn't tested, and, as the last line, the sums of tests and stages. A failed
 * stage counts as one failure unless its failed tests tell already. Returns whether nothing failed.
 */
export function summarise(results, untested) {
  console.log("\n━━━ Summary");
  for (const result of results) console.log(describe(result));
  for (const failed of results.flatMap(({ counts }) => counts?.failed ?? [])) console.log(`✘  ${failed}`);
  for (const what of untested) console.log(`!  ${what}`);
  const sum = (key) => results.reduce((total, { counts }) => total + (counts?.[key] ?? 0), 0);
  const passed = sum("passes") + results.filter((result) => result.passed).length;
  const failed = sum("failures") + results.filter((result) => !result.passed && !result.counts?.failures).length;
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0;
}

function describe({ name, passed, seconds, counts, why }) {
  const tests = counts ? `${counts.passes} passed, ${counts.failures} failed, ${counts.pending} skipped` : "";
  const columns = [passed ? "✔" : "✘", name.padEnd(20), `${seconds.toFixed(1)} s`.padStart(8), tests, why ?? ""];
  return columns.filter(Boolean).join("  ");
}
