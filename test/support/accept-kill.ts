import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { ReviewBench } from "./review-bench.ts";

/** Functions that change the disk. */
const CHANGING = {
  promises: [
    ...["open", "writeFile", "copyFile", "rename", "link", "unlink", "rm", "rmdir", "mkdir", "symlink", "chmod"],
  ],
  sync: ["renameSync", "unlinkSync"],
} as const;

/**
 * Accepts everything in a bench's folder, in a process that kills itself right before the given change of the disk. Prints how many
 * changes of the disk there were if it survives.
 */
const [folder = "", killAt = "0"] = process.argv.slice(2);
let count = 0;

function isWriting(flags: unknown): boolean {
  const writing = fs.constants.O_WRONLY | fs.constants.O_RDWR;
  return typeof flags === "number" ? (flags & writing) !== 0 : typeof flags === "string" && flags !== "r";
}

function counted(holder: Record<string, unknown>, name: string): void {
  const original = holder[name];
  if (typeof original !== "function") throw new Error(`There is no ${name}.`);
  holder[name] = (...args: unknown[]) => {
    if (name !== "open" || isWriting(args[1])) count += 1;
    if (count === Number(killAt)) process.kill(process.pid, "SIGKILL");
    return original(...args);
  };
}

const bench = await ReviewBench.open(folder);
const review = await bench.review();
for (const name of CHANGING.promises) counted(promises as unknown as Record<string, unknown>, name);
for (const name of CHANGING.sync) counted(fs as unknown as Record<string, unknown>, name);
syncBuiltinESMExports();
await bench.accept(review, Object.fromEntries(review.changes.map(({ label }) => [label, "result" as const])));
console.log(count);
