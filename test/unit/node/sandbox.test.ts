import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { sandboxedProgram, sandboxTool } from "../../../src/node/sandbox.ts";
import { shallowListing, workspaceListing } from "../../../src/node/sandbox-listing.ts";
import { nodeShell } from "../../../src/node/shell.ts";
import { shellProgram } from "../../../src/node/shell-program.ts";
import { bubblewrapArguments, sandboxPlan } from "../../../src/safety/sandbox.ts";

/** Files of a home and of a workspace in it. They are made outside of /tmp, which the sandbox replaces. */
const FILES = {
  "home/.ssh/id_rsa": "key",
  "home/.docker/config.json": "{}",
  "home/app/.aws/credentials": "key",
  "home/app/a.txt": "a\n",
  "home/app/.autogptignore": "kept/\n*.kept\n",
  "home/app/kept/plan.txt": "plan",
  "home/app/b.kept": "plan",
  "home/app/.env": "SECRET=1",
  "home/app/src/deep/.env": "SECRET=2",
  "home/app/src/kept/plan.txt": "plan",
  "home/app/src/.autogptignore": "own.txt\n",
  "home/app/src/own.txt": "plan",
  "home/app/src/b.ts": "b",
  "home/app/.git/config": "[core]",
  "home/app/.git/hooks/x": "x",
};

describe("the sandbox of this system", () => {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
  });

  /** What a command line prints in the sandbox; skipped where there is none. */
  async function confined(test: Mocha.Context, line: string): Promise<{ output: string; app: string }> {
    const tool = await sandboxTool();
    if (tool.kind !== "bubblewrap") test.skip();
    const folder = fs.mkdtempSync("/var/tmp/autogpt-test-");
    made.push(folder);
    for (const [name, text] of Object.entries(FILES)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
    const home = path.join(folder, "home");
    const app = path.join(home, "app");
    const confine = () => {
      const plan = sandboxPlan([workspaceListing(app)], shallowListing(home));
      return { args: bubblewrapArguments(plan), standIns: plan.absent };
    };
    const program = sandboxedProgram(shellProgram(), tool as never, confine);
    const shell = nodeShell({ outputFolder: folder, program });
    const { signal } = new AbortController();
    const { output } = await shell.run(line, {
      cwd: app,
      step: 1,
      timeoutSeconds: 20,
      signal,
      output: () => undefined,
    });
    return { output: output.trim(), app };
  }

  for (const [what, line, printed] of [
    ["lets the workspace be read and written", "echo b > b.txt; cat a.txt b.txt", "a\nb"],
    [
      "keeps the rest of the disk as it is",
      "touch ../x 2>/dev/null || echo no; touch /usr/x 2>/dev/null || echo no",
      "no\nno",
    ],
    [
      "keeps what steers programs",
      "echo x >> .git/config || echo no; echo x > .git/hooks/y || echo no",
      "no\nno",
    ],
    [
      "lets nothing come that steers programs",
      "mkdir -p .vscode && echo x > .vscode/tasks.json || echo no",
      "no",
    ],
    [
      "shows no keys and no secrets",
      "cat ../.ssh/id_rsa || echo no; cat .env src/deep/.env; ls ../.docker .aws | grep -v :; echo end",
      "no\n\nend",
    ],
    [
      "shows nothing that .autogptignore names",
      "cat b.kept; ls kept; grep -r plan . 2>/dev/null; echo end; cat src/b.ts",
      "end\nb",
    ],
    ["gives the command's exit code back", "bash -c 'exit 3'; echo $?", "3"],
  ] as const) {
    it(what, async function () {
      const { output } = await confined(this, line);
      const lines = output.split("\n").filter((one) => !/^(?:\S*bash|cat|mkdir|touch): /.test(one));
      assert.equal(lines.join("\n"), printed);
    });
  }

  it("has no network, not even to this machine", async function () {
    const server = net.createServer((socket) => socket.end("hello"));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    try {
      const { output } = await confined(this, `(cat < /dev/tcp/127.0.0.1/${port}) 2>/dev/null || echo no`);
      assert.equal(output, "no");
    } finally {
      server.close();
    }
  });

  it("leaves nothing behind that was not there", async function () {
    const { app } = await confined(this, "true");
    assert.deepEqual(fs.readdirSync(app).sort(), [
      ".autogptignore",
      ".aws",
      ".env",
      ".git",
      "a.txt",
      "b.kept",
      "kept",
      "src",
    ]);
  });

  it("is told of where there is none", async () => {
    const tool = await sandboxTool("win32");
    assert.deepEqual(tool, {
      kind: "none",
      why: "This system has no sandbox that can be used: there is none for this system, so commands run without one and ask as ever.",
    });
  });
});
