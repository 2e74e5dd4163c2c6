// Reads documents in a thread of their own, so that a large or hostile one blocks nothing. Bundled as
// dist/document-worker.cjs.
import { parentPort, workerData } from "node:worker_threads";
import { answerJob } from "../processes/job-thread.ts";
import { MANY_DOCUMENTS } from "./document-thread.ts";
import type { DocumentJob, NotebookJob } from "./documents.ts";
import { loadParser, readDocument, readNotebookFile } from "./read-document.ts";

const job: DocumentJob | NotebookJob | typeof MANY_DOCUMENTS = workerData;
if (job === MANY_DOCUMENTS)
  parentPort?.on("message", async (one: DocumentJob) => parentPort?.postMessage(await readDocument(one)));
else
  void answerJob(async () => {
    await loadParser(job.kind);
    return async () => (job.kind === "ipynb" ? readNotebookFile(job) : readDocument(job));
  });
