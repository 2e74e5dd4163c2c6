import { setTimeout as wait } from "node:timers/promises";
import { getErrorMessage } from "../../core/base/errors.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { FleetEngine } from "../../fleet/engine.ts";
import type { AttemptRow } from "../../schema/fleet/batches.ts";
import { AttemptLog, classifyEnd, type EndedAs, isWorthRetry, NO_FACTS } from "./attempt-log.ts";
import type { BatchJournal, KnownAttempt } from "./batch-journal.ts";
import type { BatchAttempt } from "./batch-tasks.ts";

/** How often a run that should continue is looked at, and how often at most. */
const LOOK_MS = 1_000;
const MOST_LOOKS = 120;

/** Said to a run that continues after trouble. */
const AGAIN = "The work was interrupted by trouble that has nothing to do with the task. Continue with the task.";

/** Dependencies of the work on an attempt. */
export interface AttemptParts {
  readonly attempt: BatchAttempt;
  readonly engine: FleetEngine;
  readonly journal: BatchJournal;
  readonly signal: AbortSignal;
  /** How often its run may be continued after trouble. */
  readonly retries: number;
  readonly pauseMs: number;
  /** Passes on what has become of it. */
  report(news: Partial<AttemptRow>): void;
}

/** The outcome of an attempt: it's over, or the program ends first. */
export type AttemptOutcome =
  | { readonly kind: "over"; readonly as: EndedAs; readonly log: AttemptLog }
  | { readonly kind: "left" };

/** Takes one attempt to the end of its run: sends it, follows it, and continues it after trouble. All that was written down before counts. */
export class AttemptWork {
  private readonly parts: AttemptParts;
  private known: KnownAttempt;

  constructor(parts: AttemptParts, known: KnownAttempt) {
    this.parts = parts;
    this.known = known;
  }

  /** Sends the task as its run, unless that has happened already. Throws a sentence. */
  async send(): Promise<void> {
    const { attempt, engine, signal } = this.parts;
    const { run, usd } = this.known;
    const { task, folder } = attempt;
    const limit = usd === undefined ? {} : { "run.budgetUsd": usd };
    await engine.submit({ run, task, folder, settings: { ...attempt.settings, ...limit } }, signal);
  }

  /** Lets a run that has used up its budget continue. */
  async raise(usd: number, held: number): Promise<void> {
    const { attempt, journal } = this.parts;
    await journal.add({ type: "raising", attempt: attempt.key, usd, held });
    this.known = { ...this.known, usd, next: { type: "raising", attempt: attempt.key, usd, held } };
    await this.parts.engine.raise(this.known.run, { usd }, this.parts.signal);
  }

  /** Does again what was about to be done when the program ended, unless the log shows that it was done. */
  async redo(): Promise<void> {
    const { engine, signal } = this.parts;
    const { run, next } = this.known;
    if (!next) return this.send();
    const log = new AttemptLog();
    for (const line of await engine.readLog(run, signal)) log.add(line);
    if (log.endedAt > next.held) return;
    if (next.type === "raising" && log.state.limits.usd < next.usd) await engine.raise(run, { usd: next.usd }, signal);
    if (next.type === "retrying" && log.saidAt <= next.held) await engine.say(run, AGAIN, signal);
  }

  /** Follows the run to its end. */
  async follow(): Promise<AttemptOutcome> {
    for (;;) {
      const outcome = await this.followOnce(this.known.next?.held ?? 0);
      if (outcome.kind === "left") return outcome;
      const { as, log } = outcome;
      if (!isWorthRetry(as.end) || this.known.retries >= this.parts.retries) return outcome;
      await this.retry(log.held);
      if (this.parts.signal.aborted) return { kind: "left" };
    }
  }

  private async retry(held: number): Promise<void> {
    const { attempt, engine, journal, pauseMs, signal, report } = this.parts;
    const { run, retries } = this.known;
    const next = { type: "retrying", attempt: attempt.key, held } as const;
    await journal.add(next);
    this.known = { ...this.known, retries: retries + 1, next };
    report({ state: "working", why: `continued after trouble, ${retries + 1} of ${this.parts.retries}` });
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await engine.say(run, AGAIN, signal);
  }

  /** Follows the run until it ends with more lines than `after`. */
  private async followOnce(after: number): Promise<AttemptOutcome> {
    const { signal } = this.parts;
    let log = new AttemptLog();
    try {
      for (let looks = 0; looks < MOST_LOOKS; looks++) {
        log = new AttemptLog();
        await this.watch(log);
        if (signal.aborted) return { kind: "left" };
        const { end } = log.state;
        if (end && log.endedAt > after) return { kind: "over", as: classifyEnd(end), log };
        await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
      return { kind: "over", as: { end: "lost", why: "The run didn't continue in its place." }, log };
    } catch (error) {
      if (signal.aborted) return { kind: "left" };
      return { kind: "over", as: { end: "lost", why: getErrorMessage(error) }, log };
    }
  }

  private async watch(log: AttemptLog): Promise<void> {
    const { engine, signal, report } = this.parts;
    for await (const event of engine.watch(this.known.run, "", signal)) {
      if (event.type === "stored") {
        const stored = log.add(event.line);
        if (stored?.type === "ended" || stored?.type === "replied") report({ state: "working", ...log.facts });
      } else if (event.type === "asks") {
        const { question } = event;
        report(question ? { state: "waiting", question: escapeInvisible(question.text) } : { state: "working" });
      } else if (event.type === "connection" && event.isLost) report({ why: escapeInvisible(event.why ?? "") });
    }
  }
}

/** The row of an attempt that hasn't begun. */
export function createRow({ key, line, way, name, folder, settings }: BatchAttempt): AttemptRow {
  const model = settings["model.smart"];
  const ofWay = typeof model === "string" && model !== "" ? { model } : {};
  return { attempt: key, name, line, way, folder, ...ofWay, state: "pending", ...NO_FACTS };
}

/** Asks the runs of attempts that aren't over to stop. Those that can't be asked are named in sentences. */
export async function stopAttempts(
  attempts: readonly BatchAttempt[],
  known: ReadonlyMap<string, KnownAttempt>,
  openEngine: (folder: string) => Promise<FleetEngine>,
  signal: AbortSignal,
): Promise<{ readonly stopped: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  let stopped = 0;
  for (const { key, name, folder } of attempts) {
    const { run, ended } = known.get(key) ?? {};
    if (run === undefined || ended) continue;
    try {
      await (await openEngine(folder)).stop(run, signal);
      stopped += 1;
    } catch (error) {
      problems.push(`${name}: ${run} couldn't be asked. ${getErrorMessage(error)}`);
    }
  }
  return { stopped, problems };
}
