import assert from "node:assert/strict";
import fs from "node:fs";
import { createRunShell, type RunShell, type ShellPreferences } from "../../../../src/node/sandbox/run-shell.ts";
import { findSandboxTool, type SandboxTool } from "../../../../src/node/sandbox/sandbox.ts";
import { skipWithout } from "../../../support/skips.ts";

describe("the shell of a run", () => {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
  });

  /** A workspace outside of /tmp, which the sandbox replaces. */
  function workspace(): string {
    const folder = fs.mkdtempSync("/var/tmp/autogpt-test-");
    made.push(folder);
    return folder;
  }

  async function shellFor(wish: ShellPreferences, folder: string, tool?: SandboxTool): Promise<RunShell> {
    return createRunShell(wish, {
      outputFolder: `${folder}-outputs`,
      redact: (text) => text,
      listFolders: () => [folder],
      ...(tool ? { findTool: async () => tool } : {}),
    });
  }

  /** What a line leaves of two attempts: one to write in the workspace, one beside it. */
  async function written({ shell }: RunShell, folder: string): Promise<readonly string[]> {
    made.push(`${folder}-outputs`, `${folder}-beside`);
    const { signal } = new AbortController();
    const line = `echo x > inside; (echo x > ${folder}-beside) 2>/dev/null; true`;
    await shell?.run(line, {
      cwd: folder,
      step: 1,
      timeoutSeconds: 20,
      signal,
      reportOutput: () => undefined,
    });
    return [`${folder}/inside`, `${folder}-beside`].filter((path) => fs.existsSync(path));
  }

  it("is none when the user has turned it off, whatever the sandbox", async () => {
    assert.deepEqual(await shellFor({ enabled: false, sandbox: "trusted" }, "/nowhere"), {});
  });

  it("is not confined when the sandbox is off, and no sandbox is looked for", async () => {
    skipWithout("a POSIX shell and its programs");
    const folder = workspace();
    const shell = await shellFor({ enabled: true, sandbox: "off" }, folder);
    assert.deepEqual(
      [shell.sandbox, shell.problem, await written(shell, folder)],
      [undefined, undefined, [`${folder}/inside`, `${folder}-beside`]],
    );
  });

  for (const sandbox of ["confined", "trusted"] as const)
    it(`is held by the system's sandbox when it is ${sandbox}`, async function () {
      if ((await findSandboxTool()).kind !== "bubblewrap") this.skip();
      const folder = workspace();
      const shell = await shellFor({ enabled: true, sandbox }, folder);
      assert.deepEqual(
        [shell.sandbox, shell.problem, await written(shell, folder)],
        [sandbox, undefined, [`${folder}/inside`]],
      );
    });

  it("runs without one where the system has none, counts as not confined, and says why", async () => {
    skipWithout("a POSIX shell and its programs");
    const folder = workspace();
    const why = "This system has no sandbox that can be used: none is there.";
    const shell = await shellFor({ enabled: true, sandbox: "trusted" }, folder, { kind: "none", why });
    assert.deepEqual([shell.sandbox, shell.problem, (await written(shell, folder)).length], [undefined, why, 2]);
  });
});
