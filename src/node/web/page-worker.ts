// Reads one page in its own thread, so that a large one blocks nothing. Bundled as dist/page-worker.cjs.
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { readPage } from "./read-page.ts";

// Only Linux has priorities of threads. Elsewhere it would be the whole program's.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);

/** An exception ends the thread, and its caller is notified. */
void readPage(workerData).then((reading) => parentPort?.postMessage(reading));
