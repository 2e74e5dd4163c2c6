import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { untilAborted } from "../../core/base/async.ts";
import { visible } from "../../core/base/text.ts";
import type { Shell, ShellResult } from "../../core/ports/programs.ts";
import { CapturedOutput } from "../processes/captured-output.ts";
import { outputFile } from "../processes/outputs.ts";
import { newProcessMark, type ProcessMark, processTree } from "../processes/process-tree.ts";
import type { LineTerminal, LineTerminals } from "./line-terminals.ts";
import type { PosixPrograms } from "./posix-runner.ts";
import { type PreparedLine, preparePosixLine } from "./prepared-line.ts";

/** Options of a shell whose approved lines run in terminals. */
export interface TerminalShellOptions {
  /** Folder of the full outputs, one file per step; its name is that of the run. */
  readonly outputFolder: string;
  readonly terminals: LineTerminals;
  readonly programs: PosixPrograms;
  /** `auto`: once a terminal couldn't start a line, later lines run in the background. */
  readonly use: "auto" | "integrated";
  /** Time for the terminal's shell to start a typed line. */
  readonly beginMs?: number;
  /** Removes secrets from a text before it's saved or shown. */
  redact(text: string): string;
}

/** A longer line doesn't fit into the arguments of a program. */
const LONGEST_LINE_BYTES = 100_000;

/** Runs lines that a person approved on their card in terminals, and all others in `clean`. */
export function approvedInTerminal(clean: Shell, options: TerminalShellOptions): Shell {
  const { terminals, use } = options;
  const fits = (line: string): boolean =>
    Buffer.byteLength(line) <= LONGEST_LINE_BYTES &&
    (use === "integrated" || terminals.trouble === undefined);
  return {
    name: clean.name,
    approvedPlace: (line) => (fits(line) ? placeSentence(terminals.place) : undefined),
    run: (line, running) =>
      running.approvedByUser && fits(line) ? runInTerminal(line, running, options) : clean.run(line, running),
  };
}

function placeSentence({ shell, remark }: LineTerminals["place"]): string {
  const sentence = `If you approve it, it runs in a visible terminal of ${shell}: you can type into it, and it can read the environment there.`;
  const more = remark?.();
  return more === undefined ? sentence : `${sentence} ${more}`;
}

/** Enough for a slow start of the user's shell. */
const BEGIN_MS = 10_000;
/** Time for a line to end after Ctrl+C. */
const INTERRUPT_MS = 2000;
/** Time for processes to end on their own after their line. */
const SETTLE_MS = 250;
/** Time for a runner to end after its line. */
const OVER_MS = 2000;
/** Time for the host to report a closed terminal. */
const CLOSED_MS = 500;
/** Of a longer line, only the beginning is shown above its output. */
const TITLE_CHARACTERS = 2000;

type RunOptions = Parameters<Shell["run"]>[1];
type Ending = Pick<ShellResult, "code" | "ended" | "leftBehind" | "seconds"> & { readonly why?: string };

/** Runs a line in one of the terminals. Nothing that it starts outlives it. */
async function runInTerminal(
  line: string,
  options: RunOptions,
  { outputFolder, terminals, programs, redact, beginMs = BEGIN_MS }: TerminalShellOptions,
): Promise<ShellResult> {
  const { cwd, step, signal, output } = options;
  const taken = await terminals.take(basename(outputFolder), cwd, signal);
  const captured = new CapturedOutput(outputFile(outputFolder, step), redact);
  const mark = newProcessMark();
  const title = `\u001b[1m$ ${visible(redact(line).slice(0, TITLE_CHARACTERS))}\u001b[0m\n`;
  const request = { line, cwd, title, nonce: randomBytes(16).toString("hex"), mark };
  const take = async (bytes: Buffer): Promise<void> => output(await captured.add(bytes));
  let prepared: PreparedLine | undefined;
  let isUsable = false;
  try {
    prepared = await preparePosixLine(request, programs, take);
    const { why, ...ending } = await follow({ terminal: taken.terminal, prepared, mark, beginMs }, options);
    isUsable = ending.ended !== "failed";
    if (why === undefined) return { ...ending, ...(await captured.finish()) };
    terminals.trouble = why;
    return { ended: "failed", output: why, bytes: 0 };
  } finally {
    taken.release(isOver(taken.terminal, prepared, isUsable));
  }
}

/** A line that is about to be typed. */
interface TypedLine {
  readonly terminal: LineTerminal;
  readonly prepared: PreparedLine;
  readonly mark: ProcessMark;
  readonly beginMs: number;
}

/** Types a line and follows it to its end. All of its processes have ended when this resolves. */
async function follow(
  { terminal, prepared, mark, beginMs }: TypedLine,
  { timeoutSeconds, signal, cwd }: RunOptions,
): Promise<Ending> {
  const closed = terminal.closed.then(() => "closed" as const);
  terminal.type(prepared.typed);
  const late = wait(beginMs, "late" as const, { ref: false });
  const begun = await orAborted(Promise.race([prepared.begun, closed, late]), signal);
  // A line that began at this very moment is followed like any other.
  if (typeof begun !== "number" && (await prepared.withdraw())) {
    if (begun !== "closed") terminal.interrupt();
    if (begun === "late") return { ended: "failed", why: NOT_STARTED };
    return { ended: begun === "closed" ? "closed" : "stopped" };
  }
  const tree = processTree(await prepared.begun, mark);
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.round(timeoutSeconds * 1000))]);
  const end = await orAborted(Promise.race([prepared.ended, closed]), limit);
  if (end === "aborted") {
    terminal.interrupt();
    await Promise.race([prepared.ended, closed, wait(INTERRUPT_MS)]);
    await tree.end();
    await Promise.race([prepared.ended, closed, wait(OVER_MS)]);
    await prepared.dismiss();
    return { ended: signal.aborted ? "stopped" : "timeout", seconds: seconds() };
  }
  if (end !== "closed" && end.kind === "code") {
    const took = seconds();
    await tree.settle(SETTLE_MS);
    const leftBehind = await tree.end();
    await prepared.dismiss();
    return { ended: "exit", code: end.code, seconds: took, ...(leftBehind > 0 ? { leftBehind } : {}) };
  }
  await tree.end();
  if (end !== "closed" && end.kind === "noFolder")
    return {
      ended: "failed",
      why: `The folder ${cwd} can't be entered from the terminal, so nothing was run.`,
    };
  // Its runner ends a moment before the host knows that the terminal was closed.
  const isClosed = await Promise.race([closed, wait(CLOSED_MS, undefined)]);
  return { ended: isClosed ? "closed" : "exit", seconds: seconds() };
}

const NOT_STARTED =
  "The terminal's shell didn't start the line in time, so it was taken back and nothing was run. Run it again: it then runs in the background, and the user is shown so.";

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  return untilAborted(promise, signal).catch((error: unknown) => {
    if (signal.aborted) return "aborted";
    throw error;
  });
}

/** Whether a terminal can be used again, once its line's runner has ended. */
async function isOver(
  terminal: LineTerminal,
  prepared: PreparedLine | undefined,
  isUsable: boolean,
): Promise<boolean> {
  const over = Promise.race([prepared?.over.then(() => true), terminal.closed, wait(OVER_MS)]);
  const ended = isUsable && (await over) === true;
  await prepared?.close();
  return ended && !terminal.isClosed;
}
