import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { TakeOutput } from "../processes/output-pipe.ts";
import { createLineFolder, type LineFolder } from "./line-folder.ts";
import { createOutputMarks, MarkedOutput, type OutputMarks } from "./marked-output.ts";
import type { LineEnd, LineRequest, PreparedLine } from "./prepared-line.ts";

const LOOK_EVERY_MS = 20;
/** Time for the rest of the output to arrive after the end. */
const DRAIN_MS = 1000;

/** Options for lines whose runner reports through files. */
interface WindowsLineOptions {
  /** Path of PowerShell. */
  readonly powerShell: string;
  /** The text that starts the runner of a folder. */
  start?(folder: string): string;
}

/**
 * Prepares a line for Windows, which has no named pipes in folders. Its runner reports through files, and its output comes from the host's
 * reports about the terminal. These may end early, but output can't forge the exit code.
 */
export async function prepareWindowsLine(
  { line, cwd, title, nonce }: LineRequest,
  { powerShell, start = buildPowerShellStart }: WindowsLineOptions,
  take: TakeOutput,
): Promise<PreparedLine> {
  const folder = await createLineFolder(isPlainWindowsPath);
  try {
    const marks = createOutputMarks(nonce);
    const texts = { ...buildPowerShellRunner(powerShell, marks), line, cwd, title };
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
