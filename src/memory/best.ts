/** Something with how well it fits. */
export interface Scored<T> {
  readonly value: T;
  readonly score: number;
}

/** Keeps the `count` values with the highest scores of all it is offered. */
export class Best<T> {
  private readonly count: number;
  /** Lowest score first. */
  private kept: Scored<T>[] = [];

  constructor(count: number) {
    this.count = count;
  }

  /** What a score must exceed to be kept. */
  get floor(): number {
    return this.kept.length < this.count ? Number.NEGATIVE_INFINITY : (this.kept[0]?.score ?? Infinity);
  }

  offer(value: T, score: number): void {
    if (!(score > this.floor)) return;
    this.kept.splice(this.placeOf(score), 0, { value, score });
    if (this.kept.length > this.count) this.kept.shift();
  }

  /** Before the first that has a higher score. */
  private placeOf(score: number): number {
    let [from, to] = [0, this.kept.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.kept[middle]?.score ?? 0) > score) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** Highest score first. */
  list(): readonly Scored<T>[] {
    return this.kept.toReversed();
  }
}
