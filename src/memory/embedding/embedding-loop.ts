import { setImmediate as untilIdle } from "node:timers/promises";
import { errorMessage } from "../../core/base/errors.ts";
import type { MemoryEntry } from "../search/memory-index.ts";
import type { MemoryFolder } from "../store/memory-folder.ts";
import { type Embedder, EmbeddingError } from "./embedder.ts";

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;
/** So many vectors are kept before the event loop gets a turn. */
const TURN = 32;

/** Gives every memory of a folder its vector, in the background: new ones, and all of them once the embedder has changed. */
export class EmbeddingLoop {
  private readonly memory: MemoryFolder;
  private readonly embedder: Embedder;
  private readonly changed: () => void;
  private readonly stopping = new AbortController();
  /** Memories whose text the embedder refuses. */
  private readonly refused = new WeakSet<MemoryEntry>();
  private running: Promise<void> | undefined;
  private woken = false;
  private retry: NodeJS.Timeout | undefined;
  private retryMs = FIRST_RETRY_MS;
  private problem: string | undefined;

  /** `changed` is called after each batch and when trouble comes or goes. */
  constructor(memory: MemoryFolder, embedder: Embedder, changed: () => void) {
    this.memory = memory;
    this.embedder = embedder;
    this.changed = changed;
  }

  /** Why memories have no vectors just now, as a sentence. They are found by their words meanwhile. */
  get trouble(): string | undefined {
    return this.problem;
  }

  /** Looks for work, unless it waits for its next try. */
  wake(): void {
    if (this.retry || this.stopping.signal.aborted) return;
    this.woken = true;
    this.running ??= this.work();
  }

  /** Resolves once it has nothing to do, or cannot do it now. */
  async settled(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.retry);
    await this.settled();
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
      const batch = this.memory.waiting(this.embedder.batch, (entry) => !this.refused.has(entry));
      if (batch.length === 0) break;
      try {
        await this.embed(batch, signal);
        this.retryMs = FIRST_RETRY_MS;
        this.problem = undefined;
        await this.memory.fold();
      } catch (error) {
        if (!signal.aborted) this.giveUpForNow(error);
        break;
      } finally {
        this.changed();
      }
    }
  }

  /** When the embedder refuses a text, its batch is tried one by one and the text left out. */
  private async embed(batch: readonly MemoryEntry[], signal: AbortSignal): Promise<void> {
    try {
      const vectors = await this.embedder.embed(
        batch.map(({ item }) => item.read().text),
        signal,
      );
      await this.keep(batch, vectors);
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.about !== "text") throw error;
      if (batch.length > 1) for (const entry of batch) await this.embed([entry], signal);
      else for (const entry of batch) this.refused.add(entry);
    }
  }

  private async keep(batch: readonly MemoryEntry[], vectors: readonly Float32Array[]): Promise<void> {
    if (vectors.length !== batch.length) throw nonsense();
    const size = this.memory.index.dimensions ?? vectors[0]?.length ?? 0;
    const other = vectors.find(({ length }) => length !== size);
    if (other) throw otherSize(other.length, size);
    const pairs = batch.map((entry, place) => [entry, vectors[place] ?? new Float32Array()] as const);
    for (let first = 0; first < pairs.length; first += TURN) {
      const unfit = await this.memory.embed(new Map(pairs.slice(first, first + TURN)));
      for (const entry of unfit) this.refused.add(entry);
      await untilIdle();
    }
  }

  private giveUpForNow(error: unknown): void {
    this.problem = errorMessage(error);
    if (error instanceof EmbeddingError && error.about === "setup") return;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.wake();
    }, this.retryMs).unref();
    this.retryMs = Math.min(this.retryMs * 2, LAST_RETRY_MS);
  }
}

function nonsense(): EmbeddingError {
  return new EmbeddingError(
    "service",
    "The embedding server did not send one vector for each text. Check autogpt.model.embedding; until then memories are found by their words alone.",
  );
}

function otherSize(now: number, before: number): EmbeddingError {
  return new EmbeddingError(
    "setup",
    `The embedding model now gives vectors of ${now} numbers where it gave ${before}, so they are not mixed. Choose the model that was used before, or another name for this one (autogpt.model.embedding); until then memories are found by their words alone.`,
  );
}
