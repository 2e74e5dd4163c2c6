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
    const place = this.kept.findIndex((other) => other.score > score);
    this.kept.splice(place < 0 ? this.kept.length : place, 0, { value, score });
    if (this.kept.length > this.count) this.kept.shift();
  }

  /** Highest score first. */
  list(): readonly Scored<T>[] {
    return this.kept.toReversed();
  }
}
