import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { createRunShell, type ShellPreferences } from "../../../../src/node/sandbox/run-shell.ts";
import type { SandboxTool } from "../../../../src/node/sandbox/sandbox.ts";
import { LineTerminals } from "../../../../src/node/terminal/line-terminals.ts";
import { findLinePreparation } from "../../../../src/node/terminal/terminal-shell.ts";
import { displayText, writeInEnglish } from "../../../../src/texts/display-text.ts";
import { type ShellTerminals, shellTerminals } from "../../../support/shell-terminals.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const hosts: ShellTerminals[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.closeAll();
});

interface Use {
  readonly terminal?: ShellPreferences["terminal"];
  readonly sandbox?: ShellPreferences["sandbox"];
  readonly line?: string;
  readonly approvedByUser?: true;
}

/** How many terminals a line opens, its output, and what its card would say of a terminal. */
async function useOf({ terminal = "auto", sandbox = "off", line = "echo on", approvedByUser }: Use) {
  const folder = await tempFolder();
  const host = shellTerminals("bash --norc -i");
  hosts.push(host);
  let shell = "your shell";
  const terminals = new LineTerminals({
    get shell() {
      return shell;
    },
    async waitForShell() {
      await setImmediate();
      ({ shell } = host);
    },
    describeEnvironment: () => displayText("approval.terminalSettings"),
    open: (at) => host.open(at),
  });
  const tool: SandboxTool = { kind: "bubblewrap", path: "/usr/bin/env" };
  const { shell: used } = await createRunShell(
    { enabled: true, sandbox, terminal },
    {
      ...{ outputFolder: folder, redact: (text) => text, listFolders: () => [folder], terminals },
      findTool: async () => tool,
    },
  );
  const { signal } = new AbortController();
  const options = {
    cwd: folder,
    step: 1,
    timeoutSeconds: 60,
    signal,
    reportOutput: () => undefined,
    approvedByUser,
  };
  const output = sandbox === "off" ? (await used?.run(line, options))?.output : undefined;
  const place = used?.describeApprovedPlace?.(line);
  const sentences = place && [place.place, place.remark].flatMap((one) => (one ? writeInEnglish(one) : []));
  return { opened: host.opened.length, output, place: sentences };
}

const PLACE = [
  "Runs in a bash terminal that you can type into.",
  "This workspace's settings change the shell or the environment of terminals.",
];

describe("a line runs in a terminal", () => {
  before(() => skipWithout("a POSIX shell and its programs"));
  for (const terminal of ["auto", "integrated"] as const)
    it(`when a person approved it on its card (${terminal})`, async () => {
      const use = await useOf({ terminal, approvedByUser: true });

      assert.deepEqual(use, { opened: 1, output: "on\n", place: PLACE });
    });

  it("but not when a rule, a grant or continuous mode allowed it, although its card would have named one", async () => {
    assert.deepEqual(await useOf({ terminal: "integrated" }), { opened: 0, output: "on\n", place: PLACE });
  });

  it("but not when the user wants it in the background", async () => {
    const use = await useOf({ terminal: "background", approvedByUser: true });

    assert.deepEqual(use, { opened: 0, output: "on\n", place: undefined });
  });

  it("but not when it's confined by a sandbox", async () => {
    const use = await useOf({ sandbox: "confined", approvedByUser: true });

    assert.deepEqual(use, { opened: 0, output: undefined, place: undefined });
  });

  it("but not when it doesn't fit into the arguments of a program", async () => {
    const use = await useOf({ line: `true ${"x".repeat(100_000)}`, approvedByUser: true });

    assert.deepEqual(use, { opened: 0, output: "", place: undefined });
  });

  it("on Windows only when the user wants it expressly", async () => {
    const env = { SystemRoot: "C:\\Windows" };
    const uses = await Promise.all(
      (["auto", "integrated"] as const).map((use) => findLinePreparation(use, env, "win32")),
    );

    assert.deepEqual(
      uses.map((prepare) => prepare !== undefined),
      [false, true],
    );
  });

  it("not where the system has no bash or no script", async () => {
    assert.equal(await findLinePreparation("integrated", { PATH: "/nowhere" }, "linux"), undefined);
  });
});
