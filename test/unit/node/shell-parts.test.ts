import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatShellName } from "../../../src/core/ports/programs.ts";
import { collectServiceKeys } from "../../../src/headless/service-keys.ts";
import { createMarkedStart, markEnvironment } from "../../../src/node/processes/process-tree.ts";
import { chooseShellProgram, findOnPath, findSystemProgram } from "../../../src/node/processes/programs.ts";
import { createNodeShell } from "../../../src/node/processes/shell.ts";
import { createShellEnvironment } from "../../../src/node/processes/shell-environment.ts";
import { DEFAULT_SETTINGS } from "../../../src/schema/read-settings.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("the environment of commands", () => {
  it("is that of this program without its keys and without what only concerns this program", () => {
    const base = {
      PATH: "/bin",
      LANG: "de_DE.UTF-8",
      OPENAI_API_KEY: "secret",
      openai_api_key: "secret",
      SEARCH_API_KEY: "secret",
      GITHUB_TOKEN: "secret",
      GH_ENTERPRISE_TOKEN: "secret",
      GITLAB_TOKEN: "secret",
      GITLAB_ACCESS_TOKEN: "secret",
      GITLAB_WORKFLOW_TOKEN: "secret",
      FLEET_KEY: "secret",
      ACTIONS_RUNTIME_TOKEN: "secret",
      SD_WEBUI_AUTH: "name:secret",
      AUTOGPT_TOKEN: "secret",
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=secret",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-key=secret",
      VSCODE_IPC_HOOK: "x",
      ELECTRON_RUN_AS_NODE: "1",
      BASH_ENV: "/tmp/x",
      OWN_KEY: "secret",
      PAGER: "less",
    };
    assert.deepEqual(createShellEnvironment(base, ["OWN_KEY"], "linux"), {
      PATH: "/bin",
      LANG: "de_DE.UTF-8",
      TERM: "dumb",
      NO_COLOR: "1",
      PAGER: "cat",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      GIT_EDITOR: "false",
    });
  });

  it("has no variable that holds the key of a service", () => {
    const asked = new Set<string>();
    const env = new Proxy<Record<string, string>>({}, { get: (_, name) => void asked.add(String(name)) });
    const azure = { ...DEFAULT_SETTINGS.azure, endpoint: "https://ours.openai.azure.com" };
    collectServiceKeys({ ...DEFAULT_SETTINGS, azure }, env);
    const base = Object.fromEntries([...asked].map((name) => [name, "secret"]));
    const left = Object.entries(createShellEnvironment(base, [])).filter(([, value]) => value === "secret");
    assert.deepEqual({ asked: asked.size, left }, { asked: 24, left: [] });
  });
});

describe("the shell", () => {
  it("is PowerShell on Windows, the user's bash elsewhere, and any bash or sh when they have another", () => {
    skipWithout("a POSIX shell and its programs");
    const names = [
      chooseShellProgram({ SystemRoot: "C:\\Windows" }, "win32").path,
      chooseShellProgram({ SHELL: "/bin/bash" }, "linux").path,
      chooseShellProgram({ SHELL: "/nowhere/bash" }, "linux").path,
      chooseShellProgram({ SHELL: "/usr/bin/fish" }, "linux").path,
    ];
    assert.deepEqual(names, [
      "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe",
      "/bin/bash",
      "/bin/bash",
      "/bin/bash",
    ]);
  });

  it("is a newer bash on macOS if there is one, and has the version of Apple's in its name otherwise", () => {
    const name = (SHELL: string, ...there: readonly string[]): string => {
      const program = chooseShellProgram({ SHELL }, "darwin", (path) => ["/bin/bash", ...there].includes(path));
      return `${formatShellName(program)} ${program.path}`;
    };
    assert.deepEqual(
      [
        name("/bin/zsh"),
        name("/bin/bash", "/usr/local/bin/bash"),
        name("/bin/zsh", "/opt/homebrew/bin/bash", "/usr/local/bin/bash"),
        name("/Users/u/bin/bash", "/Users/u/bin/bash", "/opt/homebrew/bin/bash"),
      ],
      ["bash 3.2 /bin/bash", "bash /usr/local/bin/bash", "bash /opt/homebrew/bin/bash", "bash /Users/u/bin/bash"],
    );
  });

  it("keeps the name by which its lines are read beside the version that the model is given", () => {
    const program = chooseShellProgram({}, "darwin", (path) => path === "/bin/bash");
    const shell = createNodeShell({ outputFolder: "/nowhere", program });
    assert.deepEqual([shell.name, formatShellName(shell)], ["bash", "bash 3.2"]);
  });

  it("gets the command line as one argument, behind what marks its processes", () => {
    const mark = { variable: "AUTOGPT_COMMAND_ID=7", limit: 500_001 };
    const bash = { name: "bash", path: "/bin/bash", createArgs: (line: string) => ["-c", line] };
    assert.deepEqual(
      [
        createMarkedStart(bash, "echo '$x'", mark, "linux").args.slice(-3),
        createMarkedStart(bash, "echo '$x'", mark, "win32").args,
        markEnvironment({ A: "1" }, mark),
      ],
      [["/bin/bash", "-c", "echo '$x'"], ["-c", "echo '$x'"], { A: "1", AUTOGPT_COMMAND_ID: "7" }],
    );
  });
});

describe("a program of the system", () => {
  it("is the system's own, even if the search path has another, and else that of the search path", async () => {
    skipWithout("files as POSIX has them");
    const folder = await tempFolder();
    for (const name of ["sh", "autogpt-test"]) await writeFile(join(folder, name), "", { mode: 0o755 });
    const found = ["sh", "autogpt-test", "autogpt-none"].map((name) => findSystemProgram(name, { PATH: folder }));
    assert.deepEqual(
      found.map((file) => file?.replace(/^\/(usr\/)?bin\//, "SYSTEM/").replace(folder, "PATH")),
      ["SYSTEM/sh", "PATH/autogpt-test", undefined],
    );
  });
});

describe("a program on the search path", () => {
  it("isn't one of Apple's on a Mac without the command line tools, where it would open a dialog", function () {
    skipWithout("files as POSIX has them");
    const find = (platform: NodeJS.Platform, hasTools: boolean): string | undefined =>
      findOnPath(["git"], { PATH: "/usr/bin" }, platform, { hasDeveloperTools: () => hasTools });
    if (find("linux", true) === undefined) this.skip();
    assert.deepEqual(
      [find("darwin", false), find("darwin", true), find("linux", false)],
      [undefined, "/usr/bin/git", "/usr/bin/git"],
    );
  });
});
