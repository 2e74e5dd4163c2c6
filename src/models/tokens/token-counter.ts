import { Worker } from "node:worker_threads";
import { type CountTokens, estimateTokens } from "../../core/context/tokens.ts";
import { type EncodingName, findEncoding, type ModelEncoding } from "./encodings.ts";

/** A request to the worker to count the tokens of these texts. */
export interface TokenRequest {
  readonly number: number;
  readonly encoding: EncodingName;
  readonly texts: readonly string[];
}

/** The worker's response: one count per text. */
export interface TokenResponse {
  readonly number: number;
  readonly counts: readonly number[];
}

/** `token-worker.ts`, or its bundle. */
export interface TokenCounterOptions {
  readonly worker: string | URL;
}

/** The texts of one encoding. */
interface EncodedTexts {
  readonly known: Map<string, number>;
  readonly queued: Set<string>;
  /** Not sent yet. */
  fresh: string[];
  /** The estimated tokens of all texts so far. */
  estimated: number;
  sending?: NodeJS.Immediate | undefined;
}

/** The worker uses 85 MB for an encoding and ends after this time without a request. */
const IDLE_MS = 300_000;
const MAX_KNOWN = 20_000;
/**
 * Up to this share of a window, estimates are enough: they're on the high side, and corrected by the server's count of the first prompt.
 * The worker takes a second and 80 MB.
 */
const ESTIMATED_SHARE = 1 / 2;

/** Counts tokens in a worker, each text once. Until it answers, and for models with an unknown tokenizer, counts are estimates. */
export class TokenCounter {
  private readonly options: TokenCounterOptions;
  private readonly encodings = new Map<EncodingName, EncodedTexts>();
  private readonly asked = new Map<number, Omit<TokenRequest, "number">>();
  private readonly waiting: (() => void)[] = [];
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  private numbers = 0;
  private broken = false;

  constructor(options: TokenCounterOptions) {
    this.options = options;
  }

  /** Returns the counter for a model. With a window, it estimates until the texts could fill a good part of the window. */
  readonly getCounter = (model: string, window = 0): CountTokens => {
    const encoding = findEncoding(model);
    return encoding ? this.createCounter(encoding, window * ESTIMATED_SHARE) : estimateTokens;
  };

  /** Resolves once all requested texts are counted or have failed. */
  waitUntilSettled(): Promise<void> {
    for (const encoding of this.encodings.keys()) this.send(encoding);
    if (this.isIdle || this.broken) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
    this.giveUp();
  }

  private get isIdle(): boolean {
    return [...this.encodings.values()].every(({ queued }) => queued.size === 0);
  }

  private createCounter({ encoding, factor }: ModelEncoding, from: number): CountTokens {
    const count = (text: string): number => {
      const tokens = this.findTokenCount(encoding, text, from);
      return tokens === undefined ? estimateTokens(text) : Math.ceil(tokens * factor);
    };
    return Object.assign(count, { learning: true });
  }

  /** Undefined until the worker has answered. */
  private findTokenCount(encoding: EncodingName, text: string, from: number): number | undefined {
    if (text === "") return 0;
    const known = this.getTexts(encoding).known.get(text);
    if (known === undefined && !this.broken) this.ask(encoding, text, from);
    return known;
  }

  private getTexts(encoding: EncodingName): EncodedTexts {
    const texts = this.encodings.get(encoding) ?? {
      known: new Map(),
      queued: new Set(),
      fresh: [],
      estimated: 0,
    };
    this.encodings.set(encoding, texts);
    return texts;
  }

  /** Sends all texts of one turn of the event loop together, once they reach this number of tokens. */
  private ask(encoding: EncodingName, text: string, from: number): void {
    const texts = this.getTexts(encoding);
    if (!texts.queued.has(text)) {
      texts.queued.add(text);
      texts.fresh.push(text);
      texts.estimated += estimateTokens(text);
    }
    if (texts.estimated < from || texts.sending || texts.fresh.length === 0) return;
    texts.sending = setImmediate(() => this.send(encoding));
  }

  private send(encoding: EncodingName): void {
    const own = this.getTexts(encoding);
    const texts = own.fresh;
    own.fresh = [];
    own.sending = undefined;
    if (texts.length === 0 || this.broken) return;
    const question: TokenRequest = { number: this.numbers++, encoding, texts };
    this.asked.set(question.number, question);
    clearTimeout(this.idle);
    const worker = this.start();
    worker.ref();
    worker.postMessage(question);
  }

  private start(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.options.worker);
    worker.on("message", (answer: TokenResponse) => this.take(answer));
    worker.on("error", () => this.handleWorkerExit(worker));
    worker.on("exit", () => this.handleWorkerExit(worker));
    this.worker = worker;
    return worker;
  }

  private take({ number, counts }: TokenResponse): void {
    const question = this.asked.get(number);
    this.asked.delete(number);
    if (question) this.learn(question, counts);
    if (this.asked.size > 0) return;
    this.worker?.unref();
    this.idle = setTimeout(() => void this.stopWorker(), IDLE_MS).unref();
    if (this.isIdle) this.settle();
  }

  private learn({ encoding, texts }: Omit<TokenRequest, "number">, counts: readonly number[]): void {
    const { known, queued } = this.getTexts(encoding);
    for (const [place, text] of texts.entries()) {
      queued.delete(text);
      known.set(text, counts[place] ?? estimateTokens(text));
    }
    for (const text of known.keys()) {
      if (known.size <= MAX_KNOWN) break;
      known.delete(text);
    }
  }

  private async stopWorker(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }

  /** Makes all counts estimates after a worker has failed. */
  private handleWorkerExit(worker: Worker): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.giveUp();
  }

  private giveUp(): void {
    this.broken = true;
    for (const { queued } of this.encodings.values()) queued.clear();
    this.asked.clear();
    this.settle();
  }

  private settle(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
