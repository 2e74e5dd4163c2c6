import type { AgentEvent } from "../core/event.ts";
import { LogError, type RunLog } from "../core/ports.ts";
import { Turns } from "../core/turns.ts";
import { Folding } from "./folded-texts.ts";
import type { LogEnd } from "./log-tail.ts";
import { logTrouble } from "./log-trouble.ts";

/** What a log needs of its file, which is open for appending. */
export interface LogFile {
  write(bytes: Buffer): Promise<{ readonly bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  /** Its bytes now, whoever wrote them. */
  size(): number;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Appends events to a file that ends like this, one write for each. A line that was torn, and a write that fails half way, are taken back,
 * so that the next one begins a line of its own. A file that somebody else has written to is not written to any more.
 */
export function appendingLog(file: LogFile, { end: good, size }: LogEnd, path: string): RunLog {
  const folding = new Folding();
  let end = good;
  let torn = false;
  let isNew = true;
  const turns = new Turns();

  const takeBack = async (): Promise<void> => {
    await file.truncate(end);
    torn = false;
  };

  const write = async (event: AgentEvent): Promise<AgentEvent> => {
    const line = Buffer.from(`${JSON.stringify(folding.fold(event))}\n`);
    if (isNew && file.size() !== size) throw new LogError(WRITTEN_ELSEWHERE);
    if (torn || (isNew && size > end)) await takeBack();
    isNew = false;
    if (file.size() !== end) throw new LogError(WRITTEN_ELSEWHERE);
    torn = true;
    const { bytesWritten } = await file.write(line).catch(async (error: unknown) => {
      await takeBack().catch(() => undefined);
      throw error;
    });
    if (bytesWritten < line.length) {
      await takeBack().catch(() => undefined);
      throw Object.assign(new Error("only a part of the event could be written"), { code: "ENOSPC" });
    }
    torn = false;
    end += line.length;
    return event;
  };

  return {
    append: (event) => turns.take(() => asLogError(write(event), path)),
    sync: coalesced(async () => {
      await turns.over;
      await asLogError(file.datasync(), path);
    }),
    async close() {
      await turns.over;
      await file.close();
    },
  };
}

const WRITTEN_ELSEWHERE =
  "Another window or program has gone on with this run, so it ends here. Open the run anew to see where it stands.";

async function asLogError<T>(work: Promise<T>, path: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof LogError ? error : new LogError(logTrouble(error, path), { cause: error });
  }
}

/** Calls that come while the work is going on share one more round of it, which begins after the present one. */
function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return start();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
