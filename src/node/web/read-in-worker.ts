import { WebError } from "../../core/ports/services.ts";
import { inWorker, WorkerFailure } from "../in-worker.ts";
import type { PageJob, PageReading } from "./page-job.ts";

/** A page that takes longer to read was made to. */
const SECONDS = 40;

/** Has a page read in a thread of its own. `worker` is `page-worker.ts`, or what it was bundled to. Throws `WebError`. */
export async function readInWorker(
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
