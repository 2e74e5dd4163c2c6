import assert from "node:assert/strict";
import { Language, type Node, Parser } from "web-tree-sitter";
import { buildShellCommandLine } from "../../../../src/commands/shell/run-python.ts";
import { OLD_POWERSHELL } from "../../../../src/core/ports/programs.ts";
import { loadGrammar } from "../../../../src/headless/workers.ts";
import { createPowerShellArguments, wrapPowerShellLine } from "../../../../src/node/processes/powershell.ts";
import { chooseShellProgram } from "../../../../src/node/processes/programs.ts";

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
    assert.deepEqual(createPowerShellArguments("git diff --quiet; echo ok"), [
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
    const writes = [undefined, OLD_POWERSHELL].map((version) =>
      wrapPowerShellLine("echo x > f", version).begin.includes(
        "$PSDefaultParameterValues['Out-File:Encoding'] = 'utf8'",
      ),
    );
    assert.deepEqual(writes, [false, true]);
  });

  it("comes first if PowerShell takes it only there", () => {
    const begins = ["using namespace System.IO\n[File]", " param($a) $a", "Using-It", "echo param"].map(
      (line) => wrapPowerShellLine(line).begin === "",
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
      const { begin, end } = wrapPowerShellLine(line, OLD_POWERSHELL);
      return parse(begin + line + end, 1);
    });

    assert.deepEqual(
      framed,
      AWKWARD.map((line) => parse(line)),
    );
  });
});

describe("words for PowerShell", () => {
  it("stay one word with straight and curly quotes", () => {
    const words = ["C:\\O’Brien\\python.exe", "it's", "’; calc; ‘"];
    const quoted = "& 'C:\\O’’Brien\\python.exe' 'it''s' '’’; calc; ‘‘'";

    assert.equal(buildShellCommandLine(words, "PowerShell"), quoted);
  });
});

describe("PowerShell", () => {
  const INSTALLED = "C:\\Program Files\\PowerShell\\7\\pwsh.exe";
  const ENV = { SYSTEMROOT: "C:\\Windows", ProgramFiles: "C:\\Program Files", Path: "C:\\Windows;.;bin;D:\\tools" };
  const choose = (...there: readonly string[]) => {
    const { name, path, version } = chooseShellProgram(ENV, "win32", (file) => there.includes(file));
    return { name, path, version };
  };

  it("is version 7 where that is installed, and otherwise the one of Windows, whose version is known", () => {
    assert.deepEqual(
      [choose(INSTALLED, "D:\\tools\\pwsh.exe"), choose("D:\\tools\\pwsh.exe"), choose("bin\\pwsh.exe", "pwsh.exe")],
      [
        { name: "PowerShell", path: INSTALLED, version: undefined },
        { name: "PowerShell", path: "D:\\tools\\pwsh.exe", version: undefined },
        {
          name: "PowerShell",
          version: OLD_POWERSHELL,
          path: "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe",
        },
      ],
    );
  });
});
