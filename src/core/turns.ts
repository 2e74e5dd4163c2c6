/** Lets things happen one after the other, in the order they were asked for. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** What `act` gives, once all before it are done or have failed. */
  take<T>(act: () => Promise<T>): Promise<T> {
    const result = this.last.then(act);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all that has been asked for so far is done or has failed. */
  get over(): Promise<unknown> {
    return this.last;
  }
}
