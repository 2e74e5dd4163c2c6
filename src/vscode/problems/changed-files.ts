import type { FoundProblems, LateProblems, Place, Problem } from "../../core/ports.ts";
import { newProblems } from "./new-problems.ts";
import { pause } from "./pause.ts";

/** The language services, as far as changes of files need them. */
export interface Services {
  /** The problems of a file before a change; undefined once `changed` says that the change came first. */
  before(place: Place, changed: () => boolean): Promise<readonly Problem[] | undefined>;
  /** The problems of a file that are known without a wait. */
  now(place: Place): readonly Problem[];
  /** Reports a file's problems each time a service has looked at it. Resolves once all have, or it has gone on for too long. */
  follow(place: Place, report: (problems: readonly Problem[]) => void, signal: AbortSignal): Promise<void>;
}

/** One file that is or may be changed. */
interface Watched {
  /** The problems that the agent knows of, or that are not of its making; undefined while they are still being learned. */
  known: readonly Problem[] | undefined;
  /** The problems at present. */
  found: readonly Problem[];
  /** Problems that `known` lacks come from the change. */
  areNew: boolean;
  changed: boolean;
  following: AbortController | undefined;
  learning: Promise<void>;
}

/** Services that answer within this time are still heard for the outcome of the change. */
const SOON_MS = 300;

/** The problems that changes bring. No change waits for them: what comes late is kept until the next prompt. */
export class ChangedFiles {
  private readonly services: Services;
  private readonly soonMs: number;
  private readonly files = new Map<string, Watched>();

  constructor(services: Services, soonMs = SOON_MS) {
    this.services = services;
    this.soonMs = soonMs;
  }

  /** A file may be changed soon: begins to learn which problems it has already. */
  expect(place: Place): void {
    const earlier = this.files.get(place.path);
    if (earlier && (earlier.following || unread(earlier).length > 0)) return;
    this.files.set(place.path, this.learn(place));
  }

  /** A file was changed: the problems that come within a moment. */
  async changed(place: Place, signal: AbortSignal): Promise<FoundProblems> {
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

  private learn(place: Place): Watched {
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
