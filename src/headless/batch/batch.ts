import { Queue } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { FleetEngine } from "../../fleet/engine.ts";
import type { AttemptRow, CheckFacts } from "../../schema/fleet/batches.ts";
import { type AttemptLog, type EndedAs, isWorthRetry } from "./attempt-log.ts";
import { AttemptWork, createRow } from "./attempt-work.ts";
import { BatchBudget, findOwnLimit } from "./batch-budget.ts";
import type { BatchJournal, KnownAttempt, KnownBatch } from "./batch-journal.ts";
import type { BatchAttempt } from "./batch-tasks.ts";
import type { CheckResult } from "./check-result.ts";

/** Dependencies of a batch. */
export interface BatchParts {
  readonly attempts: readonly BatchAttempt[];
  readonly known: KnownBatch["attempts"];
  readonly journal: BatchJournal;
  /** Runs that work at once. */
  readonly atOnce: number;
  /** Dollars for all runs together. */
  readonly budgetUsd?: number;
  /** Dollars for one run at its start; more than it needs. */
  readonly usualUsd: number;
  /** How often a run may be continued after trouble, and after which pause. */
  readonly retries: number;
  readonly pauseMs: number;
  /** A run that waits for an answer keeps its place, because it may ask its model again at any moment. */
  readonly keepsPlaces: boolean;
  /** Checks a result here; absent: none is. */
  readonly checkResult?: CheckResult;
  readonly signal: AbortSignal;
  createRunId(): string;
  openEngine(folder: string): Promise<FleetEngine>;
  /** Called with each change of a row. */
  handleRow(row: AttemptRow): void;
}

/** A run that has used up what it may cost. */
interface ShortRun {
  readonly attempt: BatchAttempt;
  readonly work: AttemptWork;
  readonly log: AttemptLog;
  /** Dollars that it asks for. */
  readonly wants: number;
  /** Dollars that weren't enough for its next call. */
  readonly failed: number;
}

const USED_UP = "The budget over all runs is used up. Call the command again with a larger --budget to continue.";
const UNPRICED =
  "The price of a model isn't known, so the budget can't be kept. Set model.prices on the machines that work, or call the command without --budget.";
/** If so many in a row couldn't be sent, no more are. */
const MOST_UNSENT = 3;

/** Has many tasks done elsewhere, some at once. It can end at any moment: what it was about to do is written down before. */
export class Batch {
  private readonly parts: BatchParts;
  private readonly rows = new Map<string, AttemptRow>();
  private readonly budget: BatchBudget | undefined;
  private readonly going = new Set<Promise<void>>();
  /** Attempts whose runs work now. */
  private readonly busy = new Set<string>();
  private readonly short: ShortRun[] = [];
  /** One sends at a time, because each reads a folder as it is. */
  private readonly sending = new Queue();
  private change = Promise.withResolvers<void>();
  private next = 0;
  private unsent = 0;
  /** Why no more runs are begun. */
  private halted: string | undefined;

  constructor(parts: BatchParts) {
    this.parts = parts;
    const { attempts, budgetUsd, atOnce, usualUsd } = parts;
    for (const attempt of attempts) this.rows.set(attempt.key, createRow(attempt));
    const share = Math.min(usualUsd, (budgetUsd ?? 0) / Math.max(1, Math.min(atOnce, attempts.length)));
    this.budget = budgetUsd === undefined ? undefined : new BatchBudget(budgetUsd, share);
  }

  listRows(): readonly AttemptRow[] {
    return [...this.rows.values()];
  }

  /** Why not all of it was done; undefined if nothing kept it from that. */
  get haltedReason(): string | undefined {
    return this.halted;
  }

  /** Resolves once everything has ended, nothing more can be begun, or the signal aborts. The runs go on then. */
  async run(): Promise<void> {
    const { signal } = this.parts;
    const wake = (): void => this.change.resolve();
    signal.addEventListener("abort", wake);
    this.takeUp();
    while (!signal.aborted) {
      const job = this.findJob();
      if (job) this.launch(job.attempt, job.act);
      else if (this.going.size === 0) break;
      else await this.change.promise;
      this.change = Promise.withResolvers();
    }
    await Promise.all(this.going);
    signal.removeEventListener("abort", wake);
    if (!signal.aborted) await this.giveUp();
  }

  /** Follows what an earlier call of the program has begun. */
  private takeUp(): void {
    for (const attempt of this.parts.attempts) {
      const known = this.parts.known.get(attempt.key);
      if (!known) continue;
      const { run, ended, usd = 0 } = known;
      if (ended && !this.canContinue(attempt, known)) {
        const { type: _type, ...facts } = ended;
        this.budget?.allow(attempt.key, usd);
        this.budget?.close(attempt.key, ended.usd, ended.end === "lost");
        this.update(attempt, { run, state: "ended", ...facts });
        continue;
      }
      this.budget?.allow(attempt.key, usd);
      this.update(attempt, { run, state: "working" });
      this.launch(attempt, async () => {
        const work = await this.openWork(attempt, known);
        if (!ended) await this.sending.add(() => work.redo());
        await this.follow(attempt, work);
      });
    }
  }

  /** Something that can be begun now. */
  private findJob(): { readonly attempt: BatchAttempt; readonly act: () => Promise<void> } | undefined {
    if (this.busy.size >= this.parts.atOnce || this.halted !== undefined) return undefined;
    return this.findRaise() ?? this.findPending();
  }

  private findRaise() {
    const { budget, short } = this;
    if (!budget) return undefined;
    const { free, share } = budget;
    const isLast = this.going.size === 0 && budget.isWorthBeginning(share);
    const found = short.find(({ wants, failed }) => Math.min(wants, free) > failed && (free >= wants || isLast));
    if (!found) return undefined;
    short.splice(short.indexOf(found), 1);
    const { attempt, work, log, wants } = found;
    const given = Math.min(wants, free);
    const usd = log.facts.usd + given;
    budget.allow(attempt.key, usd);
    return {
      attempt,
      act: async (): Promise<void> => {
        await work.raise(usd, log.held);
        await this.follow(attempt, work, { spent: log.facts.usd, given });
      },
    };
  }

  private findPending() {
    const { attempts, known, createRunId } = this.parts;
    while (known.has(attempts[this.next]?.key ?? "")) this.next += 1;
    const attempt = attempts[this.next];
    if (!attempt) return undefined;
    const usd = this.budget?.findPart(attempt, this.going.size === 0 && this.short.length === 0);
    if (usd === 0) return undefined;
    this.next += 1;
    const run = createRunId();
    if (usd !== undefined) this.budget?.allow(attempt.key, usd);
    return { attempt, act: (): Promise<void> => this.begin(attempt, { run, retries: 0, ...omitUndefined({ usd }) }) };
  }

  /** Whether a run that was over may continue, with more of the budget or another try. */
  private canContinue(attempt: BatchAttempt, { ended, retries }: KnownAttempt): boolean {
    if (ended?.end === "budget") return this.budget !== undefined && findOwnLimit(attempt) === undefined;
    return ended !== undefined && isWorthRetry(ended.end) && retries < this.parts.retries;
  }

  private launch(attempt: BatchAttempt, act: () => Promise<void>): void {
    this.busy.add(attempt.key);
    const done = act()
      .catch((error: unknown) => {
        if (!this.parts.signal.aborted) this.update(attempt, { why: getErrorMessage(error) });
      })
      .finally(() => {
        this.going.delete(done);
        this.busy.delete(attempt.key);
        this.change.resolve();
      });
    this.going.add(done);
  }

  private async begin(attempt: BatchAttempt, known: KnownAttempt): Promise<void> {
    const { journal } = this.parts;
    const { run, usd } = known;
    const work = await this.openWork(attempt, known).catch((error: unknown) => {
      // Nothing was sent, so it costs nothing.
      this.budget?.hold(attempt.key, 0);
      return this.handleUnsent(attempt, error);
    });
    if (!work) return;
    const sent = await this.sending
      .add(async () => {
        await journal.add({ type: "sending", attempt: attempt.key, run, ...omitUndefined({ usd }) });
        this.update(attempt, { run, state: "working" });
        await work.send();
        return true;
      })
      .catch((error: unknown) => this.handleUnsent(attempt, error));
    if (!sent) return;
    this.unsent = 0;
    await this.follow(attempt, work);
  }

  /** It's tried again when the command is called again, as the same run. */
  private handleUnsent(attempt: BatchAttempt, error: unknown): undefined {
    if (this.parts.signal.aborted) return;
    const why = getErrorMessage(error);
    this.update(attempt, { state: "unsent", why });
    this.unsent += 1;
    if (this.unsent >= MOST_UNSENT) this.halted ??= `${MOST_UNSENT} tasks in a row couldn't be sent: ${why}`;
  }

  private async openWork(attempt: BatchAttempt, known: KnownAttempt): Promise<AttemptWork> {
    const { journal, signal, retries, pauseMs, openEngine } = this.parts;
    const report = (news: Partial<AttemptRow>): void => this.update(attempt, news);
    const engine = await openEngine(attempt.folder);
    return new AttemptWork({ attempt, engine, journal, signal, retries, pauseMs, report }, known);
  }

  /** `raised`: what the run had spent before it got more. */
  private async follow(
    attempt: BatchAttempt,
    work: AttemptWork,
    raised?: { readonly spent: number; readonly given: number },
  ): Promise<void> {
    const outcome = await work.follow();
    if (outcome.kind === "left") return;
    const { as, log } = outcome;
    const { budget } = this;
    const { usd, unpriced } = log.facts;
    if (budget && unpriced > 0) this.halted ??= UNPRICED;
    if (as.end !== "budget" || !budget || findOwnLimit(attempt) !== undefined) return this.end(attempt, as, log);
    budget.hold(attempt.key, usd);
    // A run that couldn't even begin its next call needs a larger part.
    const failed = raised && usd <= raised.spent ? raised.given : 0;
    this.short.push({ attempt, work, log, failed, wants: failed > 0 ? failed * 2 : budget.share });
    this.update(attempt, { state: "short", ...log.facts });
  }

  private async end(attempt: BatchAttempt, as: EndedAs, log: AttemptLog): Promise<void> {
    const checked = await this.check(attempt, as);
    if (this.parts.signal.aborted) return;
    const facts = { ...log.facts, ...checked };
    await this.parts.journal.add({ type: "ended", attempt: attempt.key, ...as, ...facts });
    this.budget?.close(attempt.key, facts.usd, as.end === "lost");
    this.update(attempt, { state: "ended", ...as, ...facts });
  }

  /** Checks the result of a finished run, while others take its place. */
  private async check({ key, folder }: BatchAttempt, { end }: EndedAs): Promise<Partial<CheckFacts & EndedAs>> {
    const { checkResult, openEngine } = this.parts;
    const { run } = this.rows.get(key) ?? {};
    if (!checkResult || end !== "finished" || run === undefined) return {};
    this.busy.delete(key);
    this.change.resolve();
    return checkResult(await openEngine(folder), run, folder).catch((error: unknown) => ({
      why: `It couldn't be checked: ${getErrorMessage(error)}`,
    }));
  }

  /** Ends the attempts that can't be begun or continued any more. */
  private async giveUp(): Promise<void> {
    const short = this.short.splice(0);
    for (const { attempt, log } of short)
      await this.end(attempt, { end: "budget", why: "the budget over all runs" }, log);
    const isLeft = short.length > 0 || [...this.rows.values()].some(({ state }) => state === "pending");
    if (isLeft && this.budget) this.halted ??= USED_UP;
  }

  private update(attempt: BatchAttempt, news: Partial<AttemptRow>): void {
    const { question, why: _why, ...before } = this.rows.get(attempt.key) ?? createRow(attempt);
    const asked = news.state === undefined ? omitUndefined({ question }) : {};
    const why = news.why === undefined ? {} : { why: escapeInvisible(news.why) };
    const row: AttemptRow = { ...before, ...asked, ...news, ...why };
    this.rows.set(attempt.key, row);
    if (row.state === "waiting" && !this.parts.keepsPlaces) {
      this.busy.delete(attempt.key);
      this.change.resolve();
    } else if (row.state === "working") this.busy.add(attempt.key);
    this.parts.handleRow(row);
  }
}
