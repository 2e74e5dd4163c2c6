// Reads one page in a thread of its own, so that a large one holds nothing up. Bundled as dist/page-worker.cjs.
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { readPage } from "./read-page.ts";

// Linux alone knows priorities of threads; elsewhere it would be that of the whole program.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);

/** What goes wrong ends the thread, and whoever waits for it is told. */
void readPage(workerData).then((reading) => parentPort?.postMessage(reading));
