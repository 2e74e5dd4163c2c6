// Reads segments in a thread of its own. Bundled as dist/segment-worker.cjs.
import { parentPort } from "node:worker_threads";
import { errorMessage } from "../../core/base/errors.ts";
import { readSegment } from "./segment-files.ts";
import type { SegmentAnswer, SegmentRequest } from "./segment-reader.ts";

parentPort?.on("message", async ({ number, folder }: SegmentRequest) => {
  try {
    const contents = await readSegment(folder);
    const vectors = contents.stored.find(({ embedded }) => embedded)?.embedded?.vector.buffer;
    const buffers = [contents.texts.buffer, ...(vectors instanceof ArrayBuffer ? [vectors] : [])];
    parentPort?.postMessage({ number, contents } satisfies SegmentAnswer, buffers);
  } catch (error) {
    parentPort?.postMessage({ number, error: errorMessage(error) } satisfies SegmentAnswer);
  }
});
