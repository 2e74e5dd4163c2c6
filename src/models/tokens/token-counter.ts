import { Worker } from "node:worker_threads";
import { type CountTokens, estimateTokens } from "../../core/context/tokens.ts";

/** True for models that use `o200k_base`, or an encoding so close to it that the server's counts correct the rest. */
export function isCounted(model: string): boolean {
  const plain = model.toLowerCase().replace(/^.*\//, "");
  return /^(gpt-[3-9]|gpt-\d\d|gpt-oss|chatgpt-|o\d)/.test(plain);
}

/** To the worker: count the tokens of these texts. */
export interface TokenRequest {
  readonly number: number;
  readonly texts: readonly string[];
}

/** From the worker: one count per text. */
export interface TokenResponse {
  readonly number: number;
  readonly counts: readonly number[];
}

/** `token-worker.ts`, or what it was bundled to. */
export interface TokenCounterOptions {
  readonly worker: string | URL;
}

/** The worker holds 85 MB and ends after this time without a request. */
const IDLE_MS = 300_000;
const MAX_KNOWN = 20_000;

/** Counts tokens in a worker, each text once. Until it answers, and for models with an unknown tokenizer, counts are estimates. */
export class TokenCounter {
  private readonly options: TokenCounterOptions;
  private readonly known = new Map<string, number>();
  private readonly queued = new Set<string>();
  private readonly asked = new Map<number, readonly string[]>();
  private readonly waiting: (() => void)[] = [];
  /** Not yet sent. */
  private fresh: string[] = [];
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  private numbers = 0;
  private broken = false;

  constructor(options: TokenCounterOptions) {
    this.options = options;
  }

  /** Returns the counter for a model. */
  readonly of = (model: string): CountTokens => (isCounted(model) ? this.count : estimateTokens);

  /** Resolves once all requested texts are counted, or can't be. */
  settled(): Promise<void> {
    if (this.queued.size === 0 || this.broken) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
    this.giveUp();
  }

  private readonly count: CountTokens = Object.assign((text: string): number => this.tokensOf(text), {
    learning: true,
  });

  private tokensOf(text: string): number {
    const known = text === "" ? 0 : this.known.get(text);
    if (known !== undefined) return known;
    if (!this.broken) this.ask(text);
    return estimateTokens(text);
  }

  /** All texts of one turn of the event loop are sent together. */
  private ask(text: string): void {
    if (this.queued.has(text)) return;
    if (this.fresh.length === 0) setImmediate(() => this.send());
    this.queued.add(text);
    this.fresh.push(text);
  }

  private send(): void {
    const texts = this.fresh;
    this.fresh = [];
    if (texts.length === 0 || this.broken) return;
    const question: TokenRequest = { number: this.numbers++, texts };
    this.asked.set(question.number, texts);
    clearTimeout(this.idle);
    const worker = this.start();
    worker.ref();
    worker.postMessage(question);
  }

  private start(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.options.worker);
    worker.on("message", (answer: TokenResponse) => this.take(answer));
    worker.on("error", () => this.died(worker));
    worker.on("exit", () => this.died(worker));
    this.worker = worker;
    return worker;
  }

  private take({ number, counts }: TokenResponse): void {
    const texts = this.asked.get(number) ?? [];
    this.asked.delete(number);
    for (const [place, text] of texts.entries()) {
      this.queued.delete(text);
      this.known.set(text, counts[place] ?? estimateTokens(text));
    }
    for (const text of this.known.keys()) {
      if (this.known.size <= MAX_KNOWN) break;
      this.known.delete(text);
    }
    if (this.asked.size > 0) return;
    this.worker?.unref();
    this.idle = setTimeout(() => void this.stopWorker(), IDLE_MS).unref();
    if (this.queued.size === 0) this.settle();
  }

  private async stopWorker(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }

  /** After a worker has failed, all counts are estimates. */
  private died(worker: Worker): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.giveUp();
  }

  private giveUp(): void {
    this.broken = true;
    this.queued.clear();
    this.asked.clear();
    this.settle();
  }

  private settle(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
