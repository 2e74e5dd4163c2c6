import assert from "node:assert/strict";
import { explainStartFailure } from "../../../../src/node/processes/marked-child.ts";
import { createProgramWords, findNamedProgram, findOnPath } from "../../../../src/node/processes/programs.ts";
import {
  createSandboxEnvironment,
  createShellEnvironment,
  findVariable,
  mergeVariables,
} from "../../../../src/node/processes/shell-environment.ts";
import { getPluginEnvironment } from "../../../../src/plugins/process/plugin-child.ts";

/** An environment as Windows names it. */
const WINDOWS = {
  Path: "C:\\Windows\\System32;C:\\Program Files\\nodejs",
  PATHEXT: ".COM;.EXE;.BAT;.CMD;.JS",
  SystemRoot: "C:\\Windows",
  ComSpec: "C:\\Windows\\System32\\cmd.exe",
  TEMP: "C:\\Temp",
  APPDATA: "C:\\Users\\jo\\AppData\\Roaming",
  USERPROFILE: "C:\\Users\\jo",
  "ProgramFiles(x86)": "C:\\Program Files (x86)",
  CommonProgramW6432: "C:\\Program Files\\Common Files",
  NUMBER_OF_PROCESSORS: "8",
};
const SECRETS = { Npm_Token: "secret", GITHUB_PAT: "secret", node_auth_token: "secret" };

describe("programs on Windows", () => {
  it("get the system's variables, whatever their case, and no secrets", () => {
    const env = { ...WINDOWS, ...SECRETS };

    assert.deepEqual(
      [createSandboxEnvironment(env, (text) => text, "win32"), getPluginEnvironment(env, "win32")],
      [WINDOWS, WINDOWS],
    );
  });

  it("get one search path, which is the one that was set last", () => {
    const merged = mergeVariables<string>({ Path: "C:\\a", TEMP: "C:\\t" }, { PATH: "C:\\b" }, "win32");

    assert.deepEqual(
      [
        merged,
        findVariable({ Path: "C:\\a", PATH: "C:\\b" }, "path", "win32"),
        findVariable({ Path: "/a" }, "PATH", "linux"),
      ],
      [{ TEMP: "C:\\t", PATH: "C:\\b" }, "C:\\b", undefined],
    );
  });

  it("print UTF-8 from Python unless the user wants otherwise, and find no modules of another PowerShell", () => {
    const { PYTHONUTF8, PYTHONIOENCODING, pythonutf8, PSModulePath } = createShellEnvironment(
      { pythonutf8: "0", PSModulePath: "C:\\Program Files\\PowerShell\\7\\Modules" },
      [],
      "win32",
    );

    assert.deepEqual(
      { PYTHONUTF8, PYTHONIOENCODING, pythonutf8, PSModulePath },
      { PYTHONUTF8: undefined, PYTHONIOENCODING: "utf-8", pythonutf8: "0", PSModulePath: undefined },
    );
  });

  it("are found on a search path of any case, never in a relative folder, and only as programs", () => {
    const there = ["C:\\Program Files\\nodejs\\node.exe", "bin\\git.exe", "C:\\Program Files\\nodejs\\npx.cmd"];
    const isProgram = (path: string): boolean => there.includes(path);
    const env = { ...WINDOWS, Path: `bin;${WINDOWS.Path}` };

    assert.deepEqual(
      ["node", "node.exe", "git", "npx"].map((name) => findOnPath([name], env, "win32", { isProgram })),
      [there[0], there[0], undefined, undefined],
    );
  });

  it("are found as batch files where those can be started", () => {
    const there = ["C:\\Program Files\\nodejs\\npx.cmd", "C:\\shop\\tools\\serve.bat"];
    const place = { cwd: "C:\\shop", env: WINDOWS, platform: "win32" } as const;

    assert.deepEqual(
      ["npx", "NPX.CMD", "tools\\serve", "tools/serve.bat", "uvx"].map((command) =>
        findNamedProgram(command, place, (path) => there.some((file) => file.toLowerCase() === path.toLowerCase())),
      ),
      [there[0], "C:\\Program Files\\nodejs\\NPX.CMD", there[1], there[1], undefined],
    );
  });

  it("that are batch files get each argument as one harmless word", () => {
    const args = ["-y", "a b", "x&calc", "^|<>!", "C:\\my dir\\"];

    assert.deepEqual(createProgramWords("C:\\Program Files\\nodejs\\npx.cmd", args, "win32", WINDOWS), {
      words: [
        "C:\\Windows\\System32\\cmd.exe",
        "/d",
        "/v:off",
        "/s",
        "/c",
        '""C:\\Program Files\\nodejs\\npx.cmd" "-y" "a b" "x&calc" "^|<>!" "C:\\my dir\\\\""',
      ],
      isVerbatim: true,
    });
  });

  it("that are batch files aren't started with arguments that would be code to them", () => {
    const words = ["%PATH%", 'a" & calc', "a\ncalc", "a\rb", "a\0b"].flatMap((word) =>
      ["x.cmd", "x.BAT", "x.cmd . "].map((program) => createProgramWords(program, [word], "win32", WINDOWS)),
    );

    assert.deepEqual(
      [words.filter((start) => start !== undefined), createProgramWords("x.exe", ['"%a%"'], "win32", WINDOWS)],
      [[], { words: ["x.exe", '"%a%"'] }],
    );
  });

  it("that can't take such a long line say what to do", async () => {
    const failed = Promise.resolve(Object.assign(new Error("spawn ENAMETOOLONG"), { code: "ENAMETOOLONG" }));

    assert.match(await explainStartFailure({ failed }), /longer than the system takes\. Put it into a file/);
  });
});

describe("programs on a Mac", () => {
  it("find the developer tools and Homebrew without its keys", () => {
    const env = { DEVELOPER_DIR: "/Xcode", SDKROOT: "/sdk", HOMEBREW_PREFIX: "/opt/homebrew" };

    assert.deepEqual(
      createSandboxEnvironment({ ...env, HOMEBREW_GITHUB_API_TOKEN: "secret" }, (text) => text, "darwin"),
      env,
    );
  });
});
