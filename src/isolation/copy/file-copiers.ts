import { availableParallelism } from "node:os";
import { JobThread } from "../../node/processes/event-loop.ts";
import { type CopiedFile, copyFiles, type FileBatch, type Uncopied } from "./copy-files.ts";

/** One outcome for each file of a batch. */
export type FileOutcomes = readonly (CopiedFile | Uncopied)[];

/** An answer from a copying thread. */
export type CopyAnswer = { readonly outcomes: FileOutcomes } | { readonly message: string; readonly code?: string };

/** Functions that copy the files of one tree. Each handles one batch at a time. */
export interface FileCopiers {
  readonly all: readonly ((batch: FileBatch) => Promise<FileOutcomes>)[];
  /** Resolves once all writing has stopped. */
  close(): Promise<void>;
}

/** With fewer files, copying ends before threads have started. */
const MANY_FILES = 10_000;
/** With more threads, most of them wait for the file system. */
const MOST_THREADS = 4;

/** Creates copiers, which use threads if there are many files. `script` is `copy-worker.ts`, or its bundle. */
export function createFileCopiers(files: number, script: string | URL | undefined): FileCopiers {
  if (script === undefined || files < MANY_FILES)
    return { all: [async (batch) => copyFiles(batch)], close: async () => undefined };
  const count = Math.min(MOST_THREADS, availableParallelism());
  const threads = Array.from({ length: count }, () => new JobThread<FileBatch, CopyAnswer>(script));
  return {
    // Each thread has its next batch when it's done with one.
    all: [...threads, ...threads].map((thread) => (batch) => copyInThread(thread, batch)),
    close: async () => void (await Promise.all(threads.map((thread) => thread.close()))),
  };
}

async function copyInThread(thread: JobThread<FileBatch, CopyAnswer>, batch: FileBatch): Promise<FileOutcomes> {
  const answer = await thread.run(batch);
  if ("outcomes" in answer) return answer.outcomes;
  throw Object.assign(new Error(answer.message), { code: answer.code });
}
