import { type PageLink, type SearchHit, WebError } from "../../core/ports/services.ts";
import { MOST_SECONDS, runInWorker, WorkerFailure } from "../processes/event-loop.ts";

/** Input of the page reader. */
export interface PageJob {
  readonly bytes: Uint8Array;
  /** `Content-Type`; "" when the server sent none. */
  readonly type: string;
  /** Its address; links are relative to it. */
  readonly url: string;
  /** True for a list of search results instead of a page. */
  readonly results?: boolean;
}

/** Output of the page reader. */
export type PageReading =
  | {
      readonly kind: "page";
      readonly title: string;
      readonly text: string;
      readonly links: readonly PageLink[];
      /** The page has no text, but scripts that would create some. */
      readonly isEmptyWithoutScripts: boolean;
    }
  | { readonly kind: "results"; readonly found: readonly SearchHit[] }
  /** It isn't text. */
  | { readonly kind: "binary" };

/** Reads a page in its own thread. `worker` is `page-worker.ts`, or its bundle. Throws `WebError`. */
export async function readPageInWorker(worker: string | URL, job: PageJob, signal: AbortSignal): Promise<PageReading> {
  try {
    return await runInWorker<PageReading>(worker, job, { seconds: MOST_SECONDS, signal });
  } catch (cause) {
    if (!(cause instanceof WorkerFailure)) throw cause;
    throw new WebError(`The page could not be read (${cause.message}). Take another source.`, { cause });
  }
}
