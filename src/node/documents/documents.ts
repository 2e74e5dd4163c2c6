import type { BinaryFiles, DocumentKind, Documents } from "../../core/ports/workspace.ts";
import { type ResolvedPath, type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import { MOST_SECONDS, runInWorker, WorkerFailure } from "../processes/event-loop.ts";
import { type NotebookJson, readNotebook } from "./notebook-json.ts";

/** Dependencies of reading documents. */
export interface DocumentReaderOptions {
  readonly files: BinaryFiles;
  readonly workspace: Workspace;
  /** `document-worker.ts`, or its bundle. */
  readonly worker: string | URL;
}

export const MOST_BYTES = 100_000_000;

/** Reads documents in their own threads. */
export function createNodeDocuments({ files, workspace, worker }: DocumentReaderOptions): Documents {
  return {
    async extractText(place, kind, signal) {
      if (place.kind !== "file" || place.bytes > MOST_BYTES) {
        if (place.kind === "file") throw new WorkspaceError(describeLargeFile(place));
        await workspace.read(place);
      }
      const bytes = kind === "html" ? await readUtf8(workspace, place) : await files.readBytes(place);
      const reading = await readInWorker<DocumentReading>(worker, { kind, bytes }, signal);
      if ("error" in reading) throw new WorkspaceError(describeUnreadableDocument(place, reading.error));
      return reading.text;
    },
  };
}

/** Notebook files up to this length are parsed here, without starting a thread. */
const SMALL_TEXT = 200_000;

/** Parses a notebook's file. Throws a clause if it isn't one. */
export async function parseNotebook(text: string, worker: string | URL, signal: AbortSignal): Promise<NotebookJson> {
  if (text.length <= SMALL_TEXT) return readNotebook(text);
  const reading = await readInWorker<NotebookReading>(worker, { kind: "ipynb", text }, signal);
  if ("error" in reading) throw new Error(reading.error);
  return reading.notebook;
}

async function readUtf8(workspace: Workspace, place: ResolvedPath): Promise<Uint8Array> {
  const content = await workspace.read(place);
  if (content.kind === "binary") throw new WorkspaceError(describeUnreadableDocument(place, "it is binary"));
  return new TextEncoder().encode(content.file.text);
}

/** The thread's result. If the thread fails, the document counts as unreadable. */
async function readInWorker<Reading>(
  worker: string | URL,
  job: DocumentJob | NotebookJob,
  signal: AbortSignal,
): Promise<Reading | { readonly error: string }> {
  try {
    return await runInWorker<Reading>(worker, job, { seconds: MOST_SECONDS, signal });
  } catch (error) {
    if (!(error instanceof WorkerFailure)) throw error;
    return { error: error.message };
  }
}

export function describeLargeFile({ label, bytes }: ResolvedPath): string {
  return `"${label}" has ${Math.round(bytes / 1e6)} MB, and documents are read up to ${MOST_BYTES / 1e6} MB. Ask the user for a smaller part of it, or take it apart with a program.`;
}

export function describeUnreadableDocument({ label }: ResolvedPath, why: string): string {
  return `"${label}" could not be read: ${why.replace(/[.\s]+$/, "")}. Try another file, or look at it with a program of your own.`;
}

/** Input of the document reader. */
export interface DocumentJob {
  readonly kind: DocumentKind;
  /** The file's bytes; for text formats, the text in UTF-8. */
  readonly bytes: Uint8Array;
}

/** Input for reading a notebook. */
export interface NotebookJob {
  readonly kind: "ipynb";
  readonly text: string;
}

/** A notebook's file, or an error as a clause. */
export type NotebookReading = { readonly notebook: NotebookJson } | { readonly error: string };

/** Output of the document reader; an error is a clause. */
export type DocumentReading = { readonly text: string } | { readonly error: string };
