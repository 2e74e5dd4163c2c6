import { appendFile, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunLog } from "../../src/core/ports/storage.ts";
import { readLog } from "../../src/runs/log/read-log.ts";
import { createAppendingLog, openRunLog, type RunLogFile } from "../../src/runs/log/run-log.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import { says } from "./fake-model.ts";
import type { DiskFault } from "./faulty-disk.ts";
import { rehearsal } from "./rehearsal.ts";

/** What became of a run whose disk failed once, and of its going on. */
export interface DiskRun {
  /** How the first attempt ended. */
  readonly first: string;
  /** The user was told what to do. */
  readonly told: boolean;
  /** Acknowledged events that are not in the log. */
  readonly lost: number;
  readonly last: string;
  /** Commands that were done more than once. */
  readonly twice: readonly string[];
}

/** The notes that the run writes, in this order. */
const TITLES = ["a", "b", "c"];
/** Events of the whole run. */
export const EVENTS = 2 + 5 * (TITLES.length + 1);

/** A run whose log fails at its event of this number, and is gone on with once the disk works again. */
export async function diskRun(folder: string, fault: DiskFault, at: number): Promise<DiskRun> {
  const acknowledged: AgentEvent[] = [];
  const deeds: string[] = [];
  const first = await attempt(heard(await failingLog(folder, fault, at), acknowledged), [], deeds);
  const { events } = await readLog(folder);
  const lost = acknowledged.filter((event) => JSON.stringify(events[event.seq]) !== JSON.stringify(event)).length;
  const last = await attempt(await openRunLog(folder), events, deeds);
  return {
    first: first.reason,
    told: /is full|write permission|another location/.test("error" in first ? first.error : ""),
    lost,
    last: last.reason,
    twice: deeds.filter((deed, index) => deeds.indexOf(deed) !== index),
  };
}

/** Goes on to the end; the model asks for the first note that is not written yet. */
async function attempt(log: RunLog, events: readonly AgentEvent[], deeds: string[]) {
  const now: { deeds: readonly string[] } = { deeds: [] };
  const answer = async () => {
    const title = TITLES.find((one) => ![...deeds, ...now.deeds].includes(`write ${one}`));
    return title === undefined ? says("task_complete", { title: "Done." }) : says("write_note", { title });
  };
  try {
    const made = await rehearsal({ answers: [answer], ...(events.length > 0 ? { events } : {}), log });
    now.deeds = made.deeds;
    made.live.resume();
    const end = await made.live.end;
    deeds.push(...made.deeds.filter((deed) => deed.startsWith("write")));
    return end;
  } catch (error) {
    return { reason: "not begun", error: String(error) } as const;
  } finally {
    await log.close();
  }
}

function heard(log: RunLog, acknowledged: AgentEvent[]): RunLog {
  return {
    ...log,
    async append(event) {
      const written = await log.append(event);
      acknowledged.push(written);
      return written;
    },
  };
}

/** A run's log on a disk that takes so many events and then no more. */
async function failingLog(folder: string, fault: DiskFault, at: number): Promise<RunLog> {
  const path = join(folder, "run.jsonl");
  await appendFile(path, "");
  const file = await open(path, "a+");
  let writes = 0;
  let size = 0;
  const failing: RunLogFile = {
    async write(bytes) {
      const broken = writes++ >= at;
      if (broken && fault === "torn") size += (await file.write(bytes.subarray(0, bytes.length / 2))).bytesWritten;
      if (broken) throw Object.assign(new Error("broken"), { code: fault === "torn" ? "ENOSPC" : fault });
      const written = await file.write(bytes);
      size += written.bytesWritten;
      return written;
    },
    async truncate(length) {
      if (fault === "torn" && writes > at) throw Object.assign(new Error("broken"), { code: "EIO" });
      await file.truncate(length);
      size = length;
    },
    getSize: () => size,
    datasync: () => file.datasync(),
    close: () => file.close(),
  };
  const { length } = await readFile(path);
  return createAppendingLog(failing, { end: length, size: length }, path);
}
