import { Worker } from "node:worker_threads";
import { displayText } from "../../texts/display-text.ts";
import { type Embedder, EmbeddingError } from "./embedder.ts";

/** The data that the encoder's worker starts with. */
export interface EncoderStart {
  /** The folder whose `node_modules` holds the encoder's packages. */
  readonly folder: string;
}

/** To the worker: embed these texts. */
export interface EncoderRequest {
  readonly number: number;
  readonly texts: readonly string[];
}

/** From the worker: one vector per text, or an error. */
export type EncoderResponse =
  | { readonly number: number; readonly vectors: readonly Float32Array[] }
  | { readonly number: number; readonly error: string };

/** Options for the offline encoder. */
export interface OfflineEmbedderOptions {
  /** The folder whose `node_modules` holds the encoder's packages; see `installEncoder`. */
  readonly folder: string;
  /** `encoder-worker.ts`, or its bundle. */
  readonly worker: string | URL;
  /** The worker holds 200 MB and ends after this time without a request. */
  readonly idleSeconds?: number;
}

const IDLE_SECONDS = 300;
/** Texts are embedded one by one, 10 to 50 ms each. Small batches let a waiting query in between. */
const BATCH = 8;
/** The encoder mixes all words of a text into one vector; a longer text only dilutes it. */
const MAX_CHARS = 2_000;

/** The Universal Sentence Encoder (lite, English) in its own worker: no key, no network. */
export function offlineEmbedder(options: OfflineEmbedderOptions): Embedder {
  const encoder = new EncoderThread(options);
  return {
    id: "universal-sentence-encoder-lite-en-0.2.0",
    batch: BATCH,
    embed: (texts, signal) => encoder.ask(texts, signal),
    close: () => encoder.end(),
  };
}

interface PendingRequest {
  done(vectors: readonly Float32Array[]): void;
  failed(error: unknown): void;
}

/** The worker, started by the first request. */
class EncoderThread {
  private readonly options: OfflineEmbedderOptions;
  private readonly asked = new Map<number, PendingRequest>();
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  private count = 0;

  constructor(options: OfflineEmbedderOptions) {
    this.options = options;
  }

  ask(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<readonly Float32Array[]>();
    const number = this.count++;
    const stop = () => this.settle(number)?.failed(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    this.asked.set(number, { done: resolve, failed: reject });
    const question: EncoderRequest = { number, texts: texts.map((text) => text.slice(0, MAX_CHARS)) };
    clearTimeout(this.idle);
    const worker = this.start();
    worker.ref();
    worker.postMessage(question);
    return promise.finally(() => signal.removeEventListener("abort", stop));
  }

  async end(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
    this.failAll("It was closed.");
  }

  private start(): Worker {
    if (this.worker) return this.worker;
    const start: EncoderStart = { folder: this.options.folder };
    const worker = new Worker(this.options.worker, { workerData: start });
    worker.on("message", (answer: EncoderResponse) => this.answered(answer));
    worker.on("error", (error) => this.died(worker, String(error)));
    worker.on("exit", () => this.died(worker, "Its thread ended."));
    this.worker = worker;
    return worker;
  }

  private answered(answer: EncoderResponse): void {
    const asked = this.settle(answer.number);
    if ("error" in answer) asked?.failed(unusable(answer.error));
    else asked?.done(answer.vectors);
  }

  private settle(number: number): PendingRequest | undefined {
    const asked = this.asked.get(number);
    this.asked.delete(number);
    if (this.asked.size === 0) this.rest();
    return asked;
  }

  private rest(): void {
    const { idleSeconds = IDLE_SECONDS } = this.options;
    this.worker?.unref();
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.end(), idleSeconds * 1000).unref();
  }

  private died(worker: Worker, why: string): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.failAll(why);
  }

  private failAll(why: string): void {
    for (const number of [...this.asked.keys()]) this.settle(number)?.failed(unusable(why));
    clearTimeout(this.idle);
  }
}

function unusable(why: string): EmbeddingError {
  return new EmbeddingError("service", displayText("trouble.encoderFailed", { why }));
}
