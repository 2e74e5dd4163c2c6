// Tries real attacks in throwaway places against each mode, and reports the harm by family. Needs Linux with bubblewrap and user
// namespaces. --mode and --family (several times), --name TEXT: only those; --json: print every result; --docs: write the table into
// docs/safety.md; --sample N: only every Nth attack; --fuzz N: so many random command lines (2000; 0: none). Exits with 1 if harm was done where none may be done.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MODES } from "./agents/modes.ts";
import { ATTACKS } from "./attacks.ts";
import { fuzzed, resultsOf } from "./jails.ts";
import type { Job } from "./job.ts";
import { reportOf, tableOf } from "./report.ts";

const SAFETY_PAGE = fileURLToPath(new URL("../../docs/safety.md", import.meta.url));
const TABLE = /(?<=<!-- attacks: written by npm run test:attacks -- --docs -->\n)[\s\S]*?(?=<!-- \/attacks -->)/;

const { values } = parseArgs({
  options: {
    family: { type: "string", multiple: true },
    mode: { type: "string", multiple: true },
    name: { type: "string" },
    json: { type: "boolean" },
    docs: { type: "boolean" },
    sample: { type: "string", default: "1" },
    fuzz: { type: "string", default: "2000" },
  },
});

const jobs: readonly Job[] = ATTACKS.filter((_attack, index) => index % Number(values.sample) === 0).flatMap((attack) =>
  (attack.modes ?? MODES)
    .filter((mode) => !values.mode || values.mode.includes(mode))
    .filter(() => !values.family || values.family.includes(attack.family))
    .filter(() => !values.name || attack.name.includes(values.name))
    .map((mode) => ({ attack, mode })),
);
const results = await resultsOf(jobs, ({ attack, ...rest }) => {
  if (values.json) console.log(JSON.stringify({ family: attack.family, name: attack.name, ...rest }));
});
const report = reportOf(results);
const table = tableOf(report);
const lines = Number(values.fuzz) > 0 ? await fuzzed(Number(values.fuzz)) : undefined;
if (values.json) console.log(JSON.stringify({ report, lines }));
else {
  console.log(table);
  if (lines)
    console.log(
      `Of ${lines.tried} random command lines ${lines.ran} ran as lines that only read; of these ${lines.problem ? "one did more" : "none changed a file"}.`,
    );
}
const problems = [...report.problems, ...(lines?.problem ? [lines.problem] : [])];
for (const problem of problems) console.error(problem);
if (values.docs) writeFileSync(SAFETY_PAGE, readFileSync(SAFETY_PAGE, "utf8").replace(TABLE, `\n${table}\n\n`));
process.exitCode = problems.length === 0 ? 0 : 1;
