// Reads one document in its own thread, so that a large or hostile one blocks nothing. Bundled as
// dist/document-worker.cjs.
import { workerData } from "node:worker_threads";
import { answerJob } from "../processes/job-thread.ts";
import type { DocumentJob, NotebookJob } from "./documents.ts";
import { loadParser, readDocument, readNotebookFile } from "./read-document.ts";

const job: DocumentJob | NotebookJob = workerData;
void answerJob(async () => {
  await loadParser(job.kind);
  return async () => (job.kind === "ipynb" ? readNotebookFile(job) : readDocument(job));
});
