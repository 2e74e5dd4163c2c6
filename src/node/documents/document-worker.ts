// Reads one document in its own thread, so that a large or hostile one blocks nothing. Bundled as
// dist/document-worker.cjs.
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { DocumentJob, NotebookJob } from "./documents.ts";
import { readDocument, readNotebookFile } from "./read-document.ts";

// Only Linux has priorities of threads. Elsewhere it would be the whole program's.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);

const job: DocumentJob | NotebookJob = workerData;
void (job.kind === "ipynb" ? readNotebookFile(job) : readDocument(job)).then((reading) =>
  parentPort?.postMessage(reading),
);
