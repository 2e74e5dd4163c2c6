// Reads one page in its own thread, so that a large one blocks nothing. Bundled as dist/page-worker.cjs.
import { answerJobs } from "../processes/job-thread.ts";
import type { PageJob } from "./page-job.ts";
import { readPage } from "./read-page.ts";

answerJobs(async (job: PageJob) => () => readPage(job));
