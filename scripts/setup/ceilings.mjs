import fs from "node:fs";
import { inRoot } from "./root.mjs";

const FILE = inRoot("scripts", "ceilings.json");

/**
 * Prints how many cases of each rule were found, and lists them when there are more than the rule's ceiling allows
 * (`list`: always). Ceilings may only fall: `lower` writes today's numbers where they are smaller. True if none is
 * exceeded.
 */
export function checkCeilings(subject, found, { lower = false, list = false } = {}) {
  const ceilings = JSON.parse(fs.readFileSync(FILE, "utf8"));
  const allowed = ceilings[subject];
  let passed = true;
  for (const [rule, cases] of Object.entries(found)) {
    const ceiling = allowed[rule] ?? 0;
    const over = cases.length > ceiling;
    console.log(`${over ? "✘" : "✔"} ${rule}: ${cases.length} (at most ${ceiling})`);
    if (over || list) console.log(cases.map((line) => `    ${line}`).join("\n"));
    passed &&= !over;
    if (lower) allowed[rule] = Math.min(ceiling, cases.length);
  }
  if (lower) fs.writeFileSync(FILE, `${JSON.stringify(ceilings, null, 2)}\n`);
  return passed;
}
