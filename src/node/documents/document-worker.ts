// Reads documents in a thread of their own, so that a large or hostile one blocks nothing. Bundled as
// dist/document-worker.cjs.
import { answerJobs } from "../processes/job-thread.ts";
import type { DocumentJob, NotebookJob } from "./documents.ts";
import { loadParser, readDocument, readNotebookFile } from "./read-document.ts";

answerJobs(async (job: DocumentJob | NotebookJob) => {
  await loadParser(job.kind);
  return async () => (job.kind === "ipynb" ? readNotebookFile(job) : readDocument(job));
});
