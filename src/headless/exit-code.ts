import type { Writable } from "node:stream";
import { assertNever } from "../core/base/errors.ts";
import type { RunEnd } from "../core/commands/outcome.ts";

/** How the program ended. */
export type ProgramEnd =
  /** The end of a run. */
  | { readonly kind: "run"; readonly end: RunEnd }
  /** Of many runs, the worst end. */
  | { readonly kind: "batch"; readonly worst: RunEnd["reason"] }
  /** A measurement of many runs. */
  | { readonly kind: "measured"; readonly allPassed: boolean }
  /** A review of changes. */
  | { readonly kind: "reviewed"; readonly findings: number; readonly isIncomplete: boolean }
  /** Another requested action, such as listing runs. */
  | { readonly kind: "done" }
  /** A sentence says what is wrong: with the command line, the settings, a file. */
  | { readonly kind: "problem" }
  /** A bug of ours. */
  | { readonly kind: "bug" }
  /** A signal, or a closed output. */
  | { readonly kind: "stopped" };

const OF_RUN: Readonly<Record<RunEnd["reason"], number>> = {
  finished: 0,
  crashed: 1,
  exhausted: 2,
  stuck: 3,
  failed: 4,
  stopped: 130,
};

/** A review has found something. No end of a run has this code. */
const FOUND = 5;

/** The exit code of the program; scripts rely on it. */
export function getExitCode(ended: ProgramEnd): number {
  switch (ended.kind) {
    case "run":
      return OF_RUN[ended.end.reason];
    case "batch":
      return OF_RUN[ended.worst];
    case "measured":
      return ended.allPassed ? 0 : OF_RUN.exhausted;
    case "reviewed":
      return ended.isIncomplete ? OF_RUN.failed : ended.findings > 0 ? FOUND : 0;
    case "done":
      return 0;
    case "problem":
      return OF_RUN.failed;
    case "bug":
      return OF_RUN.crashed;
    case "stopped":
      return OF_RUN.stopped;
    default:
      return assertNever(ended);
  }
}

/** Determines how the program ends after an error at the top level. */
export function createErrorEnd(error: unknown, isStopping: boolean): ProgramEnd {
  if (isStopping) return { kind: "stopped" };
  return isBug(error) ? { kind: "bug" } : { kind: "problem" };
}

/** Errors that only a bug throws; all others are sentences for people. */
export function isBug(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

/** Prints the help of a subcommand. */
export function printHelp(usage: string, { stdout }: { readonly stdout: Writable }): ProgramEnd {
  stdout.write(usage);
  return { kind: "done" };
}
