import { setTimeout } from "node:timers/promises";
import type { FoundProblems, LateProblems, Problem, ResolvedPath } from "../../core/ports/workspace.ts";

/** The language services that report problems of changed files. */
export interface LanguageServices {
  /** Problems of a file before a change; undefined if `changed` reports that the change was earlier. */
  findProblemsBefore(place: ResolvedPath, changed: () => boolean): Promise<readonly Problem[] | undefined>;
  /** Problems of a file that are known immediately. */
  listCurrentProblems(place: ResolvedPath): readonly Problem[];
  /** Reports a file's problems after each service's check. Resolves once all services have checked it, or after a time limit. */
  follow(place: ResolvedPath, report: (problems: readonly Problem[]) => void, signal: AbortSignal): Promise<void>;
}

/** A file that was or may be changed. */
interface Watched {
  /** Problems that the agent already knows or hasn't caused; undefined while they are being collected. */
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

/** Finds problems caused by changes. Changes don't wait for them; late problems go into the next prompt. */
export class ChangedFiles {
  private readonly services: LanguageServices;
  private readonly soonMs: number;
  private readonly files = new Map<string, Watched>();

  constructor(services: LanguageServices, soonMs = SOON_MS) {
    this.services = services;
    this.soonMs = soonMs;
  }

  /** Announces a possible change, and starts to collect the file's existing problems. */
  expect(place: ResolvedPath): void {
    const earlier = this.files.get(place.path);
    if (earlier && (earlier.following || listUnreadProblems(earlier).length > 0)) return;
    this.files.set(place.path, this.learn(place));
  }

  /** Announces a change and returns the problems reported within a moment. */
  async announceChange(place: ResolvedPath, signal: AbortSignal): Promise<FoundProblems> {
    const watched = this.files.get(place.path) ?? createWatchedFile();
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
    await Promise.race([Promise.all([watched.learning, followed]), pause(this.soonMs, signal).catch(() => undefined)]);
    const { problems, areNew, markRead } = createLateProblems([watched]);
    markRead();
    return { problems, areNew };
  }

  collectLaterProblems(): LateProblems {
    return createLateProblems([...this.files.values()]);
  }

  private learn(place: ResolvedPath): Watched {
    const watched = createWatchedFile();
    if (place.kind !== "file") return watched;
    const others = this.services.listCurrentProblems(place);
    watched.known = undefined;
    watched.learning = this.services
      .findProblemsBefore(place, () => watched.changed)
      .catch(() => undefined)
      .then((problems) => {
        watched.areNew = problems !== undefined;
        watched.known = [...(problems ?? []), ...others];
      });
    return watched;
  }
}

function createWatchedFile(): Watched {
  return {
    known: [],
    found: [],
    areNew: true,
    changed: false,
    following: undefined,
    learning: Promise.resolve(),
  };
}

function listUnreadProblems({ known, found }: Watched): readonly Problem[] {
  return known ? findNewProblems(known, found) : [];
}

function createLateProblems(all: readonly Watched[]): LateProblems {
  const late = all
    .filter((watched) => listUnreadProblems(watched).length > 0)
    .map((watched) => ({ watched, found: watched.found }));
  return {
    problems: late.flatMap(({ watched }) => listUnreadProblems(watched)),
    areNew: late.every(({ watched }) => watched.areNew),
    markRead: () => {
      for (const { watched, found } of late) Object.assign(watched, { known: found, areNew: true });
    },
  };
}

/** Problems that are only in `after`, even if lines have moved. Duplicates count separately. */
export function findNewProblems(before: readonly Problem[], after: readonly Problem[]): readonly Problem[] {
  const known = new Map<string, number>();
  for (const problem of before) known.set(formatProblemKey(problem), (known.get(formatProblemKey(problem)) ?? 0) + 1);
  return after.filter((problem) => {
    const left = known.get(formatProblemKey(problem)) ?? 0;
    known.set(formatProblemKey(problem), left - 1);
    return left <= 0;
  });
}

function formatProblemKey({ severity, source, message }: Problem): string {
  return JSON.stringify([severity, source, message]);
}

/** Waits. Throws the signal's reason when it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}
