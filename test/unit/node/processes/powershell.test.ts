import assert from "node:assert/strict";
import { Language, type Node, Parser } from "web-tree-sitter";
import { buildShellCommandLine } from "../../../../src/commands/shell/run-python.ts";
import { isPowerShell, WINDOWS_POWERSHELL } from "../../../../src/core/ports/programs.ts";
import { loadGrammar } from "../../../../src/headless/workers.ts";
import { createPowerShellArguments, wrapPowerShellLine } from "../../../../src/node/processes/powershell.ts";
import { chooseShellProgram } from "../../../../src/node/processes/programs.ts";
import { createShellLanguageLoader } from "../../../../src/safety/shell/load.ts";

/** Lines that could join with text before or after them. */
const AWKWARD = [
  "git log # the last",
  "| iex",
  "else { git log }",
  "git status |",
  "git status &&",
  "echo 'open",
  'echo "open',
  "echo @'\nx",
  "<# open",
  "if ($true) { git log",
  "}",
  "git log --% 'x",
  "$a =",
  "exit 3",
];

describe("a command line for PowerShell", () => {
  it("runs as it is, as UTF-8, where scripts are allowed, and ends with the exit code of its last program", () => {
    assert.deepEqual(createPowerShellArguments("git diff --quiet; echo ok", "PowerShell"), [
      "-NoLogo",
      "-NoProfile",
      "-ExecutionPolicy",
      "Bypass",
      "-NonInteractive",
      "-Command",
      [
        "try { [Console]::OutputEncoding = $OutputEncoding = New-Object Text.UTF8Encoding $false } catch { };",
        "git diff --quiet; echo ok",
        ";if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1 }",
      ].join("\n"),
    ]);
  });

  it("writes UTF-8 into files in version 5.1 as well", () => {
    const writes = ["PowerShell", WINDOWS_POWERSHELL].map((name) =>
      wrapPowerShellLine("echo x > f", name).begin.includes("$PSDefaultParameterValues['Out-File:Encoding'] = 'utf8'"),
    );
    assert.deepEqual(writes, [false, true]);
  });

  it("comes first if PowerShell takes it only there", () => {
    const begins = ["using namespace System.IO\n[File]", " param($a) $a", "Using-It", "echo param"].map(
      (line) => wrapPowerShellLine(line, "PowerShell").begin === "",
    );
    assert.deepEqual(begins, [true, true, false, false]);
  });

  it("neither joins with what runs around it nor becomes complete by it", async () => {
    await Parser.init({ wasmBinary: await loadGrammar("web-tree-sitter.wasm"), locateFile: (name: string) => name });
    const parser = new Parser();
    parser.setLanguage(await Language.load(await loadGrammar("tree-sitter-powershell.wasm")));
    const parse = (text: string, before = 0) => {
      const root = parser.parse(text)?.rootNode as Node;
      return {
        isWrong: root.hasError,
        commands: root
          .descendantsOfType("command")
          .slice(before)
          .map((node) => node?.text),
      };
    };
    const framed = AWKWARD.map((line) => {
      const { begin, end } = wrapPowerShellLine(line, WINDOWS_POWERSHELL);
      return parse(begin + line + end, 1);
    });

    assert.deepEqual(
      framed,
      AWKWARD.map((line) => parse(line)),
    );
  });
});

describe("words for PowerShell", () => {
  it("stay one word with straight and curly quotes, whatever its version", () => {
    const words = ["C:\\O’Brien\\python.exe", "it's", "’; calc; ‘"];
    const quoted = "& 'C:\\O’’Brien\\python.exe' 'it''s' '’’; calc; ‘‘'";

    assert.deepEqual(
      ["PowerShell", WINDOWS_POWERSHELL].map((name) => buildShellCommandLine(words, name)),
      [quoted, quoted],
    );
  });
});

describe("PowerShell", () => {
  const INSTALLED = "C:\\Program Files\\PowerShell\\7\\pwsh.exe";
  const ENV = { SYSTEMROOT: "C:\\Windows", ProgramFiles: "C:\\Program Files", Path: "C:\\Windows;.;bin;D:\\tools" };
  const choose = (...there: readonly string[]) => {
    const { name, path } = chooseShellProgram(ENV, "win32", (file) => there.includes(file));
    return { name, path };
  };

  it("is version 7 where that is installed, and otherwise the one of Windows, by its own name", () => {
    assert.deepEqual(
      [choose(INSTALLED, "D:\\tools\\pwsh.exe"), choose("D:\\tools\\pwsh.exe"), choose("bin\\pwsh.exe", "pwsh.exe")],
      [
        { name: "PowerShell", path: INSTALLED },
        { name: "PowerShell", path: "D:\\tools\\pwsh.exe" },
        {
          name: "Windows PowerShell 5.1",
          path: "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe",
        },
      ],
    );
  });

  it("is read by the same parser whatever its version", async () => {
    const names = [choose(INSTALLED).name, choose().name];
    const dialects = await Promise.all(
      names.map(async (name) => (await createShellLanguageLoader(name, loadGrammar)()).dialect),
    );
    assert.deepEqual(
      [names.map(isPowerShell), dialects],
      [
        [true, true],
        ["powershell", "powershell"],
      ],
    );
  });
});
