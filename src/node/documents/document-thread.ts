import { JobThread, MOST_SECONDS, WorkerFailure } from "../processes/event-loop.ts";
import type { DocumentJob, DocumentReading } from "./documents.ts";

/** The thread is replaced after this many documents, because parsers keep some memory. */
const MOST_DOCUMENTS = 200;

/**
 * Reads many documents in one thread, one after another, because a thread for each would take longer than most documents.
 * The thread is replaced when a document ends it or takes too long.
 */
export class DocumentThread {
  private readonly program: string | URL;
  private thread: JobThread<DocumentJob, DocumentReading> | undefined;
  private read = 0;

  /** `program`: `document-worker.ts`, or its bundle. */
  constructor(program: string | URL) {
    this.program = program;
  }

  /** A document's text, or the reason why it has none. Throws only the signal's reason. */
  async readText(job: DocumentJob, signal: AbortSignal): Promise<DocumentReading> {
    signal.throwIfAborted();
    if (this.read >= MOST_DOCUMENTS) await this.close();
    this.read += 1;
    this.thread ??= new JobThread(this.program);
    try {
      return await this.thread.run(job, { seconds: MOST_SECONDS, signal });
    } catch (error) {
      await this.close();
      if (error instanceof WorkerFailure) return { error: error.message };
      throw error;
    }
  }

  async close(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    this.read = 0;
    await thread?.close();
  }
}
