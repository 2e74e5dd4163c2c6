import { getErrorMessage } from "../../core/base/errors.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { addOutcomeRemark } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import { createOtherState, type FileState, isSameState, readFileState } from "./file-state.ts";
import { mapInParallel } from "./in-parallel.ts";
import { createNotKeptOutcome, type ProgramChange, type UndoJournal } from "./journal.ts";
import { collectProgramChanges, describeProgramChanges } from "./program-changes.ts";
import type { ProgramView, ViewAfter, ViewBefore } from "./program-view.ts";
import { collectPathHistories } from "./undo-plan.ts";
import { UnheldCopies } from "./unheld-copies.ts";

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
