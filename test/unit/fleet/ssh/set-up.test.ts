import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createFleetKey, type FleetKey } from "../../../../src/fleet/key.ts";
import { createRemoteProgram, type RemoteShell } from "../../../../src/fleet/ssh/remote-shell.ts";
import { findMissingPart, sendProgram } from "../../../../src/fleet/ssh/set-up.ts";
import { write } from "../../../../src/texts/language.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const { signal } = new AbortController();

/** A machine whose program or launcher prints this, and may end with a code and a message of ssh. */
function shellOf(answer: object): RemoteShell {
  const script = `console.log(${JSON.stringify(JSON.stringify(answer))})`;
  const start: RemoteShell["start"] = () => createRemoteProgram("box", spawn(process.execPath, ["-e", script]));
  return { host: "box", start, startScript: start, formatAddress: (path) => path, gitCommand: "false" };
}

describe("a machine before its first run", () => {
  const tempFolder = tempFolders();

  it("is ready, or lacks one thing, which is said with the way to get it", async () => {
    const key: FleetKey = await createFleetKey(await tempFolder());
    const look = async (answer: object): Promise<readonly string[]> => {
      const missing = await findMissingPart(shellOf(answer), key, signal, "1.4.2");
      return missing ? [missing.part, write(missing.why).split(". ")[0] ?? ""] : ["ready"];
    };
    const bare = {
      type: "unfit",
      node: "v24.1.0",
      git: "git version 2.40",
      program: "autogpt",
      system: "Linux x86_64",
    };
    const whole = {
      type: "machine",
      name: "box",
      version: "1.4.0",
      node: "v24.1.0",
      git: "git",
      walls: "bubblewrap",
      key: key.id,
    };
    const { git: _git, ...withoutGit } = whole;
    const { walls: _walls, ...withoutWalls } = whole;
    const { key: _key, ...withoutKey } = whole;
    assert.deepEqual(
      {
        ready: await look(whole),
        node: await look({ ...bare, node: "" }),
        oldNode: await look({ ...bare, node: "v20.19.0" }),
        bareGit: await look({ ...bare, git: "" }),
        program: await look({ ...bare, program: "" }),
        git: await look(withoutGit),
        walls: await look({ ...withoutWalls, noWalls: "Bubblewrap isn't installed." }),
        old: await look({ ...whole, version: "1.3.9" }),
        new: await look({ ...whole, version: "2.0.0" }),
        key: await look(withoutKey),
        otherKey: await look({ ...whole, key: "another" }),
      },
      {
        ready: ["ready"],
        node: ["node", "box has no Node"],
        oldNode: ["node", "box has Node v20.19.0, and version 22 or newer is needed"],
        bareGit: ["git", "box has no git, which carries the files"],
        program: ["program", "AutoGPT isn't installed on box for your user"],
        git: ["git", "box has no git, which carries the files"],
        walls: ["walls", "box has no sandbox, so no run starts there: Bubblewrap isn't installed"],
        old: ["oldProgram", "box has AutoGPT 1.3.9, which is older than the 1.4.2 of this machine"],
        new: ["newProgram", "box has AutoGPT 2.0.0, which is newer than the 1.4.2 of this machine"],
        key: ["key", "box doesn't have your fleet key yet, which seals your runs"],
        otherKey: ["otherKey", "box has another fleet key than this machine"],
      },
    );
  });

  it("that takes no program leaves no process of the sender behind", async () => {
    skipWithout("files as POSIX has them");
    const folder = await tempFolder();
    await writeFile(join(folder, "autogpt.mjs"), "x".repeat(1_000_000));
    const start: RemoteShell["start"] = () => createRemoteProgram("box", spawn("sh", ["-c", "echo No. >&2; exit 1"]));
    const said = await sendProgram({ ...shellOf({}), startScript: start }, folder, signal).catch(String);
    const isPacking = (): boolean => spawnSync("pgrep", ["-f", folder]).status === 0;
    for (let tries = 0; tries < 100 && isPacking(); tries++) await pause(20);
    assert.deepEqual(
      { said, isPacking: isPacking() },
      { said: "DisplayError: box can't be used: No.", isPacking: false },
    );
  });
});
