// Kills a program that writes the memory at 100 random moments (or as many as the argument says) and counts what was
// lost. `.node/bin/node test/faults/memory-kill.mjs [rounds]`
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { killRounds } from "./memory-kill-rounds.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "memory-kill-"));
try {
  const tally = await killRounds(folder, Number(process.argv[2] ?? 100));
  console.log(tally);
  process.exitCode = tally.lost + tally.unreadable > 0 ? 1 : 0;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
