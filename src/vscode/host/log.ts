import type { LogOutputChannel } from "vscode";

/** What is written into the log of this extension. */
export type Log = Pick<LogOutputChannel, "error" | "warn" | "info" | "debug">;

const LEVELS: readonly string[] = ["error", "warn", "info", "debug"];

/**
 * The log as far as a level goes, which is read at each word, for it may be changed meanwhile. What the channel would hide as being for
 * debugging is told as information: the user has asked for it.
 */
export function leveledLog(level: () => string, channel: Log): Log {
  const isWanted = (what: string): boolean => LEVELS.indexOf(what) <= LEVELS.indexOf(level());
  return {
    error: (message, ...more) => channel.error(message, ...more),
    warn: (message, ...more) => isWanted("warn") && channel.warn(message, ...more),
    info: (message, ...more) => isWanted("info") && channel.info(message, ...more),
    debug: (message, ...more) => isWanted("debug") && channel.info(message, ...more),
  };
}
