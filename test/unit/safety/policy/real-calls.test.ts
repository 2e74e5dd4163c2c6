import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type CommandDependencies, createAllCommands } from "../../../../src/commands/all.ts";
import { isPrepared, type PreparedCall } from "../../../../src/core/commands/command.ts";
import { getOutcomeText } from "../../../../src/core/commands/outcome.ts";
import type { BackgroundProcess } from "../../../../src/core/ports/programs.ts";
import { findNodeGit } from "../../../../src/node/git/git.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { readDeny, readRules } from "../../../../src/safety/policy/rules.ts";
import type { PolicyContext } from "../../../../src/safety/policy/verdict.ts";
import { displayText } from "../../../../src/texts/display-text.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { CONTENT } from "../../../support/machine-parts.ts";
import { rightArguments } from "../../../support/right-arguments.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";
import { judged } from "../readers.ts";
import { CONTINUOUS, request } from "../support.ts";

const commands = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) });

const MODES: readonly Partial<PolicyContext>[] = [{}, { grantLeft: 3 }, CONTINUOUS];

/** What a call must tell the policy, by its effect. */
const TELLS: Readonly<Record<PreparedCall["effect"], (prepared: PreparedCall) => boolean>> = {
  none: ({ touches, hosts = [] }) => touches.length === 0 && hosts.length === 0,
  read: ({ hosts = [] }) => hosts.length === 0,
  write: ({ touches }) => touches.some(({ how }) => how !== "read"),
  run: ({ shell, printedBy, cwd }) => (shell ?? printedBy) !== undefined || cwd !== undefined,
  network: ({ hosts = [] }) => hosts.length > 0,
  finish: ({ touches }) => touches.length === 0,
};

/** What a schema does not say of its arguments. */
const SPECIAL: Readonly<Record<string, object>> = {
  type_text: { text: "x" },
  analyze_code: { filename: "a.py" },
  improve_code: { filename: "a.py" },
  write_tests: { filename: "a.py" },
  edit_file: { filename: "a.txt", edits: [{ search: "one", replace: "two" }] },
  read_file: { filename: "a.txt" },
  create_folder: { folder: "new" },
  execute_python_file: { filename: "a.py" },
  read_audio_from_file: { filename: "a.mp3" },
};

const PROCESS: BackgroundProcess = {
  ...{ id: 1, commandLine: "make all", cwd: "/", step: 1, startedAt: 0 },
  ...{ state: "running", bytes: 0, kept: false },
};

/** A machine on which everything is there. */
const PARTS: Partial<CommandDependencies> = {
  problems: CONTENT,
  processes: {
    start: async () => PROCESS,
    list: () => [PROCESS],
    read: async () => ({ process: PROCESS, text: "", skipped: 0 }),
    stop: async () => PROCESS,
  },
  python: {
    getCodePath: () => "/runs/1.py",
    keep: async () => undefined,
    drop: async () => undefined,
    start: async (file) => ({ words: ["python3", file], where: displayText("approval.onMachine") }),
  },
  git: findNodeGit(),
};

/** Makes a repository of a folder, with something changed since its only commit. */
function commitAll(folder: string): void {
  skipWithout("git");
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "begin");
  appendFileSync(join(folder, "a.txt"), "more\n");
}

/** What an untrusted workspace lets happen, mode by mode; anything else is refused there. */
const UNTRUSTED: Readonly<Partial<Record<PreparedCall["effect"], readonly string[]>>> = {
  none: ["allow", "allow", "allow"],
  finish: ["allow", "allow", "allow"],
};

describe("every command, as it is really called,", () => {
  const tempFolder = tempFolders();

  /** A call that fits the command's schema, checked against a small workspace; or why it could not be. */
  async function called(name: string): Promise<{ readonly prepared: PreparedCall | string; readonly folder: string }> {
    const home = await tempFolder();
    const folder = join(home, "project");
    await plant(folder, { "a.txt": "one\n", "a.py": "print(1)\n", "d/x.txt": "x", "a.mp3": "ID3" });
    const spec = commands.find((command) => command.name === name);
    if (spec?.category === "git") commitAll(folder);
    const bench = new CommandBench(folder, home, PARTS);
    const prepared = await bench.prepare(name, {
      ...rightArguments(spec?.offered ?? spec?.parameters ?? {}),
      ...SPECIAL[name],
    });
    return { prepared: isPrepared(prepared) ? prepared : getOutcomeText(prepared), folder };
  }

  for (const { name, effect } of commands) {
    it(`${name} (${effect}) reports to the policy what it does, and a rule and a refusal hold for it in every mode`, async function () {
      const { prepared, folder } = await called(name);
      if (typeof prepared === "string") {
        assert.match(prepared, /is not available/);
        return this.skip();
      }
      const asked = request(name, {}, prepared);
      const here: Partial<PolicyContext> = { folders: [folder], platform: process.platform };
      const under = (more: Partial<PolicyContext>): Promise<string[]> =>
        Promise.all(
          MODES.map(async (mode) => (await judged(asked, { ...here, ...mode, ...more })).split(" ")[0] ?? ""),
        );
      const [unasked] = await under({});
      assert.deepEqual(
        {
          effect: prepared.effect,
          tells: TELLS[prepared.effect](prepared),
          asksByItself: unasked,
          refused: await under({ rules: readRules([{ command: name, action: "refuse" }]) }),
          denied: await under({ deny: readDeny([name]) }),
          asked: await under({ rules: readRules([{ command: name, action: "ask" }]) }),
          untrusted: await under({ trustedWorkspace: false }),
        },
        {
          effect,
          tells: true,
          asksByItself: ["none", "read", "finish"].includes(effect) ? "allow" : "ask",
          refused: Array(3).fill("refuse"),
          denied: Array(3).fill("refuse"),
          asked: Array(3).fill("ask"),
          untrusted: UNTRUSTED[effect] ?? Array(3).fill("refuse"),
        },
      );
    });
  }
});
