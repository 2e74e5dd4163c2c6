// Copies files in a thread of its own. Bundled as dist/copy-worker.cjs.

import { parentPort } from "node:worker_threads";
import { getErrorMessage } from "../../core/base/errors.ts";
import { findErrorCode } from "../../disk/error-codes.ts";
import { copyFiles, type FileBatch } from "./copy-files.ts";
import type { CopyAnswer } from "./file-copiers.ts";

parentPort?.on("message", (batch: FileBatch) => parentPort?.postMessage(answerBatch(batch)));

function answerBatch(batch: FileBatch): CopyAnswer {
  try {
    return { outcomes: copyFiles(batch) };
  } catch (error) {
    const code = findErrorCode(error);
    return { message: getErrorMessage(error), ...(code === undefined ? {} : { code }) };
  }
}
