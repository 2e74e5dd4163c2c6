import { createYielder } from "../processes/event-loop.ts";

/** Many paths in no order, of which the first are wanted in the order of a walk: level by level, then by name. */
export class WalkOrder {
  private readonly keys = new Set<string>();

  add(relative: string): void {
    this.keys.add(encodeKey(relative));
  }

  get size(): number {
    return this.keys.size;
  }

  /** Yields the paths in order, in batches. Sorts only as many as are taken. */
  async *iterateBatches(size: number, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    let last = "";
    while (true) {
      const next = await this.selectSmallest(size, last, signal);
      if (next.length === 0) return;
      last = next.at(-1) ?? "";
      yield next.map(decodeKey);
    }
  }

  /** The smallest keys after a given one, in order. */
  private async selectSmallest(count: number, after: string, signal: AbortSignal): Promise<readonly string[]> {
    const breathe = createYielder(signal);
    let best: string[] = [];
    let bound: string | undefined;
    let seen = 0;
    for (const key of this.keys) {
      if (seen++ % 1024 === 0) await breathe();
      if (key <= after || (bound !== undefined && key >= bound)) continue;
      best.push(key);
      if (best.length < 2 * count) continue;
      best = best.sort().slice(0, count);
      bound = best.at(-1);
    }
    return best.sort().slice(0, count);
  }
}

/** A key that sorts in the order of a walk: by level, then by each name. No name contains a NUL. */
function encodeKey(relative: string): string {
  const names = relative.split("/");
  return `${String.fromCharCode(names.length)}${names.join("\0")}`;
}

function decodeKey(key: string): string {
  return key.slice(1).replaceAll("\0", "/");
}
