import { write } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { limitToOneCall, waitForSettled } from "../../core/base/async.ts";
import {
  closeEnd,
  type OutputReader,
  openPipe,
  type Pipe,
  readPipe,
  type TakeOutput,
} from "../processes/output-pipe.ts";
import type { ProcessMark } from "../processes/process-tree.ts";
import { createLineFolder, type LineFolder } from "./line-folder.ts";
import { createCommandMark, createOutputMarks, formatTitle, MarkedOutput } from "./marked-output.ts";
import { buildPosixRunner, formatRunnerStart, type PosixPrograms } from "./posix-runner.ts";

/** How a line ended: with a code; without starting, since its folder is gone; or unknown, since its runner ended first. */
export type LineEnd =
  | {
      readonly kind: "code";
      readonly code: number /** A part of the output is missing. */;
      readonly isCut?: true;
    }
  | { readonly kind: "noFolder" }
  | { readonly kind: "lost" };

/** A line in its folder, ready to be started by the typed text. */
export interface PreparedLine {
  /** Text to type in any shell. */
  readonly typed: string;
  /** Reads its output from the terminal's, for runners without another way. */
  read?(output: AsyncIterable<string>): void;
  /** Resolves with the line's process once it has started. */
  readonly begun: Promise<number>;
  /** A sentence about why it may not have started. */
  readonly hint?: string;
  /** Resolves once all of its output was taken. */
  readonly ended: Promise<LineEnd>;
  /** Resolves when the runner has released the terminal. */
  readonly over: Promise<unknown>;
  /** Removes the line. Returns false if it has already started. */
  withdraw(): Promise<boolean>;
  /** Lets the runner end after its line has ended. */
  dismiss(): Promise<void>;
  close(): Promise<void>;
}

/** A line with the runner's title and requirements. */
export interface LineRequest {
  readonly line: string;
  /** Real path. */
  readonly cwd: string;
  /** The line as it may be displayed, without secrets and hidden characters. */
  readonly shown: string;
  readonly nonce: string;
  readonly mark: ProcessMark;
}

/** How long to wait for the rest of the output after the line's end. */
const DRAIN_MS = 1000;

/** Prepares a line for Linux or macOS. Its output and its exit code come through pipes, and output can't forge the code. */
export async function preparePosixLine(
  { line, cwd, shown, nonce, mark }: LineRequest,
  programs: PosixPrograms,
  take: TakeOutput,
): Promise<PreparedLine> {
  const folder = await createLineFolder();
  try {
    const marks = createOutputMarks(nonce);
    const runner = buildPosixRunner({ ...programs, folder: folder.path, marks, mark });
    const title = `${createCommandMark(shown)}${formatTitle(shown)}`;
    const texts = Object.entries({ run: runner, line, cwd, title });
    await Promise.all([
      folder.createPipes("control", "output", "dismissal"),
      ...texts.map(([name, text]) => folder.write(name, text)),
    ]);
    const output = await openMarkedPipe(join(folder.path, "output"), new MarkedOutput(marks), take);
    const control = await openControlPipe(join(folder.path, "control"));
    const dismissal = await openPipe(join(folder.path, "dismissal"));
    return createPosixLine(folder, formatRunnerStart(programs.bash, folder.path, shown), {
      output,
      control,
      dismissal,
    });
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

interface LinePipes {
  readonly output: MarkedPipe;
  readonly control: ControlPipe;
  readonly dismissal: Pipe;
}

function createPosixLine(folder: LineFolder, start: string, { output, control, dismissal }: LinePipes): PreparedLine {
  const dismiss = limitToOneCall(async () => {
    await promisify(write)(dismissal.writeEnd, "\n");
  });
  const begun = control.begun.then(async (pid) => {
    await Promise.all([control.release(), output.release()]);
    return pid;
  });
  const ended = control.ended.then(async (end) => {
    if (end.kind !== "noFolder") await output.complete(DRAIN_MS);
    return end;
  });
  return {
    // A space in front keeps it out of the history of many shells.
    typed: ` ${start}`,
    begun,
    ended,
    over: control.over,
    async withdraw() {
      await folder.withdraw("line");
      // A line that has been read has reported its begin before, so that report is in the pipe by now.
      return !(await control.hasBegun());
    },
    dismiss,
    async close() {
      await dismiss();
      await Promise.all([control.close(), output.close(), closeEnd(dismissal.readEnd), closeEnd(dismissal.writeEnd)]);
      await folder.remove();
    },
  };
}

interface MarkedPipe {
  release(): Promise<void>;
  /** Resolves when the output is complete, or when no more can arrive. */
  complete(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

async function openMarkedPipe(path: string, marked: MarkedOutput, take: TakeOutput): Promise<MarkedPipe> {
  const pipe = await openPipe(path);
  const complete = Promise.withResolvers<void>();
  const reader = readPipe(pipe, async (bytes) => {
    if (marked.isOver) return;
    const printed = marked.add(bytes);
    if (printed.length > 0) await take(printed);
    if (marked.isOver) complete.resolve();
  });
  const release = limitToOneCall(() => closeEnd(pipe.writeEnd));
  return {
    release,
    async complete(withinMs) {
      await waitForSettled(Promise.race([complete.promise, reader.ended]), withinMs);
      const rest = marked.finish();
      if (rest.length > 0) await take(rest);
    },
    close: () => closeReader(reader, release),
  };
}

interface ControlPipe {
  readonly begun: Promise<number>;
  readonly ended: Promise<LineEnd>;
  /** Resolves when no runner holds it open anymore. */
  readonly over: Promise<unknown>;
  /** Whether the begin was reported before this call. */
  hasBegun(): Promise<boolean>;
  release(): Promise<void>;
  close(): Promise<void>;
}

async function openControlPipe(path: string): Promise<ControlPipe> {
  const pipe = await openPipe(path);
  const begun = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<LineEnd>();
  const told = { text: "", hasBegun: false };
  const reader = readPipe(pipe, async (bytes) => {
    const lines = (told.text + bytes.toString("latin1")).split("\n");
    told.text = lines.pop() ?? "";
    for (const line of lines) {
      const [word, number] = line.split(" ");
      if (word === "begin") {
        told.hasBegun = true;
        begun.resolve(Number(number));
      } else if (word === "gone") ended.resolve({ kind: "noFolder" });
      else if (word === "code") ended.resolve({ kind: "code", code: Number(number) });
    }
  });
  void reader.ended.then(() => ended.resolve({ kind: "lost" }));
  const release = limitToOneCall(() => closeEnd(pipe.writeEnd));
  return {
    begun: begun.promise,
    ended: ended.promise,
    over: reader.ended,
    async hasBegun() {
      await waitForSettled(begun.promise, ARRIVES_MS);
      return told.hasBegun;
    },
    release,
    close: () => closeReader(reader, release),
  };
}

/** How long to wait for a pipe's content to be read. */
const ARRIVES_MS = 250;

async function closeReader(reader: OutputReader, release: () => Promise<void>): Promise<void> {
  await release();
  reader.close();
  await reader.ended;
}
