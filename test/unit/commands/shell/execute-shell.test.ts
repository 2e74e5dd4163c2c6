import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { executeShell } from "../../../../src/commands/shell/execute-shell.ts";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import {
  type ApprovedPlace,
  OLD_POWERSHELL,
  type Shell,
  type ShellResult,
} from "../../../../src/core/ports/programs.ts";
import { chooseShellProgram } from "../../../../src/node/processes/programs.ts";
import { displayText } from "../../../../src/texts/display-text.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";

/** What the shell did, and what the model reads of it. */
const RESULTS: readonly (readonly [ShellResult, object])[] = [
  [
    { ended: "exit", code: 0, output: "hi\n", bytes: 3 },
    { status: "done", output: "Exit code 0.\nhi" },
  ],
  [
    { ended: "exit", code: 1, output: "", bytes: 0 },
    { status: "done", output: "Exit code 1.\nIt printed nothing.", exitCode: 1 },
  ],
  [
    { ended: "exit", output: "", bytes: 0 },
    { status: "done", output: "It was killed.\nIt printed nothing.", exitCode: null },
  ],
  [
    { ended: "exit", code: 0, output: "a\n[…]\nz", bytes: 2_000_000, file: "/kept/1.txt" },
    {
      status: "done",
      output: 'Exit code 0.\na\n[…]\nz\n[It printed 2 MB. Read all of it with read_file, filename "output:1".]',
    },
  ],
  [
    { ended: "exit", code: 0, output: "", bytes: 0, leftBehind: 2 },
    {
      status: "done",
      output: "Exit code 0.\n[It left 2 processes running in the background; they were ended.]",
    },
  ],
  [
    { ended: "timeout", output: "tick\n", bytes: 5 },
    {
      status: "failed",
      error:
        "It was ended after 120 seconds and may have done a part of its work. Give more timeout_seconds, run something shorter, or start it with execute_shell_popen.\ntick",
    },
  ],
  [
    { ended: "stopped", output: "", bytes: 0 },
    { status: "failed", error: "The user stopped it; it may have done a part of its work." },
  ],
  [
    { ended: "closed", output: "half\n", bytes: 5 },
    {
      status: "failed",
      error:
        "The terminal it ran in was closed, which ended it; it may have done a part of its work. Ask the user before you run it again.\nhalf",
    },
  ],
  [
    { ended: "failed", output: "The shell could not be started: no memory", bytes: 0 },
    { status: "failed", error: "The shell could not be started: no memory" },
  ],
];

describe("execute_shell", () => {
  const planted = plantedBenches();

  it("shows the whole command line, where it runs and for how long, and reports it to the policy", async () => {
    const { bench, folder } = await planted({ "lib/a.txt": "" });
    const line = "cd x &&\n  make \u202e all";
    const prepared = await bench.prepare("execute_shell", {
      command_line: line,
      timeout_seconds: 1,
      cwd: "lib",
    });
    assert.ok(isPrepared(prepared));
    const { effect, preview, shell } = prepared;
    assert.deepEqual(
      { effect, preview, shell },
      {
        effect: "run",
        preview: {
          kind: "details",
          text: `${line}\n\nRuns with ${chooseShellProgram().name} in ${join(folder, "lib")}, for 1 second at most.`,
        },
        shell: line,
      },
    );
  });

  for (const [result, outcome] of RESULTS)
    it(`makes ${JSON.stringify(outcome).slice(0, 60)} of ${result.ended}`, async () => {
      const shell: Shell = { name: "bash", run: async () => result };
      const { bench } = await planted({}, { shell });
      assert.deepEqual(await bench.call("execute_shell", { command_line: "x" }), outcome);
    });

  it("gives the shell its time limit, and the user's when the call has none", async () => {
    const seen: number[] = [];
    const shell: Shell = {
      name: "bash",
      run: async (_line, { timeoutSeconds }) => {
        seen.push(timeoutSeconds);
        return { ended: "exit", code: 0, output: "", bytes: 0 };
      },
    };
    const { bench } = await planted({}, { shell, shellTimeoutSeconds: 30 });
    await bench.call("execute_shell", { command_line: "x" });
    await bench.call("execute_shell", { command_line: "x", timeout_seconds: 5 });
    assert.deepEqual(seen, [30, 5]);
  });

  it("says only for PowerShell 5.1 that commands can't be joined with && and ||", async () => {
    const run: Shell["run"] = async () => ({ ended: "exit", output: "", bytes: 0 });
    const shells = [{ name: "bash" }, { name: "PowerShell" }, { name: "PowerShell", version: OLD_POWERSHELL }];
    const descriptions = shells.map(
      (shell) => executeShell({ workspace: {} as never, shell: { ...shell, run } }).description,
    );
    assert.deepEqual(
      descriptions.map((text) => [
        text.split(" command line")[0],
        text.endsWith(" if ($?) { b } where b needs a to succeed."),
      ]),
      [
        ["Runs a bash", false],
        ["Runs a PowerShell", false],
        ["Runs a PowerShell 5.1", true],
      ],
    );
  });

  it("explains how to join commands where PowerShell 5.1 has refused && in any language", async () => {
    const output =
      'Das Token "&&" ist in dieser Version kein gültiges Anweisungstrennzeichen.\n    + FullyQualifiedErrorId : InvalidEndOfLine';
    const run: Shell["run"] = async () => ({ ended: "exit", code: 1, output, bytes: output.length });
    const outcomes = [];
    for (const version of [OLD_POWERSHELL, undefined]) {
      const { bench } = await planted({}, { shell: { name: "PowerShell", version, run } });
      outcomes.push(JSON.stringify(await bench.call("execute_shell", { command_line: "a && b" })));
    }
    assert.deepEqual(
      outcomes.map((text) => text.includes("or as a; if ($?) { b } where b needs a to succeed.")),
      [true, false],
    );
  });

  it("is no longer fresh once the folder to run in is gone", async () => {
    const { bench, folder } = await planted({ "lib/a.txt": "" });
    const prepared = await bench.prepare("execute_shell", { command_line: "x", folder: "lib" });
    assert.ok(isPrepared(prepared));
    const before = await prepared.fresh();
    await rm(join(folder, "lib"), { recursive: true });
    assert.deepEqual([before, await prepared.fresh()], [true, false]);
  });

  it("shows where an approved line runs, and is no longer fresh once that has changed", async () => {
    const now: { place: ApprovedPlace | undefined } = { place: { place: displayText("approval.onMachine") } };
    const run = async (): Promise<ShellResult> => ({ ended: "exit", code: 0, output: "", bytes: 0 });
    const shell: Shell = { name: "bash", describeApprovedPlace: () => now.place, run };
    const { bench, folder } = await planted({}, { shell });
    const prepared = await bench.prepare("execute_shell", { command_line: "x" });
    assert.ok(isPrepared(prepared));

    const before = await prepared.fresh();
    now.place = undefined;
    const after = await prepared.fresh();

    const text = `x\n\nRuns with bash in ${folder}, for 120 seconds at most. on this machine`;
    assert.deepEqual([prepared.preview, before, after], [{ kind: "details", text }, true, false]);
  });

  it("says that there is no such folder", async () => {
    const { bench } = await planted({});
    assert.deepEqual(await bench.try("execute_shell", { command_line: "x", folder: "lib" }), {
      outcome: { status: "failed", error: 'There is no folder "lib" to run it in.' },
    });
  });
});
