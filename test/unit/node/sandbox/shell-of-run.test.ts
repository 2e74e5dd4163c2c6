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

  for (const [sandbox, isReached] of [
    ["confined", true],
    ["trusted", false],
  ] as const)
    it(`${isReached ? "lets" : "keeps"} ${sandbox} lines on macOS ${isReached ? "reach" : "from"} the machine's own loopback`, async () => {
      skipWithout("files as POSIX has them");
      const folder = workspace();
      const tool = { kind: "seatbelt", path: `${folder}/sandbox-exec` } as const;
      fs.writeFileSync(tool.path, `#!/bin/sh\nprintf %s "$2" > "$0.sb"\nshift 2\nexec "$@"\n`, { mode: 0o755 });
      await written(await shellFor({ enabled: true, sandbox }, folder, tool), folder);
      assert.equal(fs.readFileSync(`${tool.path}.sb`, "utf8").includes('(remote ip "localhost:*")'), isReached);
    });

  it("gives lines on macOS a home of their own while they run, with the user's toolchains and none of the user's settings", async () => {
    skipWithout("files as POSIX has them");
    const folder = fs.realpathSync(workspace());
    const home = `${folder}/user`;
    fs.mkdirSync(`${home}/.nvm/versions`, { recursive: true });
    fs.writeFileSync(`${home}/.gitconfig`, "[user]\nname = Jane\n");
    const tool = { kind: "seatbelt", path: `${folder}/sandbox-exec` } as const;
    fs.writeFileSync(tool.path, '#!/bin/sh\nshift 2\nexec "$@"\n', { mode: 0o755 });
    const { shell } = await createRunShell(
      { enabled: true, sandbox: "trusted" },
      {
        outputFolder: `${folder}-outputs`,
        redact: (text) => text,
        listFolders: () => [`${home}/app`],
        env: { ...process.env, HOME: home, NVM_DIR: `${home}/.nvm`, VIRTUAL_ENV: `${home}/app/.venv` },
        findTool: async () => tool,
      },
    );
    made.push(`${folder}-outputs`);
    const { signal } = new AbortController();
    const line =
      'echo "$HOME $TMPDIR $NVM_DIR $VIRTUAL_ENV"; touch ~/x "$TMPDIR/x"; ls -A ~ ~/.nvm; git config --global -l';
    const place = { cwd: folder, step: 1, timeoutSeconds: 20, signal, reportOutput: () => undefined };
    const { output = "" } = (await shell?.run(line, place)) ?? {};
    const own = /^(\S+)\/home /.exec(output)?.[1] ?? "";
    const lines = output.replaceAll(own, "$OWN").replaceAll(home, "$USER").split("\n");
    assert.deepEqual(
      { lines: lines.slice(0, 6), settings: output.includes("Jane"), isThere: fs.existsSync(own) },
      {
        lines: ["$OWN/home $OWN/tmp $OWN/home/.nvm $USER/app/.venv", "$OWN/home:", ".nvm", "x", "", "$OWN/home/.nvm:"],
        settings: false,
        isThere: false,
      },
    );
  });
});
