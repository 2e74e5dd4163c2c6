import type { Dialect } from "./dialect.ts";

/** What the server of a model has taught by its refusals. */
interface Lesson {
  dialect?: Dialect;
}

/** Remembers for each server and model how its requests have to look, so that no second run has to learn it again. */
export class Lessons {
  private readonly known = new Map<string, Lesson>();

  /** The lesson to read and to add to. */
  of(server: string, model: string): Lesson {
    const name = JSON.stringify([server, model]);
    const lesson = this.known.get(name) ?? {};
    this.known.set(name, lesson);
    return lesson;
  }
}
