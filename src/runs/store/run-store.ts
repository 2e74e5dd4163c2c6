import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Queue } from "../../core/base/async.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { ProcessHolder, ProcessLocks } from "../../core/ports/process-locks.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { displayText, fail, type Sentence } from "../../texts/display-text.ts";
import { isSameStamp, readFileStamp } from "../log/log-lines.ts";
import { parseLog, readLogText, TODAY } from "../log/read-log.ts";
import { findOtherProcess } from "../log/run-lease.ts";
import { LOG_FILE } from "../log/run-log.ts";
import { type DigestAt, readDigest, readDigests, writeDigests } from "./digest-cache.ts";
import type { RunOwner } from "./machine.ts";
import { getRunsFolder, isOurs, isRunId } from "./run-folder.ts";
import { readRunMetadata } from "./run-metadata.ts";
import { explainReadOnly, type RunSummary } from "./run-summary.ts";

/** A stored run, up to where its log is readable. */
export interface StoredRun {
  readonly id: string;
  readonly folder: string;
  readonly events: readonly AgentEvent[];
  /** The log has an older schema or mark and must be rewritten before anything is added. */
  readonly older: boolean;
  /** Why the run can be read but not resumed, as a sentence. */
  readonly readOnly?: Sentence;
}

/** The runs of some `.autogpt` folders. */
export interface RunStore {
  /** Summaries of all runs, newest first. Only what was written since the last call is read. */
  list(): Promise<readonly RunSummary[]>;
  /** Throws a sentence if there is no such run. */
  open(id: string): Promise<StoredRun>;
  /** The folder of a run. Throws a sentence if there is no such run. */
  findRunFolder(id: string): Promise<string>;
}

const CACHE_FILE = "briefs.json";

/** Finds the other process that holds the lease of a run. */
type FindHolder = ProcessLocks["findHolder"];

/** The runs in some `.autogpt` folders; those of other owners are read-only. */
export function createRunStoreForHomes(
  homes: readonly string[],
  owner: RunOwner,
  findHolder: FindHolder = async () => undefined,
): RunStore {
  const folders = homes.map((home) => createStoredRuns(home, owner, findHolder));

  const find = async (id: string): Promise<string> => {
    for (const home of isRunId(id) ? homes : []) {
      const folder = join(getRunsFolder(home), id);
      if ((await isOurs(home)) && (await isLog(folder))) return folder;
    }
    fail("trouble.runNotFound", { id });
  };

  return {
    async list() {
      const lists = await Promise.all(folders.map((folder) => folder.list()));
      return lists.flat().sort((one, other) => other.id.localeCompare(one.id));
    },
    async open(id) {
      const folder = await find(id);
      const text = await readLogText(folder);
      const log = parseLog(text, TODAY, id);
      const [first, ...rest] = log.events;
      const started = await updateMark(first, { folder, text }, owner);
      const readOnly = log.readOnly ?? explainForeign(started, id, owner);
      return {
        id,
        folder,
        events: started ? [moveStart(started, owner), ...rest] : [],
        older: log.older || started !== first,
        ...omitUndefined({ readOnly }),
      };
    },
    findRunFolder: find,
  };
}

function explainForeign(first: AgentEvent | undefined, id: string, owner: RunOwner): Sentence | undefined {
  if (first?.type !== "started") return undefined;
  return first.id === id
    ? explainReadOnly(first, owner.hasMark(id, first.machine))
    : displayText("trouble.runFolderRenamed", { id: first.id });
}

/**
 * The start of a run, with today's mark if it's one of the owner's. A log with the owner's mark loses it if the owner didn't write all of
 * it. The mark of a published log can be put into any other.
 */
async function updateMark(
  first: AgentEvent | undefined,
  { folder, text }: { readonly folder: string; readonly text: string },
  owner: RunOwner,
): Promise<AgentEvent | undefined> {
  if (first?.type !== "started") return first;
  const machine = owner.computeMark(first.id);
  const changed = await readChangeTime(folder);
  if (!owner.isOwnRun(first.id, first.machine, changed)) return first;
  if (owner.hasMark(first.id, first.machine) && owner.hasWritten(first.id, text)) return first;
  return { ...first, machine: owner.maySkipSeals(changed) ? machine : UNPROVEN };
}

const UNPROVEN = "unproven";

/** The start of a run with its folder on this machine. The log keeps the folder where it started. */
function moveStart(first: AgentEvent, owner: RunOwner): AgentEvent {
  if (first.type !== "started" || !owner.hasMark(first.id, first.machine)) return first;
  return { ...first, folder: owner.findFolder(first.id) ?? first.folder };
}

/** The last change of a log's file as the file system dates it. */
async function readChangeTime(folder: string): Promise<number> {
  return (await lstat(join(folder, LOG_FILE))).ctimeMs;
}

/** True for a folder with a log, if neither of them is a link. */
async function isLog(folder: string): Promise<boolean> {
  try {
    return (await lstat(folder)).isDirectory() && (await lstat(join(folder, LOG_FILE))).isFile();
  } catch {
    return false;
  }
}

/** The runs of one folder, with their digests in memory and in the cache. */
function createStoredRuns(
  home: string,
  owner: RunOwner,
  findHolder: FindHolder,
): { list(): Promise<readonly RunSummary[]> } {
  const folder = getRunsFolder(home);
  const cache = join(folder, CACHE_FILE);
  let known: ReadonlyMap<string, DigestAt> | undefined;
  let unsaved = 0;
  // Several views ask for the runs when a window opens: the first one reads the logs, and the others what it found.
  const turns = new Queue();

  return {
    list: () =>
      turns.add(async () => {
        if (!(await isOurs(home))) return [];
        const before: ReadonlyMap<string, DigestAt> = known ?? (await readDigests(cache));
        const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
        const ids = entries.filter((entry) => entry.isDirectory() && isRunId(entry.name)).map(({ name }) => name);
        const now = new Map<string, DigestAt>();
        for (const id of ids) {
          const brief = await refreshDigest(join(folder, id, LOG_FILE), before.get(id));
          if (brief) now.set(id, brief);
        }
        known = now;
        unsaved += countBytesRead(before, now);
        if (unsaved >= WORTH_SAVING) {
          unsaved = 0;
          await writeDigests(cache, now);
        }
        return Promise.all(
          [...now].map(async ([id, at]) => {
            const summary = await createSummary(id, join(folder, id), at, owner);
            return {
              ...summary,
              ...omitUndefined({ holder: await findOtherHolder(summary, owner, findHolder) }),
              ...(await readRunMetadata(join(folder, id))),
            };
          }),
        );
      }),
  };
}

/** The other process that works on a run. Only one that hasn't ended can have one. */
async function findOtherHolder(
  { id, folder, state, readOnly }: RunSummary,
  owner: RunOwner,
  findHolder: FindHolder,
): Promise<ProcessHolder | undefined> {
  if ((state !== "open" && state !== "paused") || readOnly !== undefined) return undefined;
  return findOtherProcess(folder, owner.createSeal(id), findHolder);
}

/** The current digest of a log, read only if the file has changed; undefined if it can't be read. */
async function refreshDigest(path: string, known: DigestAt | undefined): Promise<DigestAt | undefined> {
  try {
    const found = await readFileStamp(path);
    return known && isSameStamp(found, known) ? known : await readDigest(path, found, known);
  } catch {
    return undefined;
  }
}

/** The cache is rewritten only once it saves the next program this many bytes of reading, not with each event of a run. */
const WORTH_SAVING = 1_000_000;

function countBytesRead(before: ReadonlyMap<string, DigestAt>, now: ReadonlyMap<string, DigestAt>): number {
  return [...now].reduce((sum, [id, at]) => {
    const then = before.get(id);
    return at === then ? sum : sum + Math.max(0, at.bytes - (then?.bytes ?? 0));
  }, 0);
}

async function createSummary(id: string, folder: string, at: DigestAt, owner: RunOwner): Promise<RunSummary> {
  if (!at.brief) {
    const readOnly = displayText("trouble.logEmpty");
    const log = { writtenMs: at.mtimeMs, logBytes: at.size };
    return { ...UNREADABLE, ...log, id, startedAt: parseStartTime(id), folder, readOnly };
  }
  const { brief } = at;
  const { machine } = brief;
  const isOwn =
    owner.hasMark(id, machine) ||
    owner.isOwnRun(id, machine, await readChangeTime(folder).catch(() => Number.POSITIVE_INFINITY));
  const readOnly = at.damaged ? displayText("trouble.logDamaged") : explainReadOnly(brief, isOwn);
  return {
    id,
    task: brief.task,
    name: brief.name,
    startedAt: brief.startedAt,
    state: brief.state,
    steps: brief.steps,
    usd: brief.usd,
    unpriced: brief.unpriced > 0,
    folder,
    writtenMs: at.mtimeMs,
    logBytes: at.size,
    ...omitUndefined({
      parent: brief.parent,
      isAgent: brief.isAgent || undefined,
      isolated: brief.isolated,
      unknownEvents: brief.unknownEvents,
      readOnly,
    }),
  };
}

const UNREADABLE = {
  task: "",
  name: "unreadable run",
  state: "open",
  steps: 0,
  usd: 0,
  unpriced: false,
} as const;

/** The start time in a run's id. */
function parseStartTime(id: string): string {
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)_(..)(..)(..)_/.exec(id) ?? [];
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}
