import { assertNever } from "../../core/base/errors.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import { formatDisplayLine } from "./notification-text.ts";

/** The extension's own log. */
export interface Log {
  error(message: string | Error, ...more: unknown[]): void;
  warn(message: string, ...more: unknown[]): void;
  info(message: string, ...more: unknown[]): void;
  debug(message: string, ...more: unknown[]): void;
}

const LEVELS: readonly string[] = ["error", "warn", "info", "debug"];

/**
 * A log with a maximum level, which is read for each line because the user can change it. Debug lines are logged as information, because
 * the channel would hide them although the user enabled them.
 */
export function createLeveledLog(level: () => string, channel: Log): Log {
  const isWanted = (line: string): boolean => LEVELS.indexOf(line) <= LEVELS.indexOf(level());
  return {
    error: (message, ...more) => channel.error(message, ...more),
    warn: (message, ...more) => isWanted("warn") && channel.warn(message, ...more),
    info: (message, ...more) => isWanted("info") && channel.info(message, ...more),
    debug: (message, ...more) => isWanted("debug") && channel.info(message, ...more),
  };
}

/** Logs the end of a run with its reason: as an error if the run broke. */
export function logEnd(runId: string, end: RunEnd, log: Log): void {
  const line = `${runId}: over: ${[end.reason, ...listReasons(end)].join(": ")}`;
  if (end.reason === "crashed" || end.reason === "failed") log.error(line);
  else log.info(line);
}

function listReasons(end: RunEnd): readonly string[] {
  switch (end.reason) {
    case "crashed":
    case "failed":
      return [formatDisplayLine(end.error)];
    case "stuck":
      return [formatDisplayLine(end.why)];
    case "exhausted":
      return end.budget ? [end.limit, end.budget.per] : [end.limit];
    case "finished":
    case "stopped":
      return [];
    default:
      return assertNever(end);
  }
}
