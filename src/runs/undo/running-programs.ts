import { relative, sep } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { addOutcomeRemark } from "../../core/commands/outcome.ts";
import type { SeenChange } from "../../core/ports/folder-watch.ts";
import { displayText } from "../../texts/display-text.ts";
import { createOtherState, type FileState, isSameState, readFileState } from "./file-state.ts";
import { mapInParallel } from "./in-parallel.ts";
import { createNotKeptOutcome, type HeldContent, type ProgramChange, type UndoJournal } from "./journal.ts";
import type { HeldFile, ProgramView, ViewAfter, ViewBefore } from "./program-view.ts";
import { collectPathHistories } from "./undo-plan.ts";
import { hasSameStamp, UnheldCopies } from "./unheld-copies.ts";

/**
 * Runs programs, and records what each has changed. Programs may change any file; the contents of files that the agent
 * recently changed itself are kept. Files that look the same as when they were kept aren't read again.
 */
export function createProgramRunner(
  commands: CommandSet,
  journal: UndoJournal,
  view: ProgramView | undefined,
): CommandSet["run"] {
  const kept = new SnapshotCache();
  const copies = new UnheldCopies();
  return async (prepared, running) => {
    const { step } = running;
    const paths = await listOwnPaths(journal);
    const before = await view?.begin(paths).catch(() => undefined);
    const steady = kept.listUnchangedStates(before, paths);
    const read = paths.filter((path) => !steady.has(path));
    const begun = await journal.beginProgram(step, read).catch(getErrorMessage);
    if (typeof begun === "string") {
      await before?.end();
      return createNotKeptOutcome(begun);
    }
    await copies.update(before?.unheld ?? []);
    const own = new Map([...steady, ...begun]);
    const started = Date.now();
    const seen = { text: "" };
    const settle = async (): Promise<void> => {
      const after = await before?.end();
      const saved = view?.listSavedSince(started) ?? new Set();
      const ownChanges = (await collectKnownChanges(own, before, after)).map((change) => keepSavedText(change, saved));
      for (const { path } of ownChanges) own.delete(path);
      kept.remember(own, after);
      const known = new Set(paths);
      const changes = after?.changes.filter(({ path }) => !known.has(path)) ?? [];
      const found = view ? await collectProgramChanges(changes, { view, journal, copies }) : [];
      const others = found.map((change) => keepSavedText(change, saved));
      if (view) seen.text = describeProgramChanges(others, changes.length, view.folder);
      if (after || ownChanges.length > 0) await journal.note(step, [...ownChanges, ...others], after !== undefined);
    };
    const outcome = await commands.run(prepared, running).finally(() => settle().catch(() => undefined));
    return seen.text === "" ? outcome : addOutcomeRemark(outcome, `\n${seen.text}`);
  };
}

/** Keeps the user's own text, even if the program has changed the file as well. */
function keepSavedText(change: ProgramChange, saved: ReadonlySet<string>): ProgramChange {
  return saved.has(change.path) ? { ...change, is: SAVED } : change;
}

const SAVED = createOtherState(displayText("trouble.savedDuringProgram"));

/** Files whose content is kept, with their stamps at that time. */
class SnapshotCache {
  private readonly known = new Map<string, { readonly seen: string; readonly is: FileState }>();

  /** The paths that look unchanged, with their states. */
  listUnchangedStates(now: ViewBefore | undefined, paths: readonly string[]): ReadonlyMap<string, FileState> {
    const same = new Map<string, FileState>();
    for (const path of paths) {
      const kept = this.known.get(path);
      if (kept && kept.seen === now?.findStamp(path)) same.set(path, kept.is);
    }
    return same;
  }

  remember(states: ReadonlyMap<string, FileState>, now: ViewAfter | undefined): void {
    this.known.clear();
    for (const [path, is] of states) {
      const seen = now?.findStamp(path);
      if (seen !== undefined && is.kind === "file") this.known.set(path, { seen, is });
    }
  }
}

/** The changes of files with known states. Files that look the same aren't read. */
async function collectKnownChanges(
  known: ReadonlyMap<string, FileState>,
  before: ViewBefore | undefined,
  after: ViewAfter | undefined,
): Promise<readonly ProgramChange[]> {
  const suspects = [...known].filter(([path]) => {
    const then = before?.findStamp(path);
    return then === undefined || then !== after?.findStamp(path);
  });
  const now = await mapInParallel(suspects, async ([path, was]) => ({
    path,
    was,
    is: await readFileState(path),
  }));
  return now.filter(({ was, is }) => !isSameState(was, is));
}

/** The files that the agent has changed itself, latest last. */
async function listOwnPaths(journal: UndoJournal): Promise<readonly string[]> {
  const lines = await journal.read().catch(() => []);
  return collectPathHistories(lines.slice(-RECENT_LINES))
    .filter(({ standing }) => standing.length > 0)
    .toSorted((one, other) => (one.standing.at(-1)?.id ?? 0) - (other.standing.at(-1)?.id ?? 0))
    .slice(-MOST_OWN)
    .map(({ path }) => path);
}

/** The number of last-changed files whose content is kept before each program. */
const MOST_OWN = 200;
/** The number of journal lines that are searched for those files, so that longer runs don't get slower. */
const RECENT_LINES = 2_000;

/** If a program changes more files, the rest can't be undone. */
const MOST_CHANGES = 50_000;
const MOST_NAMED = 20;

const NOT_KEPT = createOtherState(displayText("trouble.changedByProgram"));
const LINK = createOtherState(displayText("trouble.wasLink"));
const CHANGED_AGAIN = createOtherState(displayText("trouble.changedAfterProgram"));

/** Where the earlier contents of files are. */
interface EarlierContents {
  readonly view: Pick<ProgramView, "readHeld">;
  readonly journal: Pick<UndoJournal, "keepContent">;
  readonly copies: Pick<UnheldCopies, "get">;
}

/** The changes of a program, with the earlier contents that could be kept. */
async function collectProgramChanges(
  all: readonly SeenChange[],
  { view, journal, copies }: EarlierContents,
): Promise<readonly ProgramChange[]> {
  const changes = all.slice(0, MOST_CHANGES);
  const earlier = new Map<string, FileState>();
  const held: HeldFile[] = [];
  const keep = async (path: string, content: HeldContent): Promise<void> => {
    const was = await journal.keepContent(content);
    if (was) earlier.set(path, was);
  };
  for (const change of changes) {
    const content = copies.get(change.path, change.before);
    if (content) await keep(change.path, content);
    else if (change.held) held.push([change.path, change.held]);
  }
  await view.readHeld(held, keep);
  const found = await mapInParallel(changes, async (change) => ({
    path: change.path,
    was: earlier.get(change.path) ?? createUnkeptState(change.before),
    is: await readCurrentState(change),
  }));
  return found.filter(({ was, is }) => !isSameState(was, is));
}

/** A state whose content isn't known. */
function createUnkeptState(seen: string | undefined): FileState {
  if (seen === undefined) return { kind: "missing" };
  if (seen === "folder") return { kind: "folder" };
  return seen.startsWith("link") ? LINK : NOT_KEPT;
}

/** The state that the program left, unless someone has changed it since. */
async function readCurrentState({ path, now }: SeenChange): Promise<FileState> {
  const is = await readFileState(path);
  const isFile = is.kind === "file" || is.kind === "missing";
  return !isFile || (await hasSameStamp(path, now)) ? is : CHANGED_AGAIN;
}

/** Describes the changes of a program for the model and the user, including those that can't be undone. `count` is the total number. */
function describeProgramChanges(changes: readonly ProgramChange[], count: number, folder: string): string {
  const files = changes.filter(({ was, is }) => was.kind !== "folder" && is.kind !== "folder");
  const parents = new Set(files.flatMap(({ path }) => listFoldersAbove(path)));
  const told = changes.filter((change) => files.includes(change) || !parents.has(change.path));
  if (told.length === 0) return "";
  const formatLabel = (change: ProgramChange) => formatPathLabel(change, folder);
  const lost = told.filter(({ was, is }) => was.kind === "other" || is.kind === "other");
  const beyond = Math.max(0, count - MOST_CHANGES);
  return [
    `Files that it changed: ${formatNames(
      told.map((change) => `${formatLabel(change)}${formatChangeKind(change)}`),
      beyond,
    )}.`,
    ...(lost.length + beyond > 0 ? [`Changed, can't be undone: ${formatNames(lost.map(formatLabel), beyond)}.`] : []),
  ].join("\n");
}

function formatNames(names: readonly string[], more: number): string {
  const rest = Math.max(0, names.length - MOST_NAMED) + more;
  return `${names.slice(0, MOST_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function formatChangeKind({ was, is }: ProgramChange): string {
  return was.kind === "missing" ? " (new)" : is.kind === "missing" ? " (deleted)" : "";
}

function formatPathLabel({ path, was, is }: ProgramChange, folder: string): string {
  const way = relative(folder, path);
  const end = was.kind === "folder" || is.kind === "folder" ? "/" : "";
  return `${way.startsWith("..") ? path : way.split(sep).join("/")}${end}`;
}

function listFoldersAbove(path: string): readonly string[] {
  const names = path.split(sep);
  return names.map((_, index) => names.slice(0, index).join(sep));
}
