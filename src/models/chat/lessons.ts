import { untilAborted } from "../../core/base/async.ts";
import type { Dialect } from "./dialect.ts";

/** How a model's server takes requests, learned from its refusals. */
interface Lesson {
  dialect?: Dialect;
}

/** Remembers the request form of each server and model, so that only the first run has to learn it. */
export class Lessons {
  private readonly known = new Map<string, Lesson>();
  private readonly requests = new Map<string, Requests>();

  /** The lesson to read and to extend. */
  of(server: string, model: string): Lesson {
    const name = JSON.stringify([server, model]);
    const lesson = this.known.get(name) ?? {};
    this.known.set(name, lesson);
    return lesson;
  }

  /** All requests to a server, for any of its models. */
  requestsTo(server: string): Requests {
    const requests = this.requests.get(server) ?? new Requests();
    this.requests.set(server, requests);
    return requests;
  }
}

/** Lets requests to a server overlap until one cuts off the reply to another. After that, they are sent one at a time. */
class Requests {
  private begun = 0;
  private ended = 0;
  private before: Promise<unknown> = Promise.resolve();
  private takeTurns = false;

  /** `isBrokenOff` reports whether another request may have cut off a reply without an end, and remembers it. */
  send<T>(
    send: (isBrokenOff: () => boolean) => Promise<T>,
    signal: AbortSignal,
    onWait: () => void,
  ): Promise<T> {
    const begin = async (): Promise<T> => {
      signal.throwIfAborted();
      const wasAlone = this.ended === this.begun;
      const own = ++this.begun;
      const overlaps = (): boolean => !wasAlone || this.begun > own;
      try {
        return await send(() => {
          this.takeTurns ||= overlaps();
          return overlaps();
        });
      } finally {
        this.ended++;
      }
    };
    if (this.takeTurns && this.ended < this.begun) onWait();
    const result = (this.takeTurns ? this.before : Promise.resolve()).then(begin);
    this.before = Promise.allSettled([this.before, result]).then(() => undefined);
    return untilAborted(result, signal);
  }
}
