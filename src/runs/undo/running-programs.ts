import { relative, sep } from "node:path";
import { errorMessage } from "../../core/base/errors.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { type FileState, readFileState, sameState } from "./file-state.ts";
import { inParallel } from "./in-parallel.ts";
import { type HeldContent, notKept, type ProgramChange, type UndoJournal } from "./journal.ts";
import { pathHistories } from "./undo-plan.ts";

/** Shows undo what programs change: snapshots of all files, and the folder that paths are displayed relative to. */
export interface SnapshotSource {
  readonly look: TakeSnapshot;
  readonly folder: string;
  /** Called before a program runs: returns access to contents that others keep, such as git. */
  readonly held?: () => Promise<ReadHeldContent>;
}

/**
 * Runs programs, and records what each has changed. Programs may change any file; the contents of files that the agent
 * recently changed itself are kept. Files that look the same as when they were kept aren't read again.
 */
export function runningPrograms(
  commands: CommandSet,
  journal: UndoJournal,
  sight: SnapshotSource | undefined,
): CommandSet["run"] {
  const kept = new SnapshotCache();
  return async (prepared, running) => {
    const { step } = running;
    const before = await sight?.look().catch(() => undefined);
    const paths = await ownPaths(journal);
    const steady = kept.lookingAs(before, paths);
    const read = paths.filter((path) => !steady.has(path));
    const begun = await journal.beginProgram(step, read).catch(errorMessage);
    if (typeof begun === "string") return notKept(begun);
    const own = new Map([...steady, ...begun]);
    const heldThen = before && (await sight?.held?.().catch(() => undefined));
    const seen = { text: "" };
    const settle = async (): Promise<void> => {
      const after = before && (await sight?.look().catch(() => undefined));
      const ownChanges = await changesOf(own, before, after);
      for (const { path } of ownChanges) own.delete(path);
      kept.are(own, after);
      const known = new Set(paths);
      const others = before && after ? await programChanges(before, after, known, heldThen) : [];
      if (sight && others.length > 0)
        seen.text = programChangesText(others, (path) => labelOf(path, sight.folder));
      if (after || ownChanges.length > 0)
        await journal.note(step, [...ownChanges, ...others], after !== undefined);
    };
    const outcome = await commands.run(prepared, running).finally(() => settle().catch(() => undefined));
    if (seen.text === "" || outcome.status !== "done") return outcome;
    return { ...outcome, output: `${outcome.output.replace(/\n$/, "")}\n\n${seen.text}` };
  };
}

/** Files whose content is kept, with their snapshots at that time. */
class SnapshotCache {
  private readonly known = new Map<string, { readonly seen: string; readonly is: FileState }>();

  /** The paths that look unchanged, with their states. */
  lookingAs(now: FileSnapshot | undefined, paths: readonly string[]): ReadonlyMap<string, FileState> {
    const same = new Map<string, FileState>();
    for (const path of paths) {
      const kept = this.known.get(path);
      if (kept && kept.seen === now?.get(path)) same.set(path, kept.is);
    }
    return same;
  }

  are(states: ReadonlyMap<string, FileState>, now: FileSnapshot | undefined): void {
    this.known.clear();
    for (const [path, is] of states) {
      const seen = now?.get(path);
      if (seen !== undefined && is.kind === "file") this.known.set(path, { seen, is });
    }
  }
}

/** The changes of files with known states. Files that look the same aren't read. */
async function changesOf(
  known: ReadonlyMap<string, FileState>,
  before: FileSnapshot | undefined,
  after: FileSnapshot | undefined,
): Promise<readonly ProgramChange[]> {
  const suspects = [...known].filter(([path]) => {
    const then = before?.get(path);
    return then === undefined || then !== after?.get(path);
  });
  const now = await inParallel(suspects, async ([path, was]) => ({
    path,
    was,
    is: await readFileState(path),
  }));
  return now.filter(({ was, is }) => !sameState(was, is));
}

function labelOf(path: string, folder: string): string {
  const way = relative(folder, path);
  return way.startsWith("..") ? path : way.split(sep).join("/");
}

/** The files that the agent has changed itself, latest last. */
async function ownPaths(journal: UndoJournal): Promise<readonly string[]> {
  const lines = await journal.read().catch(() => []);
  return pathHistories(lines.slice(-RECENT_LINES))
    .filter(({ standing }) => standing.length > 0)
    .toSorted((one, other) => (one.standing.at(-1)?.id ?? 0) - (other.standing.at(-1)?.id ?? 0))
    .slice(-MOST_OWN)
    .map(({ path }) => path);
}

/** The number of last-changed files whose content is kept before each program. */
const MOST_OWN = 200;
/** The number of journal lines searched for them, so that longer runs don't get slower. */
const RECENT_LINES = 2_000;

/** A snapshot of files: a text by path that changes whenever the file does. */
type FileSnapshot = ReadonlyMap<string, string>;

/** Takes a snapshot of all files; undefined if it would take too long. */
type TakeSnapshot = () => Promise<FileSnapshot | undefined>;

/** The content of a file at the time of a snapshot; undefined if it isn't kept elsewhere. */
type ReadHeldContent = (path: string, seen: string) => Promise<HeldContent | undefined>;

const NOT_KEPT = {
  kind: "other",
  why: "A program changed it, and its earlier content wasn't kept.",
} as const;

/** The files that are new, gone or different, except known ones. */
async function programChanges(
  before: FileSnapshot,
  after: FileSnapshot,
  known: ReadonlySet<string>,
  heldThen: ReadHeldContent = async () => undefined,
): Promise<readonly ProgramChange[]> {
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path) && !known.has(path),
  );
  return inParallel(paths.slice(0, MOST), async (path) => {
    const then = before.get(path);
    const is = await readFileState(path);
    if (then === undefined) return { path, was: { kind: "missing" }, is };
    const held = await heldThen(path, then).catch(() => undefined);
    return { path, was: NOT_KEPT, is, ...(held ? { held } : {}) };
  });
}

/** If a program changes more files, the rest can't be undone file by file. */
const MOST = 500;

/** The changes of a program, for the model and the user. */
function programChangesText(changes: readonly ProgramChange[], label: (path: string) => string): string {
  const told = changes.slice(0, TOLD).map(({ path, was, is }) => {
    const how = was.kind === "missing" ? " (new)" : is.kind === "missing" ? " (deleted)" : "";
    return `${label(path)}${how}`;
  });
  const more = changes.length > TOLD ? ` and ${changes.length - TOLD} more` : "";
  return `Files that it changed: ${told.join(", ")}${more}.`;
}

const TOLD = 20;
