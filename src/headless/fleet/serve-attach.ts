import { join } from "node:path";
import { createInterface } from "node:readline";
import { tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { loadFleetKey } from "../../fleet/key.ts";
import { readWholeLines } from "../../runs/log/log-lines.ts";
import { LOG_FILE } from "../../runs/log/run-log.ts";
import type { ServedLine, ServedRecord } from "../../schema/fleet/served.ts";
import { isServedRequest } from "../../schema/host-validators.ts";
import { fail } from "../../texts/display-text.ts";
import type { Surroundings } from "../session.ts";
import { createReplyReader } from "./live-reply.ts";
import {
  addRequest,
  demandServedRecord,
  explainProblem,
  getServedHome,
  hasRequests,
  isWorkedOn,
  watchFolders,
} from "./served-runs.ts";
import { startWorker } from "./worker-start.ts";

const LONGEST_REQUEST = 1_000_000;
/** A worker that ends so often without a reason isn't started again. */
const MOST_STARTS = 5;

/** Prints an answer, one a line. Resolves once the other side can take more. */
export type PrintLine = (line: ServedLine) => Promise<void>;

/** Prints the log of a run from behind its first lines, and what it asks, until it has ended. Takes requests on standard input. */
export class Attachment {
  private readonly run: string;
  private readonly around: Surroundings;
  private readonly print: PrintLine;
  /** Lines that the other side has. */
  private left: number;
  private bytes = 0;
  private shown: ServedRecord | undefined;
  private readonly closed = new AbortController();
  private starts = 0;

  constructor(
    run: string,
    { lines, around, print }: { readonly lines: number; readonly around: Surroundings; readonly print: PrintLine },
  ) {
    this.run = run;
    this.left = lines;
    this.around = around;
    this.print = print;
  }

  async follow(): Promise<void> {
    const { data, signal } = this.around;
    const key = (await loadFleetKey(data)) ?? fail("fleet.noKey");
    const { refused } = await demandServedRecord(data, this.run);
    const known = new Set(refused.map(({ id }) => id));
    const readReply = createReplyReader(data, this.run);
    this.takeRequests();
    let news = Promise.withResolvers<void>();
    let stopWatching: () => void = () => undefined;
    let watched: string | undefined;
    const end = (): void => news.resolve();
    const ending = AbortSignal.any([signal, this.closed.signal]);
    ending.addEventListener("abort", end, { once: true });
    try {
      while (!ending.aborted) {
        news = Promise.withResolvers<void>();
        const isGoing = await isWorkedOn(data, this.run, key);
        const record = await demandServedRecord(data, this.run);
        if (record.home !== watched || watched === undefined) {
          stopWatching();
          const folders = [getServedHome(data, this.run), ...(record.home === undefined ? [] : [record.home])];
          stopWatching = watchFolders(folders, () => news.resolve());
          watched = record.home ?? "";
        }
        // A reply that is whole by now replaces its pieces.
        for (const piece of await readReply()) await this.print(piece);
        await this.printLog(record);
        await this.printRecord(record, known);
        if (!isGoing && (await this.isDone(record))) return;
        await news.promise;
      }
    } finally {
      ending.removeEventListener("abort", end);
      stopWatching();
    }
  }

  /** True once nothing more comes. A run on which no process works is continued. */
  private async isDone(record: ServedRecord): Promise<boolean> {
    const { data } = this.around;
    if (record.isOver && !(await hasRequests(data, this.run))) {
      await this.print({ type: "over" });
      return true;
    }
    if (record.failed !== undefined && this.starts > 0) {
      await this.print({ type: "failed", why: record.failed });
      return true;
    }
    if (this.starts === MOST_STARTS) {
      const log = join(getServedHome(data, this.run), "worker.log");
      const why = `The program that works on the run ended ${MOST_STARTS} times. Look into ${log} there, then follow the run again.`;
      await this.print({ type: "failed", why });
      return true;
    }
    this.starts += 1;
    await startWorker(data, this.run).catch(async (error: unknown) =>
      this.print({ type: "failed", why: explainProblem(error) }),
    );
    return false;
  }

  private async printLog({ home }: ServedRecord): Promise<void> {
    if (home === undefined) return;
    this.bytes = await printStoredLines(home, this.bytes, async (line) => {
      if (this.left > 0) this.left -= 1;
      else await this.print({ type: "stored", line });
    });
  }

  /** At first, also says that nothing is asked, because the other side may still show a question from before. */
  private async printRecord(record: ServedRecord, known: Set<string>): Promise<void> {
    const { shown } = this;
    this.shown = record;
    const { asked, refused } = record;
    if (!shown || asked?.seal !== shown.asked?.seal) await this.print({ type: "asks", ...omitUndefined({ asked }) });
    for (const { id, question, why } of refused) {
      if (known.has(id)) continue;
      known.add(id);
      await this.print({ type: "refused", question, why });
    }
  }

  private takeRequests(): void {
    const lines = createInterface({ input: this.around.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    // A connection that has nothing to print wouldn't notice otherwise that it has ended.
    lines.once("close", () => this.closed.abort());
    lines.on(
      "line",
      (line) =>
        void this.takeRequest(line).catch((error: unknown) =>
          this.print({ type: "failed", why: explainProblem(error) }),
        ),
    );
  }

  private async takeRequest(line: string): Promise<void> {
    await takeRequestLine(line, this.run, this.around.data, this.print);
  }
}

/** Passes on the whole lines of a log from a byte on, and returns the byte after them. A log that isn't there yet has none. */
export async function printStoredLines(
  home: string,
  from: number,
  printLine: (line: string) => Promise<void>,
): Promise<number> {
  let at = from;
  try {
    for await (const { lines, bytes } of readWholeLines(join(home, LOG_FILE), from)) {
      for (const line of lines) await printLine(line);
      at = bytes;
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  return at;
}

/** Writes down the request of a line, and confirms it. Throws a sentence for any other line. */
export async function takeRequestLine(line: string, run: string, data: string, print: PrintLine): Promise<void> {
  const request = line.length > LONGEST_REQUEST ? undefined : tryJson(line);
  if (!isServedRequest(request))
    throw new Error("That isn't a request for a run. Use the same version of AutoGPT on both machines.");
  await addRequest(data, run, request);
  await print({ type: "taken", id: request.id });
}
