import { LogError, type RunLog } from "../../core/ports/storage.ts";
import { findErrorCode } from "../../disk/error-codes.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { displayText, type Sentence, writeInEnglish } from "../../texts/display-text.ts";

/** Options of a log that waits for its disk. */
export interface LogRetryOptions {
  /** True while a user is present who can fix the problem and hasn't stopped the run. */
  shouldWait(): boolean;
  /** Receives a sentence that says what to do, or undefined once the log is written again. */
  reportTrouble(trouble: Sentence | undefined): void;
  readonly everyMs?: number;
}

/**
 * A log that survives disk problems: a failed write is retried until it succeeds, and the run waits in the meantime. So no
 * outcome is lost, and nothing is done twice. Other errors are thrown as usual.
 */
export function createRetryingLog(log: RunLog, { shouldWait, reportTrouble, everyMs = 1000 }: LogRetryOptions): RunLog {
  let trouble: string | undefined;
  const tell = (now: Sentence | undefined): void => {
    const english = now && writeInEnglish(now);
    if (english === trouble) return;
    trouble = english;
    reportTrouble(now);
  };
  const retryUntilDone = async <T>(act: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        const done = await act();
        tell(undefined);
        return done;
      } catch (error) {
        if (!shouldWait() || !isOfDisk(error)) {
          tell(undefined);
          throw error;
        }
        tell(displayText("trouble.waitsForLog", { why: error.text }));
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  };
  const { appendAll } = log;
  return {
    append: (event: AgentEvent) => retryUntilDone(() => log.append(event)),
    ...(appendAll ? { appendAll: (events) => retryUntilDone(() => appendAll(events)) } : {}),
    sync: () => retryUntilDone(() => log.sync()),
    close: () => log.close(),
  };
}

/** Errors that end once the disk has space or can be written again. */
const PASSING: ReadonlySet<string> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EACCES",
  "EPERM",
  "EROFS",
  "EBUSY",
  "EIO",
  "EMFILE",
  "ENFILE",
  "ESTALE",
  "ETIMEDOUT",
  "EHOSTDOWN",
  "ENOTCONN",
]);

function isOfDisk(error: unknown): error is LogError {
  return error instanceof LogError && PASSING.has(findErrorCode(error.cause) ?? "");
}
