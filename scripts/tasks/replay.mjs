// Replays an exported run or a problem report (its file is the argument) and says whether the program still does what it did.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { readExported } from "../../src/runs/export/import-run.ts";
import { replay } from "../../src/runs/replay/replay.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Name the file of a run that was exported as JSON.");
const recorded = readExported(await readFile(resolve(process.env.INIT_CWD ?? ".", file), "utf8"));
const { events, differs } = await replay(recorded);
if (differs === undefined) process.stdout.write(`All ${events.length} events are as they were recorded.\n`);
else {
  const [was, is] = [recorded[differs], events[differs]].map((event) => JSON.stringify(event ?? null, null, 2));
  process.stdout.write(`Event ${differs} differs. It was recorded as\n${was}\nand is now\n${is}\n`);
  process.exitCode = 1;
}
