import { setImmediate as untilIdle } from "node:timers/promises";
import { getErrorMessage } from "../../core/base/errors.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import type { MemoryStore, StoredItem } from "../store/memory-store.ts";
import { type Embedder, EmbeddingError } from "./embedder.ts";

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;
/** The number of vectors to store before the event loop gets a turn. */
const TURN = 32;

/** Embeds every memory of a store in the background: new ones, and all of them after a change of the embedder. */
export class EmbeddingLoop {
  private readonly store: MemoryStore;
  private readonly embedder: Embedder;
  private readonly changed: () => void;
  private readonly stopping = new AbortController();
  /** The ids of memories whose text the embedder refuses. */
  private readonly refused = new Set<string>();
  private running: Promise<void> | undefined;
  private woken = false;
  private retry: NodeJS.Timeout | undefined;
  private retryMs = FIRST_RETRY_MS;
  private problem: string | undefined;

  /** `changed` is called after each batch and whenever the trouble changes. */
  constructor(store: MemoryStore, embedder: Embedder, changed: () => void) {
    this.store = store;
    this.embedder = embedder;
    this.changed = changed;
  }

  /** Why memories get no vectors at the moment, as a sentence. They are found by their words in the meantime. */
  get trouble(): Sentence | undefined {
    return this.problem;
  }

  /** Looks for work, unless a retry is pending. */
  wake(): void {
    if (this.retry || this.stopping.signal.aborted) return;
    this.woken = true;
    this.running ??= this.work();
  }

  /** Resolves once there is nothing to do, or nothing can be done now. */
  async waitUntilSettled(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.retry);
    await this.waitUntilSettled();
  }

  private async work(): Promise<void> {
    while (this.woken) {
      this.woken = false;
      await this.run();
    }
    this.running = undefined;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const batch = await this.store.listWithoutVector(this.embedder.batch, ({ id }) => !this.refused.has(id));
      if (batch.length === 0) break;
      try {
        await this.embed(batch, signal);
        this.retryMs = FIRST_RETRY_MS;
        this.problem = undefined;
        await this.store.compact();
      } catch (error) {
        if (!signal.aborted) this.giveUpForNow(error);
        break;
      } finally {
        this.changed();
      }
    }
  }

  /** If the embedder refuses a text, the texts of its batch are embedded one by one, and that text is skipped. */
  private async embed(batch: readonly StoredItem[], signal: AbortSignal): Promise<void> {
    try {
      const vectors = await this.embedder.embed(
        batch.map((item) => item.read().text),
        signal,
      );
      await this.save(batch, vectors);
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.about !== "text") throw error;
      if (batch.length > 1) for (const item of batch) await this.embed([item], signal);
      else for (const { id } of batch) this.refused.add(id);
    }
  }

  private async save(batch: readonly StoredItem[], vectors: readonly Float32Array[]): Promise<void> {
    if (vectors.length !== batch.length) throw createInvalidAnswerError();
    const size = this.store.dimensions ?? vectors[0]?.length ?? 0;
    const other = vectors.find(({ length }) => length !== size);
    if (other) throw createSizeMismatchError(other.length, size);
    const pairs = batch.map(({ id }, place) => [id, vectors[place] ?? new Float32Array()] as const);
    for (let first = 0; first < pairs.length; first += TURN) {
      const unfit = await this.store.embed(new Map(pairs.slice(first, first + TURN)));
      for (const id of unfit) this.refused.add(id);
      await untilIdle();
    }
  }

  /** Retries a wrong setup, too, but less and less often: each refresh wakes the loop, and each call may cost money. */
  private giveUpForNow(error: unknown): void {
    this.problem = getErrorMessage(error);
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.wake();
    }, this.retryMs).unref();
    this.retryMs = Math.min(this.retryMs * 2, LAST_RETRY_MS);
  }
}

function createInvalidAnswerError(): EmbeddingError {
  return new EmbeddingError("service", displayText("trouble.embeddingCountWrong"));
}

function createSizeMismatchError(now: number, before: number): EmbeddingError {
  return new EmbeddingError("setup", displayText("trouble.embeddingSizeChanged", { now, before }));
}
