/** Runs calls of the same name one after the other, in order. Calls of different names don't wait for each other. */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<void>>();

  run(name: string, act: () => Promise<void>): Promise<void> {
    const turn = (this.last.get(name) ?? Promise.resolve()).then(act);
    const over = turn
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(name) === over) this.last.delete(name);
      });
    this.last.set(name, over);
    return turn;
  }
}
