import { waitUntilAborted } from "../../core/base/async.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { ReplyFormat } from "../../core/ports/model.ts";
import type { Dialect, StoredLesson } from "../../schema/dialect.ts";
import { isReplyFormat } from "../../schema/host-validators.ts";
import { NO_PACE, Pace, type PaceLimits } from "../http/pace.ts";
import type { LessonStore } from "./lesson-file.ts";

/** The form of requests that a model's server accepts, learned from its refusals. */
export interface Lesson {
  /** Differences from the family's dialect. */
  changes: Partial<Dialect>;
  /** Refused reply formats, each with the time until which it isn't tried again. */
  readonly refused: Map<ReplyFormat, number>;
  /** The reply format that works; undefined if none was learned. */
  format?: ReplyFormat | undefined;
}

/** Stored lessons expire after this time, as servers are updated. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const MOST_KEPT = 100;
/** A refused reply format is tried again after this time, as gateways route to different servers. */
const REFUSED_MS = 60 * 60 * 1000;

/** Remembers the request form of each server and model, so that only the first run has to learn it. */
export class Lessons {
  private readonly known = new Map<string, Lesson>();
  private readonly requests = new Map<string, Requests>();
  private readonly store: LessonStore | undefined;
  private readonly now: () => Date;
  private readonly getLimits: () => PaceLimits;
  private stored: readonly StoredLesson[] = [];
  private loaded: Promise<void> | undefined;
  private saved: Promise<void> = Promise.resolve();

  /** Without a store, lessons last as long as the process. `getLimits`: how much each server is asked in a minute at most. */
  constructor(store?: LessonStore, now: () => Date = () => new Date(), getLimits: () => PaceLimits = () => NO_PACE) {
    this.store = store;
    this.now = now;
    this.getLimits = getLimits;
  }

  /** Returns the lesson for reading and extending. */
  getLesson(server: string, model: string): Lesson {
    const name = JSON.stringify([server, model]);
    const lesson = this.known.get(name) ?? { changes: {}, refused: new Map() };
    this.known.set(name, lesson);
    return lesson;
  }

  /** Records that a server refused a reply format. */
  refuse(server: string, model: string, format: ReplyFormat): void {
    this.getLesson(server, model).refused.set(format, this.now().getTime() + REFUSED_MS);
  }

  /** The formats that a server hasn't refused recently; all of them if it refused all. */
  listAcceptedFormats(server: string, model: string, formats: readonly ReplyFormat[]): readonly ReplyFormat[] {
    const { refused } = this.getLesson(server, model);
    const now = this.now().getTime();
    const accepted = formats.filter((format) => (refused.get(format) ?? 0) <= now);
    return accepted.length > 0 ? accepted : formats;
  }

  /** Resolves once the stored lessons are known. */
  ensureLoaded(): Promise<void> {
    this.loaded ??= this.load();
    return this.loaded;
  }

  /** Stores the reply format that works for a model on a server. Undefined removes it. */
  async keepFormat(server: string, model: string, format: ReplyFormat | undefined): Promise<void> {
    await this.ensureLoaded();
    const lesson = this.getLesson(server, model);
    if (lesson.format === format) return;
    lesson.format = format;
    await this.keep(server, model);
  }

  /** Stores the lessons about a model, once a request in that form has worked. */
  keep(server: string, model: string): Promise<void> {
    const { changes, format } = this.getLesson(server, model);
    const others = this.stored.filter((lesson) => lesson.server !== server || lesson.model !== model);
    const lesson = { server, model, at: this.now().toISOString(), changes, ...omitUndefined({ format }) };
    this.stored = [lesson, ...others].slice(0, MOST_KEPT);
    this.saved = this.saved.then(() => this.store?.save(this.stored));
    return this.saved;
  }

  /** Resolves once all pending lessons are stored. */
  waitUntilSaved(): Promise<void> {
    return this.saved;
  }

  private async load(): Promise<void> {
    const all = (await this.store?.load()) ?? [];
    const oldest = this.now().getTime() - KEPT_MS;
    this.stored = all.filter(({ at }) => Date.parse(at) > oldest);
    for (const { server, model, changes, format } of this.stored) {
      const lesson = this.getLesson(server, model);
      lesson.changes = { ...changes, ...lesson.changes };
      if (isReplyFormat(format)) lesson.format ??= format;
    }
  }

  /** The requests to a server, for all its models. */
  getRequests(server: string): Requests {
    const requests = this.requests.get(server) ?? new Requests(new Pace(this.getLimits));
    this.requests.set(server, requests);
    return requests;
  }
}

/** Lets requests to a server overlap until one cuts off the reply to another. After that, they are sent one at a time. */
class Requests {
  readonly pace: Pace;
  private begun = 0;
  private ended = 0;
  private before: Promise<unknown> = Promise.resolve();
  private takeTurns = false;

  constructor(pace: Pace) {
    this.pace = pace;
  }

  /** `isBrokenOff` reports whether another request may have cut off an unfinished reply, and remembers the result. */
  send<T>(send: (isBrokenOff: () => boolean) => Promise<T>, signal: AbortSignal, onWait: () => void): Promise<T> {
    const begin = async (): Promise<T> => {
      signal.throwIfAborted();
      const wasAlone = this.ended === this.begun;
      const own = ++this.begun;
      const hasOverlap = (): boolean => !wasAlone || this.begun > own;
      try {
        return await send(() => {
          this.takeTurns ||= hasOverlap();
          return hasOverlap();
        });
      } finally {
        this.ended++;
      }
    };
    if (this.takeTurns && this.ended < this.begun) onWait();
    const result = (this.takeTurns ? this.before : Promise.resolve()).then(begin);
    this.before = Promise.allSettled([this.before, result]).then(() => undefined);
    return waitUntilAborted(result, signal);
  }
}
