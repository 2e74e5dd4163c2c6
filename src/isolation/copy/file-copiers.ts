import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { type CopiedFile, copyFiles, type FileBatch, type Uncopied } from "./copy-files.ts";

/** One for each file of a batch. */
export type FileOutcomes = readonly (CopiedFile | Uncopied)[];

/** From a thread that copies. */
export type CopyAnswer =
  | { readonly outcomes: FileOutcomes }
  | { readonly message: string; readonly code?: string };

/** Those who copy the files of one tree, each one batch after the other. */
export interface FileCopiers {
  readonly all: readonly ((batch: FileBatch) => Promise<FileOutcomes>)[];
  /** Once it resolves, nothing is written any more. */
  close(): Promise<void>;
}

/** Fewer files are copied before threads have started. */
const MANY_FILES = 10_000;
/** With more threads, most of them wait for the file system. */
const MOST_THREADS = 4;

/** Copies in threads if there are many files. `script` is `copy-worker.ts`, or its bundle. */
export function createFileCopiers(files: number, script: string | URL | undefined): FileCopiers {
  if (script === undefined || files < MANY_FILES)
    return { all: [async (batch) => copyFiles(batch)], close: async () => undefined };
  const count = Math.min(MOST_THREADS, availableParallelism());
  const threads = Array.from({ length: count }, () => new CopyThread(script));
  return {
    // Each thread has its next batch when it's done with one.
    all: [...threads, ...threads].map((thread) => (batch) => thread.copy(batch)),
    close: async () => void (await Promise.all(threads.map((thread) => thread.close()))),
  };
}

class CopyThread {
  private readonly worker: Worker;
  private readonly asked: PromiseWithResolvers<FileOutcomes>[] = [];
  private failure: Error | undefined;

  constructor(script: string | URL) {
    this.worker = new Worker(script);
    this.worker.on("message", (answer: CopyAnswer) => {
      const next = this.asked.shift();
      if ("outcomes" in answer) next?.resolve(answer.outcomes);
      else next?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
    });
    this.worker.on("error", (error: Error) => this.fail(error));
    this.worker.on("exit", () => this.fail(new Error("The thread that copies files has ended.")));
  }

  copy(batch: FileBatch): Promise<FileOutcomes> {
    if (this.failure) return Promise.reject(this.failure);
    const outcomes = Promise.withResolvers<FileOutcomes>();
    this.asked.push(outcomes);
    this.worker.postMessage(batch);
    return outcomes.promise;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { reject } of this.asked.splice(0)) reject(this.failure);
  }
}
