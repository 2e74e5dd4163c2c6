import { LogError, type RunLog } from "../../core/ports/storage.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { codeOf } from "./log-errors.ts";

/** When a log waits for its disk, and who is told. */
export interface LogRetryOptions {
  /** Somebody is there to mend it, and has not stopped the run. */
  waits(): boolean;
  /** A sentence that says what to do; undefined once it waits no more. */
  told(trouble: string | undefined): void;
  readonly everyMs?: number;
}

/**
 * A log that outlasts trouble with its disk: what cannot be written is tried again until it is, and meanwhile nothing else happens in
 * the run. So no outcome is lost, and nothing is done twice. Other trouble is thrown as ever.
 */
export function logWithRetries(log: RunLog, { waits, told, everyMs = 1000 }: LogRetryOptions): RunLog {
  let trouble: string | undefined;
  const tell = (now: string | undefined): void => {
    if (now === trouble) return;
    trouble = now;
    told(now);
  };
  const untilDone = async <T>(act: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        const done = await act();
        tell(undefined);
        return done;
      } catch (error) {
        if (!waits() || !isOfDisk(error)) {
          tell(undefined);
          throw error;
        }
        tell(`The run waits, and goes on by itself once its log can be written. ${error.message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  };
  return {
    append: (event: AgentEvent) => untilDone(() => log.append(event)),
    sync: () => untilDone(() => log.sync()),
    close: () => log.close(),
  };
}

/** Trouble that goes away when the disk has room, or can be written again. */
const PASSING: ReadonlySet<string> = new Set([
  ...["ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "EIO", "EMFILE", "ENFILE"],
  ...["ESTALE", "ETIMEDOUT", "EHOSTDOWN", "ENOTCONN"],
]);

function isOfDisk(error: unknown): error is LogError {
  return error instanceof LogError && PASSING.has(codeOf(error.cause) ?? "");
}
