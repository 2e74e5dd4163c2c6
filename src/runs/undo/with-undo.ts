import { lstat } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import type { Prepared, Running } from "../../core/command.ts";
import type { Commands } from "../../core/commands.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Change } from "./change.ts";
import { historyOf } from "./history.ts";
import type { UndoJournal } from "./journal.ts";
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
      const ran = prepared.effect === "run";
      const paths = ran ? await ownPaths(journal) : await changedBy(prepared);
      if (paths.length === 0 && !ran) return commands.run(prepared, running);
      const files = paths.map((path) => ({ path }));
      const change = await journal
        .begin({ by: "step", step: running.step, files, ...(ran ? { ran } : {}) })
        .catch((error: unknown) => `${error instanceof Error ? error.message : String(error)}`);
      if (typeof change === "string") return { status: "failed", error: notKept(change) };
      if (ran && sight) return watched(commands, prepared, running, { journal, sight, change, paths });
      try {
        return await commands.run(prepared, running);
      } finally {
        if (paths.length > 0) await journal.settle(change, paths).catch(() => undefined);
      }
    },
  };
}

interface Watching {
  readonly journal: UndoJournal;
  readonly sight: Sight;
  readonly change: Change;
  readonly paths: readonly string[];
}

/** Runs a program and looks at what is different after it. */
async function watched(
  commands: Commands,
  prepared: Prepared,
  running: Running,
  { journal, sight, change, paths }: Watching,
): Promise<Outcome> {
  const before = await sight.look().catch(() => undefined);
  const heldThen = before && (await sight.held?.().catch(() => undefined));
  const seen = { text: "" };
  const settle = async (): Promise<void> => {
    await journal.settle(change, paths);
    const after = before && (await sight.look());
    if (!after) return;
    const changes = await seenChanges(before, after, paths, heldThen);
    await journal.note(running.step, changes);
    if (changes.length > 0) seen.text = seenText(changes, (path) => labelOf(path, sight.folder));
  };
  const outcome = await commands.run(prepared, running).finally(() => settle().catch(() => undefined));
  if (seen.text === "" || outcome.status !== "done") return outcome;
  return { ...outcome, output: `${outcome.output.replace(/\n$/, "")}\n\n${seen.text}` };
}

function labelOf(path: string, folder: string): string {
  const way = relative(folder, path);
  return way.startsWith("..") ? path : way.split(sep).join("/");
}

/** Programs may change any file; of those that the agent has changed itself, it is known what was there. */
async function ownPaths(journal: UndoJournal): Promise<readonly string[]> {
  const lines = await journal.read().catch(() => []);
  const standing = historyOf(lines).filter((history) => history.standing.length > 0);
  return standing.slice(-MOST_OWN).map(({ path }) => path);
}

/** Of so many files, the last ones that were changed, the content is kept before each program. */
const MOST_OWN = 200;

function notKept(why: string): string {
  return `Nothing was done, because what is there now could not be kept for undo: ${why}. Ask the user to see that the disk has room and can be written.`;
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
