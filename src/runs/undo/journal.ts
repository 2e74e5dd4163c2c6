import { Queue } from "../../core/base/async.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { appendLines } from "../../disk/append-line.ts";
import type { Seal } from "../log/log-seal.ts";
import { diskFiles, type FileState, type SeenFiles } from "./file-state.ts";
import { mapInParallel } from "./in-parallel.ts";
import {
  createJournalReader,
  getJournalPath,
  type JournalChange,
  type SettledChange,
  sealJournalLine,
  type TouchedFile,
} from "./journal-lines.ts";
import type { PreImages } from "./pre-images.ts";

/** A change that is about to happen, before the current states are known. */
interface NewChange extends Omit<JournalChange, "id" | "files"> {
  readonly files: readonly { readonly path: string; readonly of?: readonly number[] }[];
}

/**
 * The journal of file changes, one JSON object per line. Before a change, its line is on the disk and the old content is kept;
 * a second line records the result. Without that second line, the change was interrupted and its result is unknown.
 */
export interface UndoJournal {
  /** Keeps the current contents and writes the line. Throws a sentence if that fails; then nothing may be changed. */
  begin(change: NewChange): Promise<JournalChange>;
  /** Writes the resulting states of the paths. */
  settle(change: JournalChange, paths: readonly string[]): Promise<void>;
  /** Writes that a step is about to run a program, and keeps the contents of `paths`. Throws like `begin`. */
  beginProgram(step: number, paths: readonly string[]): Promise<ReadonlyMap<string, FileState>>;
  /** Keeps an earlier content of a file from another source; undefined if that fails. */
  keepContent(content: HeldContent): Promise<FileState | undefined>;
  /** Writes the changes of a step's program. `seen` is true if all files were compared. */
  note(step: number, changes: readonly ProgramChange[], seen: boolean): Promise<void>;
  read(): Promise<readonly (JournalChange | SettledChange)[]>;
}

/** A path that a program has changed. */
export interface ProgramChange {
  readonly path: string;
  readonly was: FileState;
  readonly is: FileState;
}

/** The content and the permission bits of a file. */
export interface HeldContent {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** The journal in a folder. `seal` is the user's; with it, only lines that have it count. */
export function createUndoJournal(
  runFolder: string,
  kept: PreImages,
  files: SeenFiles = diskFiles,
  seal?: Seal,
): UndoJournal {
  const { onDisk = files } = files;
  const path = getJournalPath(runFolder);
  const lines = createJournalReader(runFolder, seal);
  let next: number | undefined;
  const queue = new Queue();
  const takeNextId = async (): Promise<number> => {
    const id = next ?? 1 + (await lines()).reduce((most, line) => Math.max(most, line.id), 0);
    next = id + 1;
    return id;
  };
  const write = (line: JournalChange | SettledChange) => appendLines(path, sealJournalLine(line, seal));
  return {
    begin: (beginning) =>
      queue.add(async () => {
        const touches = await mapInParallel(
          beginning.files,
          async ({ path: touched, of }): Promise<TouchedFile> => ({
            path: touched,
            was: await files.keep(touched, kept),
            ...omitUndefined({ of }),
          }),
        );
        const change: JournalChange = { ...beginning, id: await takeNextId(), files: touches };
        await write(change);
        return change;
      }),
    settle: ({ id }, paths) =>
      queue.add(async () => {
        const now = await mapInParallel(paths, async (touched) => ({
          path: touched,
          is: await files.readState(touched),
        }));
        await write({ id, now });
      }),
    beginProgram: (step, paths) =>
      queue.add(async () => {
        const states = await mapInParallel(paths, async (one) => [one, await onDisk.keep(one, kept)] as const);
        await write({ id: await takeNextId(), by: "step", step, files: [], ran: true });
        return new Map(states);
      }),
    keepContent: ({ bytes, mode }) =>
      kept.keepBytes(bytes, mode).then(
        (image): FileState => ({ kind: "file", ...image }),
        () => undefined,
      ),
    note: (step, changes, seen) =>
      queue.add(async () => {
        const id = await takeNextId();
        const touches = changes.map(({ path: touched, was }) => ({ path: touched, was }));
        await write({ id, by: "step", step, files: touches, ...omitUndefined({ seen: seen || undefined }) });
        if (changes.length > 0)
          await write({ id, now: changes.map(({ path: touched, is }) => ({ path: touched, is })) });
      }),
    read: () => queue.add(lines),
  };
}

/** The outcome of a command that wasn't run, because its changes couldn't have been undone. */
export function createNotKeptOutcome(why: string): Outcome {
  return {
    status: "failed",
    error: `Nothing was done, because the current files couldn't be kept for undo: ${why}. Ask the user to check that the disk has space and can be written.`,
  };
}

/** Paths that a run has changed, and those among them that didn't exist before its first change. */
export async function loadOwnFiles(journal: Pick<UndoJournal, "read">): Promise<{
  readonly changed: ReadonlySet<string>;
  readonly created: ReadonlySet<string>;
}> {
  const changed = new Set<string>();
  const created = new Set<string>();
  for (const line of await journal.read()) {
    for (const { path, was } of "files" in line ? line.files : []) {
      if (!changed.has(path) && was.kind === "missing") created.add(path);
      changed.add(path);
    }
  }
  return { changed, created };
}
