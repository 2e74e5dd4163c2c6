import { relative, sep } from "node:path";
import type { Commands } from "../../core/commands.ts";
import { type FileState, look, sameState } from "./file-state.ts";
import { historyOf } from "./history.ts";
import { inParallel } from "./in-parallel.ts";
import type { SeenChange, UndoJournal } from "./journal.ts";
import { notKept, whyNot } from "./not-kept.ts";
import { type HeldThen, type Look, type Looks, seenChanges, seenText } from "./seen.ts";

/** What undo needs to see what programs change: a look at all files, and the folder that they are told relative to. */
export interface Sight {
  readonly look: Look;
  readonly folder: string;
  /** Asked before a program runs: what others keep of the files as they are then, as git does. */
  readonly held?: () => Promise<HeldThen>;
}

/**
 * Runs programs, and writes down what is different after each. Programs may change any file; of those that the agent has changed itself of
 * late, what was there is kept. Those that look as they did when they were kept are not read again.
 */
export function runningPrograms(
  commands: Commands,
  journal: UndoJournal,
  sight: Sight | undefined,
): Commands["run"] {
  const kept = new KeptLooks();
  return async (prepared, running) => {
    const { step } = running;
    const before = await sight?.look().catch(() => undefined);
    const paths = await ownPaths(journal);
    const steady = kept.lookingAs(before, paths);
    const read = paths.filter((path) => !steady.has(path));
    const begun = await journal.beginProgram(step, read).catch(whyNot);
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
      const others = before && after ? await seenChanges(before, after, known, heldThen) : [];
      if (sight && others.length > 0) seen.text = seenText(others, (path) => labelOf(path, sight.folder));
      if (after || ownChanges.length > 0)
        await journal.note(step, [...ownChanges, ...others], after !== undefined);
    };
    const outcome = await commands.run(prepared, running).finally(() => settle().catch(() => undefined));
    if (seen.text === "" || outcome.status !== "done") return outcome;
    return { ...outcome, output: `${outcome.output.replace(/\n$/, "")}\n\n${seen.text}` };
  };
}

/** Files whose content is kept, by how they looked then. */
class KeptLooks {
  private readonly known = new Map<string, { readonly seen: string; readonly is: FileState }>();

  /** Those of the paths that look as they did, with what they are. */
  lookingAs(now: Looks | undefined, paths: readonly string[]): ReadonlyMap<string, FileState> {
    const same = new Map<string, FileState>();
    for (const path of paths) {
      const kept = this.known.get(path);
      if (kept && kept.seen === now?.get(path)) same.set(path, kept.is);
    }
    return same;
  }

  are(states: ReadonlyMap<string, FileState>, now: Looks | undefined): void {
    this.known.clear();
    for (const [path, is] of states) {
      const seen = now?.get(path);
      if (seen !== undefined && is.kind === "file") this.known.set(path, { seen, is });
    }
  }
}

/** What has become different of files whose state is known. One that looks the same is not read. */
async function changesOf(
  known: ReadonlyMap<string, FileState>,
  before: Looks | undefined,
  after: Looks | undefined,
): Promise<readonly SeenChange[]> {
  const suspects = [...known].filter(([path]) => {
    const then = before?.get(path);
    return then === undefined || then !== after?.get(path);
  });
  const now = await inParallel(suspects, async ([path, was]) => ({ path, was, is: await look(path) }));
  return now.filter(({ was, is }) => !sameState(was, is));
}

function labelOf(path: string, folder: string): string {
  const way = relative(folder, path);
  return way.startsWith("..") ? path : way.split(sep).join("/");
}

/** The files that the agent has changed itself, the last ones last. */
async function ownPaths(journal: UndoJournal): Promise<readonly string[]> {
  const lines = await journal.read().catch(() => []);
  return historyOf(lines.slice(-RECENT_LINES))
    .filter(({ standing }) => standing.length > 0)
    .toSorted((one, other) => (one.standing.at(-1)?.id ?? 0) - (other.standing.at(-1)?.id ?? 0))
    .slice(-MOST_OWN)
    .map(({ path }) => path);
}

/** Of so many files, the last ones that were changed, the content is kept before each program. */
const MOST_OWN = 200;
/** So far back it is looked for them: a longer run costs no more for that. */
const RECENT_LINES = 2_000;
