// Reads one page in its own thread, so that a large one blocks nothing. Bundled as dist/page-worker.cjs.
import { workerData } from "node:worker_threads";
import { answerJob } from "../processes/job-thread.ts";
import { readPage } from "./read-page.ts";

void answerJob(async () => async () => readPage(workerData));
