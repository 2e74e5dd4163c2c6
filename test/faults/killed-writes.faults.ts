import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { replaceFile } from "../../src/disk/replace-file.ts";
import { tempFolders } from "../support/temp-folders.ts";

const ROUNDS = Number(process.env.FAULTS_ROUNDS ?? 60);
const CHARS = 3_000_000;
const AT_ONCE = 3;
const PROGRAM = join(import.meta.dirname, "../support/replace-kill.ts");

describe("programs that replace the same file again and again", function () {
  this.timeout(0);
  const temp = tempFolders();

  it(`leave it whole however often they are killed, and nothing else after the next write (${ROUNDS} rounds)`, async () => {
    const folder = await temp();
    const path = join(folder, "state.json");
    await writeFile(path, "0".repeat(CHARS));
    let leftovers = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const programs = Array.from({ length: AT_ONCE }, () =>
        spawn(process.execPath, [PROGRAM, path, String(CHARS)], { stdio: "ignore" }),
      );
      await wait(300 + Math.random() * 300);
      for (const program of programs) program.kill("SIGKILL");
      await Promise.all(programs.map((program) => program.exitCode ?? program.signalCode ?? once(program, "exit")));
      const content = await readFile(path, "utf8");
      assert.deepEqual([content.length, new Set(content).size], [CHARS, 1], `round ${round}`);
    }
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    for (const name of await readdir(folder)) {
      if (name !== "state.json") leftovers += 1;
      await utimes(join(folder, name), longAgo, longAgo);
    }
    await replaceFile(path, "the end");
    console.log(`      ${leftovers} leftovers of ${ROUNDS * AT_ONCE} kills`);
    assert.deepEqual([await readFile(path, "utf8"), await readdir(folder)], ["the end", ["state.json"]]);
  });
});
