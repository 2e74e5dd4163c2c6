// Reads one page in a thread of its own, so that a large one holds nothing up. Bundled as dist/page-worker.cjs.
import { parentPort, workerData } from "node:worker_threads";
import { readPage } from "./read-page.ts";

/** What goes wrong ends the thread, and whoever waits for it is told. */
void readPage(workerData).then((reading) => parentPort?.postMessage(reading));
