import type { OutputMarks } from "./marked-output.ts";

/** The files of a runner for PowerShell, by their names in the line's folder. */
export interface PowerShellRunner {
  /** Started by the user's shell. */
  readonly "run.ps1": string;
  /** Started by `run.ps1` for the line, so that the line has a separate process. */
  readonly "inner.ps1": string;
}

const OPTIONS = "-NoLogo -NoProfile -ExecutionPolicy Bypass -File";

/** The text that starts a runner in cmd, PowerShell and bash. */
export function buildPowerShellStart(folder: string): string {
  return `powershell.exe ${OPTIONS} "${folder}\\run.ps1"`;
}

/** The folder's name means the same between double quotes in each of these shells. */
export function isPlainWindowsPath(path: string): boolean {
  return /^[\p{L}\p{N} _.\\:~()-]+$/u.test(path);
}

/**
 * Scripts that run the line in their folder. `begin` receives the line's process, `code` its exit code, or `gone` if the line's folder
 * can't be entered. `begin` is written before the line is read, and the whole line is read before any of it runs.
 */
export function buildPowerShellRunner(powerShell: string, marks: OutputMarks): PowerShellRunner {
  return {
    "run.ps1": `# Runs one command line of AutoGPT that its user approved. It is deleted afterward.
[Console]::Out.Write([IO.File]::ReadAllText("$PSScriptRoot\\title"))
& ${quoteWord(powerShell)} ${OPTIONS} "$PSScriptRoot\\inner.ps1"
$code = $LASTEXITCODE
[Console]::Out.Write(${formatMark(marks.end)})
if (-not [IO.File]::Exists("$PSScriptRoot\\code")) {
  [IO.File]::WriteAllText("$PSScriptRoot\\code.new", "$code")
  [IO.File]::Move("$PSScriptRoot\\code.new", "$PSScriptRoot\\code")
}
exit $code
`,
    "inner.ps1": `[IO.File]::WriteAllText("$PSScriptRoot\\begin.new", "$PID")
[IO.File]::Move("$PSScriptRoot\\begin.new", "$PSScriptRoot\\begin")
$text = [IO.File]::ReadAllText("$PSScriptRoot\\line")
try { Set-Location -LiteralPath ([IO.File]::ReadAllText("$PSScriptRoot\\cwd")) -ErrorAction Stop }
catch { [IO.File]::WriteAllText("$PSScriptRoot\\code", "gone"); exit 1 }
$env:GIT_PAGER = 'cat'
$env:PAGER = 'cat'
$env:GIT_EDITOR = 'false'
$env:GIT_SEQUENCE_EDITOR = 'false'
$env:VSCODE_PREVENT_SHELL_HISTORY = $null
[Console]::Out.Write(${formatMark(marks.begin)})
$global:LASTEXITCODE = 0
. ([ScriptBlock]::Create($text))
$isDone = $?
if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
if (-not $isDone) { exit 1 }
exit 0
`,
  };
}

/** A mark as an expression, because Windows PowerShell has no escapes for its control characters. */
function formatMark(mark: string): string {
  return `([char]27 + ${quoteWord(mark.slice(1, -1))} + [char]7)`;
}

function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
