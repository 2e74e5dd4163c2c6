// Reads one document in a thread of its own, so that a large or a hostile one holds nothing up. Bundled as dist/document-worker.cjs.
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { readDocument } from "./read-document.ts";

// Linux alone knows priorities of threads; elsewhere it would be that of the whole program.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);

void readDocument(workerData).then((reading) => parentPort?.postMessage(reading));
