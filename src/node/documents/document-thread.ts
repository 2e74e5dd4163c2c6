import { Worker } from "node:worker_threads";
import { getErrorMessage } from "../../core/base/errors.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { MOST_SECONDS } from "../processes/event-loop.ts";
import type { DocumentJob, DocumentReading } from "./documents.ts";

/** Megabytes for the thread. Only a hostile document needs more. */
const LIMITS = { maxOldGenerationSizeMb: 1024 };
/** The thread is replaced after this many documents, because parsers keep some memory. */
const MOST_DOCUMENTS = 200;

/** Starts the document worker so that it reads one document after another. */
export const MANY_DOCUMENTS = "many documents";

/**
 * Reads many documents in one thread, one after another, because a thread for each would take longer than most documents.
 * The thread is replaced when a document ends it or takes too long.
 */
export class DocumentThread {
  private readonly program: string | URL;
  private thread: Worker | undefined;
  private read = 0;

  /** `program`: `document-worker.ts`, or its bundle. */
  constructor(program: string | URL) {
    this.program = program;
  }

  /** A document's text, or why there is none. Throws only the signal's reason. */
  async readText(job: DocumentJob, signal: AbortSignal): Promise<DocumentReading> {
    signal.throwIfAborted();
    if (this.read >= MOST_DOCUMENTS) await this.close();
    this.read += 1;
    this.thread ??= new Worker(this.program, {
      workerData: MANY_DOCUMENTS,
      resourceLimits: LIMITS,
      execArgv: [],
      env: {},
    });
    const reading = await waitForAnswer(this.thread, job, signal);
    if ("ended" in reading) await this.close();
    signal.throwIfAborted();
    return "ended" in reading ? { error: reading.ended } : reading;
  }

  async close(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    this.read = 0;
    await thread?.terminate();
  }
}

/** The thread's answer, or why the thread is of no use any more. */
async function waitForAnswer(
  thread: Worker,
  job: DocumentJob,
  signal: AbortSignal,
): Promise<DocumentReading | { readonly ended: string }> {
  const { promise, resolve } = Promise.withResolvers<DocumentReading | { readonly ended: string }>();
  const createEndHandler = (why: string) => () => resolve({ ended: why });
  const [stopped, exited] = [createEndHandler("it was stopped"), createEndHandler("its reader ended")];
  const handleFailure = (error: unknown) => resolve({ ended: explainFailure(error) });
  const clock = setTimeout(
    createEndHandler(`it takes longer than ${MOST_SECONDS} seconds`),
    MOST_SECONDS * 1000,
  );
  signal.addEventListener("abort", stopped, { once: true });
  thread.once("message", resolve).once("error", handleFailure).once("exit", exited);
  thread.postMessage(job);
  try {
    return await promise;
  } finally {
    clearTimeout(clock);
    signal.removeEventListener("abort", stopped);
    thread.off("message", resolve).off("error", handleFailure).off("exit", exited);
  }
}

function explainFailure(error: unknown): string {
  return hasCode(error, "ERR_WORKER_OUT_OF_MEMORY")
    ? "it takes more than 1 GB of memory"
    : getErrorMessage(error);
}
