// Copies files in a thread of its own. Bundled as dist/copy-worker.cjs.

import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { findErrorCode } from "../../disk/error-codes.ts";
import { answerJobs } from "../../node/processes/job-thread.ts";
import { copyFiles, type FileBatch } from "./copy-files.ts";
import type { CopyAnswer } from "./file-copiers.ts";

answerJobs(async (batch: FileBatch) => () => answerBatch(batch));

function answerBatch(batch: FileBatch): CopyAnswer {
  try {
    return { outcomes: copyFiles(batch) };
  } catch (error) {
    const code = findErrorCode(error);
    return { message: getErrorMessage(error), ...omitUndefined({ code }) };
  }
}
