import { lstat } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import type { Prepared, Running } from "../../core/command.ts";
import type { Commands } from "../../core/commands.ts";
import type { Outcome } from "../../core/outcome.ts";
import { type FileState, look, sameState } from "./file-state.ts";
import { historyOf } from "./history.ts";
import { inParallel } from "./in-parallel.ts";
import type { SeenChange, UndoJournal } from "./journal.ts";
import { type HeldThen, type Look, seenChanges, seenText } from "./seen.ts";

/** What undo needs to see what programs change: a look at all files, and the folder that they are told relative to. */
export interface Sight {
  readonly look: Look;
  readonly folder: string;
  /** Asked before a program runs: what others keep of the files as they are then, as git does. */
  readonly held?: () => Promise<HeldThen>;
}

/**
 * Commands whose changes of files can be undone: what is there is kept before each, and what stands there after it is written down. What a
 * program changed is told as far as it can be seen; of the files that the agent had changed itself the content is kept then too.
 */
export function withUndo(commands: Commands, journal: UndoJournal, sight?: Sight): Commands {
  return {
    ...commands,
    async run(prepared, running) {
      if (prepared.effect === "run") return runProgram(commands, prepared, running, { journal, sight });
      const paths = await changedBy(prepared);
      if (paths.length === 0) return commands.run(prepared, running);
      const files = paths.map((path) => ({ path }));
      const change = await journal.begin({ by: "step", step: running.step, files }).catch(whyNot);
      if (typeof change === "string") return notKept(change);
      try {
        return await commands.run(prepared, running);
      } finally {
        await journal.settle(change, paths).catch(() => undefined);
      }
    },
  };
}

/** Runs a program and looks at what is different after it. */
async function runProgram(
  commands: Commands,
  prepared: Prepared,
  running: Running,
  { journal, sight }: { readonly journal: UndoJournal; readonly sight: Sight | undefined },
): Promise<Outcome> {
  const { step } = running;
  const own = await journal.beginProgram(step, await ownPaths(journal)).catch(whyNot);
  if (typeof own === "string") return notKept(own);
  const before = await sight?.look().catch(() => undefined);
  const heldThen = before && (await sight?.held?.().catch(() => undefined));
  const seen = { text: "" };
  const settle = async (): Promise<void> => {
    const after = before && (await sight?.look().catch(() => undefined));
    const ownChanges = await changesOf(own, before, after);
    const others = before && after ? await seenChanges(before, after, new Set(own.keys()), heldThen) : [];
    if (sight && others.length > 0) seen.text = seenText(others, (path) => labelOf(path, sight.folder));
    if (after || ownChanges.length > 0)
      await journal.note(step, [...ownChanges, ...others], after !== undefined);
  };
  const outcome = await commands.run(prepared, running).finally(() => settle().catch(() => undefined));
  if (seen.text === "" || outcome.status !== "done") return outcome;
  return { ...outcome, output: `${outcome.output.replace(/\n$/, "")}\n\n${seen.text}` };
}

/** What has become different of files whose state is known. One that looks the same is not read. */
async function changesOf(
  known: ReadonlyMap<string, FileState>,
  before: ReadonlyMap<string, string> = new Map(),
  after: ReadonlyMap<string, string> = new Map(),
): Promise<readonly SeenChange[]> {
  const suspects = [...known].filter(([path]) => {
    const then = before.get(path);
    return then === undefined || then !== after.get(path);
  });
  const now = await inParallel(suspects, async ([path, was]) => ({ path, was, is: await look(path) }));
  return now.filter(({ was, is }) => !sameState(was, is));
}

function labelOf(path: string, folder: string): string {
  const way = relative(folder, path);
  return way.startsWith("..") ? path : way.split(sep).join("/");
}

/** Programs may change any file; of those that the agent has changed itself of late, it is known what was there. */
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

function whyNot(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function notKept(why: string): Outcome {
  return {
    status: "failed",
    error: `Nothing was done, because what is there now could not be kept for undo: ${why}. Ask the user to see that the disk has room and can be written.`,
  };
}

/** The paths that would change, with the folders that would have to be made for them. */
async function changedBy({ touches }: Prepared): Promise<readonly string[]> {
  const paths = new Set<string>();
  for (const { path, how } of touches) {
    if (how === "read") continue;
    paths.add(path);
    let folder = dirname(path);
    while (how === "write" && dirname(folder) !== folder && !(await isThere(folder))) {
      paths.add(folder);
      folder = dirname(folder);
    }
  }
  return [...paths];
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
