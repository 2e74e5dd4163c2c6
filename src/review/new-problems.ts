import { setTimeout } from "node:timers/promises";
import type { FoundProblems, LateProblems, Problem, ResolvedPath } from "../core/ports/workspace.ts";

/** The language services that report problems of changed files. */
export interface LanguageServices {
  /** Problems of a file before a change; undefined once `changed` reports that the change came first. */
  before(place: ResolvedPath, changed: () => boolean): Promise<readonly Problem[] | undefined>;
  /** Problems of a file that are known immediately. */
  now(place: ResolvedPath): readonly Problem[];
  /** Reports a file's problems each time a service has checked it. Resolves once all services have, or after a time limit. */
  follow(
    place: ResolvedPath,
    report: (problems: readonly Problem[]) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** A file that was or may be changed. */
interface Watched {
  /** Problems that the agent knows or didn't cause; undefined while they are being collected. */
  known: readonly Problem[] | undefined;
  /** The current problems. */
  found: readonly Problem[];
  /** Whether problems missing from `known` come from the change. */
  areNew: boolean;
  changed: boolean;
  following: AbortController | undefined;
  learning: Promise<void>;
}

/** Problems reported within this time are part of the change's outcome. */
const SOON_MS = 300;

/** Finds the problems that changes cause. No change waits for them; late ones are part of the next prompt. */
export class ChangedFiles {
  private readonly services: LanguageServices;
  private readonly soonMs: number;
  private readonly files = new Map<string, Watched>();

  constructor(services: LanguageServices, soonMs = SOON_MS) {
    this.services = services;
    this.soonMs = soonMs;
  }

  /** Announces a possible change: starts to collect the problems that the file already has. */
  expect(place: ResolvedPath): void {
    const earlier = this.files.get(place.path);
    if (earlier && (earlier.following || unread(earlier).length > 0)) return;
    this.files.set(place.path, this.learn(place));
  }

  /** Announces a change and returns the problems reported within a moment. */
  async changed(place: ResolvedPath, signal: AbortSignal): Promise<FoundProblems> {
    const watched = this.files.get(place.path) ?? nothingKnown();
    this.files.set(place.path, watched);
    watched.changed = true;
    watched.following?.abort();
    const following = new AbortController();
    watched.following = following;
    const until = AbortSignal.any([signal, following.signal]);
    const report = (problems: readonly Problem[]): void => {
      if (watched.following === following) watched.found = problems;
    };
    const followed = this.services
      .follow(place, report, until)
      .catch(() => undefined)
      .finally(() => {
        if (watched.following === following) watched.following = undefined;
      });
    await Promise.race([
      Promise.all([watched.learning, followed]),
      pause(this.soonMs, signal).catch(() => undefined),
    ]);
    const { problems, areNew, markRead } = lateOf([watched]);
    markRead();
    return { problems, areNew };
  }

  late(): LateProblems {
    return lateOf([...this.files.values()]);
  }

  private learn(place: ResolvedPath): Watched {
    const watched = nothingKnown();
    if (place.kind !== "file") return watched;
    const others = this.services.now(place);
    watched.known = undefined;
    watched.learning = this.services
      .before(place, () => watched.changed)
      .catch(() => undefined)
      .then((problems) => {
        watched.areNew = problems !== undefined;
        watched.known = [...(problems ?? []), ...others];
      });
    return watched;
  }
}

function nothingKnown(): Watched {
  return {
    known: [],
    found: [],
    areNew: true,
    changed: false,
    following: undefined,
    learning: Promise.resolve(),
  };
}

function unread({ known, found }: Watched): readonly Problem[] {
  return known ? newProblems(known, found) : [];
}

function lateOf(all: readonly Watched[]): LateProblems {
  const late = all
    .filter((watched) => unread(watched).length > 0)
    .map((watched) => ({ watched, found: watched.found }));
  return {
    problems: late.flatMap(({ watched }) => unread(watched)),
    areNew: late.every(({ watched }) => watched.areNew),
    markRead: () => {
      for (const { watched, found } of late) Object.assign(watched, { known: found, areNew: true });
    },
  };
}

/** Problems of `after` that `before` doesn't have, even if their lines have moved. Two equal ones count twice. */
export function newProblems(before: readonly Problem[], after: readonly Problem[]): readonly Problem[] {
  const known = new Map<string, number>();
  for (const problem of before) known.set(key(problem), (known.get(key(problem)) ?? 0) + 1);
  return after.filter((problem) => {
    const left = known.get(key(problem)) ?? 0;
    known.set(key(problem), left - 1);
    return left <= 0;
  });
}

function key({ severity, source, message }: Problem): string {
  return JSON.stringify([severity, source, message]);
}

/** Waits. Throws the signal's reason when it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}
