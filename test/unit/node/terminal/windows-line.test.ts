import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { quotePowerShellText } from "../../../../src/core/base/text.ts";
import { createPowerShellArguments } from "../../../../src/node/processes/powershell.ts";
import { createOutputMarks } from "../../../../src/node/terminal/marked-output.ts";
import {
  buildPowerShellRunner,
  buildPowerShellStart,
  isPlainWindowsPath,
  prepareWindowsLine,
} from "../../../../src/node/terminal/windows-line.ts";
import { terminalShells } from "../../../support/shell-terminals.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const POWER_SHELL = {
  version: "5.1",
  path: "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe",
};
const tempFolder = tempFolders();
const open = terminalShells(tempFolder);

describe("the runner for PowerShell", () => {
  const scripts = buildPowerShellRunner("git diff --quiet; echo ok", POWER_SHELL, createOutputMarks("4f2a"));

  it("is started by the same text in cmd, PowerShell and bash", () => {
    assert.equal(
      buildPowerShellStart("C:\\Users\\Jo Doe\\AppData\\Local\\Temp\\autogpt-line-x1"),
      'powershell.exe -NoLogo -NoProfile -ExecutionPolicy Bypass -File "C:\\Users\\Jo Doe\\AppData\\Local\\Temp\\autogpt-line-x1\\run.ps1"',
    );
  });

  it("is started by its folder's name where no shell changes that", () => {
    const plain = [
      "C:\\Users\\Jörg Doe",
      "C:\\Users\\JO~1",
      "C:\\Users\\O'Brien",
      "C:\\me@corp, R&D (x86)",
      "C:\\a+b=#;c",
    ];
    const others = ["C:\\$x", "C:\\%TEMP%", "C:\\a`b", 'C:\\a"b', "C:\\a“b", "C:\\a!b", "C:\\[a]", "C:\\a^b"];

    assert.deepEqual([plain.filter((path) => !isPlainWindowsPath(path)), others.filter(isPlainWindowsPath)], [[], []]);
  });

  it("is started by base64 elsewhere, wherever the folder for temporary files is", async () => {
    const temporary = join(await tempFolder(), "O’Brien's %x% [$1]");
    mkdirSync(temporary);
    const variable = process.platform === "win32" ? "TEMP" : "TMPDIR";
    const before = process.env[variable];
    process.env[variable] = temporary;
    const request = { line: "x", cwd: "C:\\", shown: "x", nonce: "4f2a", mark: { variable: "A=1", limit: 0 } };
    const prepared = await prepareWindowsLine(request, { program: POWER_SHELL }, async () => undefined).finally(() => {
      if (before === undefined) delete process.env[variable];
      else process.env[variable] = before;
    });
    await prepared.close();
    const [start = "", encoded = ""] = prepared.typed.split("-EncodedCommand ");
    const script = Buffer.from(encoded, "base64").toString("utf16le");
    const name = temporary.replaceAll(/['’]/g, "$&$&");

    assert.deepEqual(
      [start, script.replace(/autogpt-line-\w+/, "X")],
      [" powershell.exe -NoLogo -NoProfile -ExecutionPolicy Bypass ", `& '${name}${sep}X\\run.ps1'`],
    );
  });

  it("reads neither the profile nor the line before its begin is reported, and then the whole line", () => {
    const inner = scripts["inner.ps1"];
    const order = ["\\begin", "\\line", "\\cwd", ";begin", "[ScriptBlock]::Create(", "exit $LASTEXITCODE"];

    assert.deepEqual(
      [
        order.map((part) => inner.indexOf(part)).every((at, index, all) => at > (all[index - 1] ?? -1)),
        scripts["run.ps1"].includes("-NoProfile"),
      ],
      [true, true],
    );
  });

  it("runs the line in the frame of the background, so that both end with the same exit code", () => {
    const [begin = "", end = ""] = createPowerShellArguments("LINE", POWER_SHELL.version).at(-1)?.split("LINE") ?? [];
    const framed = `${quotePowerShellText(begin)} + $text + ${quotePowerShellText(end)}`;

    assert.deepEqual(
      [
        scripts["inner.ps1"].includes(`. ([ScriptBlock]::Create(${framed}))`),
        /LASTEXITCODE = 0/.test(scripts["inner.ps1"]),
      ],
      [true, false],
    );
  });

  it("reports Ctrl+C as exit code 130, although it ends both scripts", () => {
    const [before = "", after = ""] = scripts["run.ps1"].split("} finally {");

    assert.deepEqual(
      [
        /^\$code = 130\ntry \{$/m.test(before),
        /^ {2}if \(\$code -eq -1073741510\) \{ \$code = 130 \}$/m.test(after),
        after.includes('Move("$PSScriptRoot\\code.new", "$PSScriptRoot\\code")'),
      ],
      [true, true, true],
    );
  });

  it("prints titles in any language, and leaves the terminal's encoding as it was", () => {
    const order = [
      "$encoding = [Console]::OutputEncoding",
      "Text.UTF8Encoding",
      "\\title",
      "OutputEncoding = $encoding",
    ];
    const places = order.map((part) => scripts["run.ps1"].indexOf(part));

    assert.deepEqual([places.includes(-1), places.toSorted((one, other) => one - other)], [false, places]);
  });

  it("prints its marks without escapes that Windows PowerShell lacks, and reports the code by a new name", () => {
    const run = scripts["run.ps1"];

    assert.deepEqual(
      [
        run.includes("([char]27 + ']7717;4f2a;end' + [char]7)"),
        run.includes("\u001b"),
        run.includes('Move("$PSScriptRoot\\code.new", "$PSScriptRoot\\code")'),
        run.includes(`& '${POWER_SHELL.path}'`),
      ],
      [true, false, true, true],
    );
  });
});

describe("a line whose runner reports by files", () => {
  before(() => skipWithout("a POSIX shell and its programs"));
  /** Opens a terminal whose runner does in bash what the scripts do in PowerShell. */
  async function opened({ before = "", beginMs = 20_000 } = {}) {
    const start = (folder: string): string => {
      writeFileSync(join(folder, "run.sh"), `${before}\n${bashRunner(folder)}`);
      return `/bin/bash ${folder}/run.sh`;
    };
    return open("bash --norc -i", {
      beginMs,
      prepare: (request, take) => prepareWindowsLine(request, { program: POWER_SHELL, start }, take),
    });
  }

  it("has its output and its exit code", async () => {
    const { run } = await opened();

    const { result } = await run("echo one; echo two; exit 3");

    assert.deepEqual([result.ended, result.code, result.output, result.notes], ["exit", 3, "one\ntwo\n", undefined]);
  });

  it("runs after the one before it, in the same terminal", async () => {
    const { run, host } = await opened();
    await run("echo first");

    const { result } = await run("echo second");

    assert.deepEqual([result.output, host.opened.length], ["second\n", 1]);
  });

  it("isn't run when it was taken back, and a policy is named as a possible reason", async () => {
    const { run, folder } = await opened({ before: "sleep 2", beginMs: 300 });

    const { result } = await run("touch started");

    assert.deepEqual(
      [result.ended, /policy.*Constrained Language Mode/.test(result.output), existsSync(join(folder, "started"))],
      ["failed", true, false],
    );
  });

  it("isn't run when its folder can't be entered", async () => {
    const { run, folder } = await opened();

    const { result } = await run("echo on", { cwd: join(folder, "gone") });

    assert.match(result.output, /can't be entered/);
  });

  it("ends when it's stopped", async () => {
    const { run } = await opened();
    const stop = new AbortController();

    const { result } = await run("echo on; sleep 600", {
      signal: stop.signal,
      heard: () => stop.abort(),
    });

    assert.equal(result.ended, "stopped");
  });
});

function bashRunner(folder: string): string {
  const nonce = /7717;(\w+);end/.exec(readFileSync(join(folder, "run.ps1"), "utf8"))?.[1] ?? "";
  const inner = [
    `echo $$ >${folder}/begin.new; mv ${folder}/begin.new ${folder}/begin`,
    `line=$(cat ${folder}/line) || exit 1`,
    `cd "$(cat ${folder}/cwd)" || { printf gone >${folder}/code; exit 1; }`,
    `printf '\\033]7717;${nonce};begin\\007'`,
    `exec bash -c "$line"`,
  ];
  writeFileSync(join(folder, "inner.sh"), inner.join("\n"));
  return [
    `cat ${folder}/title`,
    `trap : INT; bash ${folder}/inner.sh; code=$?`,
    `printf '\\033]7717;${nonce};end\\007'`,
    `[ -e ${folder}/code ] || { printf %s $code >${folder}/code.new; mv ${folder}/code.new ${folder}/code; }`,
  ].join("\n");
}
