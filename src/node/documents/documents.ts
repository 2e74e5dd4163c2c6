import { Worker } from "node:worker_threads";
import type { BinaryFiles } from "../../core/binary-files.ts";
import type { Documents } from "../../core/documents.ts";
import { type Place, type Workspace, WorkspaceError } from "../../core/ports.ts";
import type { DocumentJob, DocumentReading } from "./document-job.ts";

/** What reading documents works with. */
export interface DocumentParts {
  readonly files: BinaryFiles;
  readonly workspace: Workspace;
  /** `document-worker.ts`, or what it was bundled to. */
  readonly worker: string | URL;
}

const MOST_BYTES = 100_000_000;

/** A document that takes longer to read, or more memory, was made to. */
const SECONDS = 60;
const LIMITS = { maxOldGenerationSizeMb: 1024 };

/** Reads documents in threads of their own. */
export function nodeDocuments({ files, workspace, worker }: DocumentParts): Documents {
  return {
    async textOf(place, kind, signal) {
      if (place.kind !== "file" || place.bytes > MOST_BYTES) {
        if (place.kind === "file") throw new WorkspaceError(tooLarge(place));
        await workspace.read(place);
      }
      const isText = kind === "html" || kind === "ipynb";
      const bytes = isText ? await utf8(workspace, place) : await files.readBytes(place);
      const reading = await inWorker(worker, { kind, bytes }, signal);
      if ("error" in reading) throw new WorkspaceError(unreadable(place, reading.error));
      return reading.text;
    },
  };
}

async function utf8(workspace: Workspace, place: Place): Promise<Uint8Array> {
  const content = await workspace.read(place);
  if (content.kind === "binary") throw new WorkspaceError(unreadable(place, "it is binary"));
  return new TextEncoder().encode(content.file.text);
}

async function inWorker(
  worker: string | URL,
  job: DocumentJob,
  signal: AbortSignal,
): Promise<DocumentReading> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<DocumentReading>();
  const thread = new Worker(worker, { workerData: job, resourceLimits: LIMITS, execArgv: [], env: {} });
  const stop = (): void => reject(signal.reason);
  const clock = setTimeout(resolve, SECONDS * 1000, { error: `it takes longer than ${SECONDS} seconds` });
  signal.addEventListener("abort", stop, { once: true });
  thread.once("message", resolve);
  thread.once("error", ({ message }) => resolve({ error: message }));
  thread.once("exit", () => resolve({ error: "its reader ended" }));
  try {
    return await promise;
  } finally {
    clearTimeout(clock);
    signal.removeEventListener("abort", stop);
    await thread.terminate();
  }
}

function tooLarge({ label, bytes }: Place): string {
  return `"${label}" has ${Math.round(bytes / 1e6)} MB, and documents are read up to ${MOST_BYTES / 1e6} MB. Ask the user for a smaller part of it, or take it apart with a program.`;
}

function unreadable({ label }: Place, why: string): string {
  return `"${label}" could not be read: ${why.replace(/[.\s]+$/, "")}. Try another file, or look at it with a program of your own.`;
}
