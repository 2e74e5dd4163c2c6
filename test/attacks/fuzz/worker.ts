// Proposes random command lines in the jail that it was started in: argv has their number. Prints what came of it.
import { mkdirSync } from "node:fs";
import fc from "fast-check";
import { fuzzedLines } from "./lines.ts";
import { checkLine, fuzzFolder } from "./run-line.ts";

const parent = "/home/ann";
mkdirSync(parent, { recursive: true });
const folder = fuzzFolder(parent);
const numRuns = Number(process.argv[2]);
const details = await fc.check(
  fc.asyncProperty(fuzzedLines, (line) => checkLine(line, folder, process.env)),
  { numRuns, seed: Number(process.argv[3]) },
);
const problem = details.failed ? fc.defaultReportMessage(details) : undefined;
process.stdout.write(
  `${JSON.stringify({ tried: details.numRuns, ran: folder.ran, ...(problem === undefined ? {} : { problem }) })}\n`,
);
process.exit(0);
