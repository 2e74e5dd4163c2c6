import { setTimeout as wait } from "node:timers/promises";
import { Emitter } from "../core/base/emitter.ts";

const PAUSES_MS = [500, 1000, 2000, 5000, 10_000, 20_000, 30_000];

/** Waits before a connection is tried again: longer each time, but no longer than `mostMs`, and until the signal aborts. */
export async function waitToRetry(failures: number, signal: AbortSignal, mostMs = 30_000): Promise<void> {
  const ms = Math.min(PAUSES_MS[failures] ?? mostMs, mostMs);
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

/** Items that come from elsewhere, for a reader who takes them in their order while more may come. */
export class ItemQueue<Item> {
  private readonly items: Item[] = [];
  private readonly news = new Emitter();
  private error: unknown;
  private hasEnded = false;

  /** True once no more items come. */
  get isOver(): boolean {
    return this.hasEnded;
  }

  add(item: Item): void {
    this.items.push(item);
    this.news.fire();
  }

  /** No more items come, because of a problem if there is an error. Only the first end counts. */
  end(error?: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.error = error;
    this.news.fire();
  }

  /** Calls back once no more items come. */
  onOver(listener: () => void): () => void {
    return this.news.subscribe(() => {
      if (this.hasEnded) listener();
    });
  }

  /** Ends with the items. Throws the error. */
  async *read(): AsyncGenerator<Item> {
    for (;;) {
      yield* this.items.splice(0);
      if (this.items.length > 0) continue;
      if (this.error !== undefined) throw this.error;
      if (this.hasEnded) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const unsubscribe = this.news.subscribe(resolve);
      await promise;
      unsubscribe();
    }
  }
}
