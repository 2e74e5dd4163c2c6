import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { waitOrAbort } from "../../core/base/async.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { ApprovedPlace, Shell, ShellResult } from "../../core/ports/programs.ts";
import { displayText } from "../../texts/display-text.ts";
import { CapturedOutput } from "../processes/captured-output.ts";
import type { TakeOutput } from "../processes/output-pipe.ts";
import { getOutputFile } from "../processes/outputs.ts";
import { createProcessMark, createProcessTree, type ProcessMark } from "../processes/process-tree.ts";
import { chooseShellProgram } from "../processes/programs.ts";
import type { LineTerminal, LineTerminals } from "./line-terminals.ts";
import { findRunnerPrograms } from "./posix-runner.ts";
import { type LineRequest, type PreparedLine, preparePosixLine } from "./prepared-line.ts";
import { prepareWindowsLine } from "./windows-line.ts";

/** Prepares a line so that a short text starts it in any shell of the system. */
export type PrepareLine = (request: LineRequest, take: TakeOutput) => Promise<PreparedLine>;

/** Options of a shell whose approved lines run in terminals. */
interface TerminalShellOptions {
  /** Folder of the full outputs, one file per step. Its name is the run's. */
  readonly outputFolder: string;
  readonly terminals: LineTerminals;
  readonly prepare: PrepareLine;
  /** `auto`: once a terminal couldn't start a line, later lines run in the background. */
  readonly use: "auto" | "integrated";
  /** Time for the terminal's shell to start a typed line. */
  readonly beginMs?: number;
  /** Removes secrets from a text before it's saved or shown. */
  redact(text: string): string;
}

/**
 * How to prepare lines on this system; undefined if a program for that is missing. On Windows, only if the user explicitly wants it, since
 * it hasn't been tested there. For `env`, see `chooseShellProgram`.
 */
export async function findLinePreparation(
  use: TerminalShellOptions["use"],
  env: NodeJS.ProcessEnv = process.env,
  platform = process.platform,
): Promise<PrepareLine | undefined> {
  if (platform === "win32") {
    const program = chooseShellProgram(env, platform);
    return use === "integrated" ? (request, take) => prepareWindowsLine(request, { program }, take) : undefined;
  }
  const programs = await findRunnerPrograms(env, platform);
  return programs && ((request, take) => preparePosixLine(request, programs, take));
}

/** Longer lines don't fit into a program's arguments. */
const LONGEST_LINE_BYTES = 100_000;

/** Creates a shell that runs lines approved on their card in terminals, and all others in `clean`. */
export function createTerminalShell(clean: Shell, options: TerminalShellOptions): Shell {
  const { terminals, use } = options;
  const canUseTerminal = (line: string): boolean =>
    Buffer.byteLength(line) <= LONGEST_LINE_BYTES && (use === "integrated" || terminals.trouble === undefined);
  return {
    name: clean.name,
    version: clean.version,
    describeApprovedPlace: (line) => (canUseTerminal(line) ? describePlace(terminals.place) : undefined),
    run: (line, running) =>
      running.approvedByUser && canUseTerminal(line) ? runInTerminal(line, running, options) : clean.run(line, running),
  };
}

function describePlace({ shell, describeEnvironment }: LineTerminals["place"]): ApprovedPlace {
  return {
    place: displayText("approval.inTerminal", { shell }),
    ...omitUndefined({ remark: describeEnvironment?.() }),
  };
}

/** Enough for a slow start of the user's shell. */
const BEGIN_MS = 10_000;
/** Time for a runner to end after its line. */
const OVER_MS = 2000;
/** Runs a line in one of the terminals. No process that it starts outlives it. */
async function runInTerminal(
  line: string,
  options: LineOptions,
  { outputFolder, terminals, prepare, use, redact, beginMs = BEGIN_MS }: TerminalShellOptions,
): Promise<ShellResult> {
  const { cwd, step, signal, reportOutput } = options;
  const taken = await terminals.take(basename(outputFolder), cwd, signal);
  const captured = new CapturedOutput(getOutputFile(outputFolder, step), redact);
  const mark = createProcessMark();
  const shown = escapeInvisible(redact(line));
  const request = { line, cwd, shown, nonce: randomBytes(16).toString("hex"), mark };
  const take = async (bytes: Buffer): Promise<void> => reportOutput(await captured.add(bytes));
  let prepared: PreparedLine | undefined;
  let isUsable = false;
  try {
    prepared = await prepare(request, take);
    if (prepared.read && !taken.terminal.isReadable) return createFailure(NOT_READABLE);
    const end = await follow({ terminal: taken.terminal, prepared, mark, beginMs }, options);
    isUsable = end.ended !== "notStarted";
    switch (end.ended) {
      case "notStarted":
        terminals.trouble = NOT_STARTED;
        return createFailure(
          [NOT_STARTED, prepared.hint, use === "auto" ? NOW_IN_BACKGROUND : ASK_USER]
            .filter((sentence) => sentence !== undefined)
            .join(" "),
        );
      case "noFolder":
        return createFailure(`The folder ${cwd} can't be entered from the terminal, so nothing was run.`);
      default:
        return { ...end, ended: end.ended, ...(await captured.finish()) };
    }
  } finally {
    taken.release(isOver(taken.terminal, prepared, isUsable));
  }
}

const NOT_STARTED =
  "The terminal was closed, or its shell didn't start the line in time, so it was taken back and nothing was run.";
const NOW_IN_BACKGROUND = "Run it again: it then runs in the background, and its card says so.";
const ASK_USER =
  "The user can run lines in the background with the setting autogpt.shell.terminal: ask before you run it again.";
const NOT_READABLE = `VS Code can't read this terminal, because its shell integration didn't start, so nothing was run. ${ASK_USER}`;

function createFailure(output: string): ShellResult {
  return { ended: "failed", output, bytes: 0 };
}

/** Whether a terminal can be used again, once its line's runner has ended. */
async function isOver(terminal: LineTerminal, prepared: PreparedLine | undefined, isUsable: boolean): Promise<boolean> {
  const over = Promise.race([prepared?.over.then(() => true), terminal.closed, wait(OVER_MS)]);
  const ended = isUsable && (await over) === true;
  await prepared?.close();
  return ended && !terminal.isClosed;
}

/** Time for a line to end after Ctrl+C. */
const INTERRUPT_MS = 500;
/** Time for processes to end on their own after their line. */
const SETTLE_MS = 250;
/** Time for a line to end after its processes were killed. */
const KILLED_MS = 2000;
/** Time for the host to report a closed terminal. */
const CLOSED_MS = 500;

type LineOptions = Parameters<Shell["run"]>[1];

/** How a typed line ended: like any other, or without having been run. */
type TypedEnd = Pick<ShellResult, "code" | "leftBehind" | "seconds" | "notes"> & {
  readonly ended: Exclude<ShellResult["ended"], "failed"> | "notStarted" | "noFolder";
};

/** A line to type. */
interface TypedLine {
  readonly terminal: LineTerminal;
  readonly prepared: PreparedLine;
  readonly mark: ProcessMark;
  readonly beginMs: number;
}

/** Types a line and follows it to its end. All of its processes have ended when this resolves. */
async function follow(
  { terminal, prepared, mark, beginMs }: TypedLine,
  { timeoutSeconds, signal }: LineOptions,
): Promise<TypedEnd> {
  const closed = terminal.closed.then(() => "closed" as const);
  const printed = terminal.type(prepared.typed);
  if (printed) prepared.read?.(printed);
  const late = wait(beginMs, "late" as const, { ref: false });
  const begun = await waitOrAbort(Promise.race([prepared.begun, closed, late]), signal);
  // A line that began at this very moment is followed like any other.
  if (typeof begun !== "number" && (await prepared.withdraw())) {
    if (begun !== "closed") terminal.interrupt();
    return { ended: begun === "aborted" ? "stopped" : "notStarted" };
  }
  const tree = createProcessTree(await prepared.begun, mark);
  const startedAt = performance.now();
  const measureSeconds = (): number => (performance.now() - startedAt) / 1000;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.round(timeoutSeconds * 1000))]);
  const end = await waitOrAbort(Promise.race([prepared.ended, closed]), limit);
  if (end === "aborted") {
    terminal.interrupt();
    await Promise.race([prepared.ended, closed, wait(INTERRUPT_MS)]);
    await tree.end();
    await Promise.race([prepared.ended, closed, wait(KILLED_MS)]);
    await prepared.dismiss();
    return { ended: signal.aborted ? "stopped" : "timeout", seconds: measureSeconds() };
  }
  if (end !== "closed" && end.kind === "code") {
    const took = measureSeconds();
    await tree.settle(SETTLE_MS);
    const leftBehind = await tree.end();
    await prepared.dismiss();
    return {
      ended: "exit",
      code: end.code,
      seconds: took,
      ...(leftBehind > 0 ? { leftBehind } : {}),
      ...(end.isCut ? { notes: [CUT] } : {}),
    };
  }
  await tree.end();
  await prepared.dismiss();
  if (end !== "closed" && end.kind === "noFolder") return { ended: "noFolder" };
  // Its runner ends a moment before the host knows that the terminal was closed.
  const isClosed = await Promise.race([closed, wait(CLOSED_MS, undefined)]);
  return { ended: isClosed ? "closed" : "exit", seconds: measureSeconds() };
}

const CUT = "A part of its output is missing, because VS Code stopped reporting it.";
