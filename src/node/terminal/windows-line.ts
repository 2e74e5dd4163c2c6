import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { quotePowerShellText } from "../../core/base/text.ts";
import type { TakeOutput } from "../processes/output-pipe.ts";
import { POWERSHELL_OPTIONS, wrapPowerShellLine } from "../processes/powershell.ts";
import type { ShellProgram } from "../processes/programs.ts";
import { createLineFolder, type LineFolder } from "./line-folder.ts";
import { createOutputMarks, formatTitle, MarkedOutput, type OutputMarks } from "./marked-output.ts";
import type { LineEnd, LineRequest, PreparedLine } from "./prepared-line.ts";

const LOOK_EVERY_MS = 20;
/** Time for the rest of the output to arrive after the end. */
const DRAIN_MS = 1000;

/** Options for lines whose runner reports through files. */
interface WindowsLineOptions {
  /** The PowerShell that runs the line. */
  readonly program: Pick<ShellProgram, "path" | "version">;
  /** The text that starts the runner of a folder. */
  start?(folder: string): string;
}

/**
 * Prepares a line for Windows, which has no named pipes in folders. Its runner reports through files, and its output comes from the host's
 * reports about the terminal. These may end early, but output can't forge the exit code.
 */
export async function prepareWindowsLine(
  { line, cwd, shown, nonce }: LineRequest,
  { program, start = buildPowerShellStart }: WindowsLineOptions,
  take: TakeOutput,
): Promise<PreparedLine> {
  // The start can name any folder.
  const folder = await createLineFolder(() => true);
  try {
    const marks = createOutputMarks(nonce);
    const texts = { ...buildPowerShellRunner(line, program, marks), line, cwd, title: formatTitle(shown) };
    for (const [name, text] of Object.entries(texts))
      await folder.write(name, name.endsWith(".ps1") ? `\ufeff${text}` : text);
    return createWindowsLine(folder, ` ${start(folder.path)}`, new MarkedOutput(marks), take);
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

function createWindowsLine(folder: LineFolder, typed: string, marked: MarkedOutput, take: TakeOutput): PreparedLine {
  const closing = new AbortController();
  const awaitReport = (name: string): Promise<string> => readReport(join(folder.path, name), closing.signal);
  const begun = awaitReport("begin").then(Number);
  const reading = Promise.withResolvers<void>();
  const follow = async (output: AsyncIterable<string>): Promise<void> => {
    for await (const chunk of output) {
      const printed = marked.add(Buffer.from(chunk));
      if (printed.length > 0) await take(printed);
      if (marked.isOver) return;
    }
  };
  const ended = (async (): Promise<LineEnd> => {
    const pid = await begun;
    const code = await Promise.race([awaitReport("code"), waitForEnd(pid, closing.signal)]);
    if (code === "gone") return { kind: "noFolder" };
    await Promise.race([reading.promise, wait(DRAIN_MS)]);
    const rest = marked.finish();
    if (rest.length > 0) await take(rest);
    return code === undefined
      ? { kind: "lost" }
      : { kind: "code", code: Number(code), ...(marked.isOver ? {} : { isCut: true }) };
  })();
  return {
    typed,
    read: (output) =>
      void follow(output)
        .catch(() => undefined)
        .then(reading.resolve),
    begun,
    hint: MAYBE_FORBIDDEN,
    ended,
    over: ended,
    async withdraw() {
      await folder.withdraw("line");
      const hasBegun = access(join(folder.path, "begin")).then(() => true);
      return !(await hasBegun.catch(() => false));
    },
    dismiss: async () => undefined,
    async close() {
      closing.abort();
      await folder.remove();
    },
  };
}

const MAYBE_FORBIDDEN =
  "The reason may be a policy of this machine for PowerShell: the runner's scripts don't run in its Constrained Language Mode, or where scripts must be signed.";

/** The content of a file once it exists. Never settles after `signal` was aborted. */
async function readReport(path: string, signal: AbortSignal): Promise<string> {
  while (!signal.aborted) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text !== "") return text.trim();
    await wait(LOOK_EVERY_MS);
  }
  return new Promise(() => undefined);
}

/** Resolves when a process has ended and no report has followed for a while. */
async function waitForEnd(pid: number, signal: AbortSignal): Promise<undefined> {
  while (!signal.aborted && isRunning(pid)) await wait(LOOK_EVERY_MS);
  await wait(DRAIN_MS);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The files of a runner for PowerShell, by their names in the line's folder. */
interface PowerShellRunner {
  /** Started by the user's shell. */
  readonly "run.ps1": string;
  /** Started by `run.ps1` for the line, so that the line has a separate process. */
  readonly "inner.ps1": string;
}

const OPTIONS = POWERSHELL_OPTIONS.join(" ");

/** The text that starts a runner in cmd, PowerShell and bash. A folder that they would read differently is given in base64. */
export function buildPowerShellStart(folder: string): string {
  const script = `${folder}\\run.ps1`;
  if (isPlainWindowsPath(folder)) return `powershell.exe ${OPTIONS} -File "${script}"`;
  const encoded = Buffer.from(`& ${quotePowerShellText(script)}`, "utf16le").toString("base64");
  return `powershell.exe ${OPTIONS} -EncodedCommand ${encoded}`;
}

/** The folder's name means the same between double quotes in each of these shells. */
export function isPlainWindowsPath(path: string): boolean {
  return /^[\p{L}\p{N} _.\\:~()'&@+,#=;-]+$/u.test(path);
}

/**
 * Scripts that run the line in their folder. `begin` receives the line's process, `code` its exit code, or `gone` if the line's folder
 * can't be entered. `begin` is written before the line is read, and the whole line is read before any of it runs. Ctrl+C ends both scripts;
 * `run.ps1` still reports that, as shells do.
 */
export function buildPowerShellRunner(
  line: string,
  { path, version }: Pick<ShellProgram, "path" | "version">,
  marks: OutputMarks,
): PowerShellRunner {
  const { begin, end } = wrapPowerShellLine(line, version);
  return {
    "run.ps1": `# Runs one command line of AutoGPT that its user approved. It is deleted afterward.
$encoding = [Console]::OutputEncoding
$code = ${INTERRUPTED}
try {
  try { [Console]::OutputEncoding = New-Object Text.UTF8Encoding $false } catch { }
  $env:PSModulePath = $null
  [Console]::Out.Write([IO.File]::ReadAllText("$PSScriptRoot\\title"))
  & ${quotePowerShellText(path)} ${OPTIONS} -File "$PSScriptRoot\\inner.ps1"
  $code = $LASTEXITCODE
} finally {
  if ($code -eq ${ENDED_BY_CTRL_C}) { $code = ${INTERRUPTED} }
  [Console]::Out.Write(${formatMark(marks.end)})
  if (-not [IO.File]::Exists("$PSScriptRoot\\code")) {
    [IO.File]::WriteAllText("$PSScriptRoot\\code.new", "$code")
    [IO.File]::Move("$PSScriptRoot\\code.new", "$PSScriptRoot\\code")
  }
  try { [Console]::OutputEncoding = $encoding } catch { }
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
if (-not $env:PYTHONUTF8) { $env:PYTHONUTF8 = '1' }
if (-not $env:PYTHONIOENCODING) { $env:PYTHONIOENCODING = 'utf-8' }
$env:VSCODE_PREVENT_SHELL_HISTORY = $null
[Console]::Out.Write(${formatMark(marks.begin)})
. ([ScriptBlock]::Create(${quotePowerShellText(begin)} + $text + ${quotePowerShellText(end)}))
if (-not $?) { exit 1 }
`,
  };
}

/** A shell's exit code after Ctrl+C. */
const INTERRUPTED = 130;
/** Windows' exit code of a program that Ctrl+C ended. */
const ENDED_BY_CTRL_C = -1_073_741_510;

/** A mark as an expression, because Windows PowerShell has no escapes for its control characters. */
function formatMark(mark: string): string {
  return `([char]27 + ${quotePowerShellText(mark.slice(1, -1))} + [char]7)`;
}
