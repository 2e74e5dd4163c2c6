import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { getErrorMessage } from "../../core/base/errors.ts";
import type { EncoderCancel, EncoderRequest, EncoderResponse, EncoderStart } from "./encoder-embedder.ts";
import { MODEL, RUNTIME, RUNTIME_WASM, readEncoder, TOKENIZER } from "./encoder-files.ts";
import { WordPieces } from "./word-pieces.ts";

/** Logs only errors. Without an arena, the memory for a long text is freed after it. */
const OPTIONS = { logSeverityLevel: 3, enableCpuMemArena: false, enableMemPattern: false } as const;

/** The part of ONNX Runtime that is used here. */
interface Runtime {
  readonly env: { logLevel: string; readonly wasm: { numThreads: number; wasmBinary?: ArrayBuffer } };
  readonly InferenceSession: {
    create(model: Uint8Array, options: typeof OPTIONS): Promise<Session>;
  };
  readonly Tensor: new (type: "int64", values: BigInt64Array, size: readonly number[]) => unknown;
}

interface Session {
  run(inputs: Readonly<Record<string, unknown>>): Promise<{
    readonly last_hidden_state: { readonly data: Float32Array; readonly dims: readonly number[] };
  }>;
}

/** The model was trained with 256 tokens, two of which mark the ends of the text. */
const WINDOW = 254;
/** Longer texts are cut: more windows would only make their mean vaguer. */
const MAX_WINDOWS = 4;
const BEGIN = 101n;
const END = 102n;
/** Two threads halve the time of a long text; more would take too much of the machine. */
const MAX_THREADS = 2;

interface Waiting extends EncoderRequest {
  readonly vectors: Float32Array[];
}

const { folder }: EncoderStart = workerData;
const encoder = loadEncoder(folder);
encoder.catch(() => "Each request is answered with the error.");

const waiting = new Map<number, Waiting>();
let isWorking = false;

parentPort?.on("message", (request: EncoderRequest | EncoderCancel) => {
  if ("cancelled" in request) waiting.delete(request.cancelled);
  else waiting.set(request.number, { ...request, vectors: [] });
  if (!isWorking) void work();
});

/** Embeds one text at a time, of the request with the fewest left, so that a question doesn't wait for a batch of memories. */
async function work(): Promise<void> {
  isWorking = true;
  while (waiting.size > 0) {
    const countRemainingTexts = (one: Waiting): number => one.texts.length - one.vectors.length;
    const next = [...waiting.values()].reduce((best, one) =>
      countRemainingTexts(one) < countRemainingTexts(best) ? one : best,
    );
    const answer = await advance(next);
    if (answer && waiting.delete(next.number)) parentPort?.postMessage(answer);
    await nextTurn();
  }
  isWorking = false;
}

/** Embeds the next text of a request; returns the answer after the last one. */
async function advance({ number, texts, vectors }: Waiting): Promise<EncoderResponse | undefined> {
  try {
    const text = texts[vectors.length];
    if (text !== undefined) vectors.push(await (await encoder)(text));
    return vectors.length < texts.length ? undefined : { number, vectors };
  } catch (error) {
    return { number, error: getErrorMessage(error) };
  }
}

interface Loaded {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly pieces: WordPieces;
}

/** Loads the files from their installation folder; they aren't part of this program. Doesn't keep their content. */
async function load(from: string): Promise<Loaded> {
  const files = await readEncoder(from);
  const getFileContent = (name: string): Buffer<ArrayBuffer> => files.get(name) ?? Buffer.alloc(0);
  const runtime: Runtime = createRequire(path.join(from, RUNTIME))(`./${RUNTIME}`);
  runtime.env.logLevel = "error";
  runtime.env.wasm.numThreads = Math.min(MAX_THREADS, availableParallelism());
  runtime.env.wasm.wasmBinary = getFileContent(RUNTIME_WASM).buffer;
  const session = await runtime.InferenceSession.create(getFileContent(MODEL), OPTIONS);
  delete runtime.env.wasm.wasmBinary;
  const { model }: { model: { vocab: Record<string, number> } } = JSON.parse(getFileContent(TOKENIZER).toString());
  return { runtime, session, pieces: new WordPieces(new Map(Object.entries(model.vocab))) };
}

async function loadEncoder(from: string): Promise<(text: string) => Promise<Float32Array>> {
  const { runtime, session, pieces } = await load(from);
  return async (text) => {
    const ids = pieces.listPieceIds(text, WINDOW * MAX_WINDOWS);
    let vector = new Float32Array();
    for (let start = 0; start === 0 || start < ids.length; start += WINDOW) {
      const window = ids.slice(start, start + WINDOW);
      vector = addWeightedVector(vector, await computeMeanVector(window, session, runtime), window.length);
    }
    return scaleToUnit(vector);
  };
}

/** The mean of the model's output for each token. */
async function computeMeanVector(
  ids: readonly number[],
  session: Session,
  { Tensor }: Pick<Runtime, "Tensor">,
): Promise<Float32Array> {
  const tokens = BigInt64Array.from([BEGIN, ...ids.map(BigInt), END]);
  const createTensor = (values: BigInt64Array): unknown => new Tensor("int64", values, [1, tokens.length]);
  const { last_hidden_state: output } = await session.run({
    input_ids: createTensor(tokens),
    attention_mask: createTensor(new BigInt64Array(tokens.length).fill(1n)),
    token_type_ids: createTensor(new BigInt64Array(tokens.length)),
  });
  const size = output.dims.at(-1) ?? 0;
  const sum = new Float32Array(size);
  for (let token = 0; token < output.data.length; token += size)
    for (let at = 0; at < size; at++) sum[at] = (sum[at] ?? 0) + (output.data[token + at] ?? 0);
  return scaleToUnit(sum);
}

function addWeightedVector(sum: Float32Array, vector: Float32Array, weight: number): Float32Array<ArrayBuffer> {
  return vector.map((value, at) => value * Math.max(1, weight) + (sum[at] ?? 0));
}

function scaleToUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
