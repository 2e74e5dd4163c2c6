import { OLD_POWERSHELL } from "../../core/ports/programs.ts";

/** Text around a command line, without which it would end otherwise or print other bytes. */
interface PowerShellFrame {
  readonly begin: string;
  readonly end: string;
}

/** Output is UTF-8, also of programs that ask the console. Where policies forbid .NET's classes, nothing changes. */
const UTF8 = "[Console]::OutputEncoding = $OutputEncoding = New-Object Text.UTF8Encoding $false";

/** Otherwise, `>` writes UTF-16 in version 5.1. */
const UTF8_FILES = "$PSDefaultParameterValues['Out-File:Encoding'] = 'utf8'; ";

/** After a last command that failed, the program's own exit code counts. Without this, PowerShell makes it 1. */
const END = "\n;if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1 }";

/**
 * The text to run around a command line. The line itself is run as it is, at the top level of the same script. So quotes, comments, `exit`
 * and `$input` mean the same as without the frame. The semicolons keep a line that begins with `|` or `else`, or ends with a backtick or
 * `&&`, from joining the frame. It also closes no quote, comment or brace of the line. Nothing catches the line's errors, since commands
 * after an error would then be skipped. After success there is no `exit`, which may lose the output that PowerShell is still formatting.
 */
export function wrapPowerShellLine(line: string, version?: string): PowerShellFrame {
  // These must come first in a script.
  if (/^\s*(?:using\s|param\s*\()/i.test(line)) return { begin: "", end: END };
  const files = version === OLD_POWERSHELL ? UTF8_FILES : "";
  return { begin: `try { ${files}${UTF8} } catch { };\n`, end: END };
}

/** Options of every start. Only for this process, scripts such as `npm.ps1` may run, which Windows forbids by default. */
export const POWERSHELL_OPTIONS: readonly string[] = ["-NoLogo", "-NoProfile", "-ExecutionPolicy", "Bypass"];

/** The arguments that run a command line. */
export function createPowerShellArguments(line: string, version?: string): readonly string[] {
  const { begin, end } = wrapPowerShellLine(line, version);
  return [...POWERSHELL_OPTIONS, "-NonInteractive", "-Command", begin + line + end];
}
