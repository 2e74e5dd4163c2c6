import { type PageLink, type SearchHit, WebError } from "../../core/ports/services.ts";
import { inWorker, WorkerFailure } from "../processes/event-loop.ts";

/** What a worker is asked to read. */
export interface PageJob {
  readonly bytes: Uint8Array;
  /** `Content-Type`; "" when the server sent none. */
  readonly type: string;
  /** Where it was; links are relative to it. */
  readonly url: string;
  /** A list of search results instead of a page. */
  readonly results?: boolean;
}

/** What a worker made of it. */
export type PageReading =
  | {
      readonly kind: "page";
      readonly title: string;
      readonly text: string;
      readonly links: readonly PageLink[];
      /** There is nothing to read, but scripts that would make it. */
      readonly isEmptyWithoutScripts: boolean;
    }
  | { readonly kind: "results"; readonly found: readonly SearchHit[] }
  /** It is no text. */
  | { readonly kind: "binary" };

/** A page that takes longer to read was made to. */
const SECONDS = 40;

/** Has a page read in a thread of its own. `worker` is `page-worker.ts`, or what it was bundled to. Throws `WebError`. */
export async function readPageInWorker(
  worker: string | URL,
  job: PageJob,
  signal: AbortSignal,
): Promise<PageReading> {
  try {
    return await inWorker<PageReading>(worker, job, { seconds: SECONDS, signal });
  } catch (cause) {
    if (!(cause instanceof WorkerFailure)) throw cause;
    throw new WebError(`The page could not be read (${cause.message}). Take another source.`, { cause });
  }
}
