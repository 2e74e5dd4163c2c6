/** Listeners for one kind of notification. They can be added and removed at any time. */
export class Emitter<News extends readonly unknown[] = []> {
  private readonly listeners = new Set<(...news: News) => void>();

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  /** Returns a function that removes the listener. A listener that is added twice is called twice. */
  readonly subscribe = (listener: (...news: News) => void): (() => void) => {
    const own = (...news: News): void => listener(...news);
    this.listeners.add(own);
    return () => void this.listeners.delete(own);
  };

  /** Calls all listeners, in the order in which they were added. Throws the first error once all were called. */
  fire(...news: News): void {
    const errors: unknown[] = [];
    for (const listener of [...this.listeners]) {
      try {
        listener(...news);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  clear(): void {
    this.listeners.clear();
  }
}
