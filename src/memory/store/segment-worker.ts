// Reads segments in a thread of its own. Bundled as dist/segment-worker.cjs.

import { parentPort } from "node:worker_threads";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { readSegment, readVectors } from "./segment-files.ts";
import type { SegmentAnswer, SegmentRequest } from "./segment-reader.ts";

parentPort?.on("message", async ({ number, folder, cache, vectorsOf }: SegmentRequest) => {
  try {
    if (vectorsOf !== undefined) {
      const vectors = readVectors(folder, vectorsOf);
      answer({ number, ...omitUndefined({ vectors }) }, vectors ? [vectors.buffer] : []);
      return;
    }
    const contents = await readSegment(folder, cache);
    const { places, texts, terms, vectors } = contents;
    const parts = [places, texts, terms, ...(vectors ? [vectors] : [])];
    answer(
      { number, contents },
      parts.map(({ buffer }) => buffer),
    );
  } catch (error) {
    answer({ number, error: getErrorMessage(error) }, []);
  }
});

function answer(message: SegmentAnswer, buffers: readonly ArrayBuffer[]): void {
  parentPort?.postMessage(message, buffers);
}
