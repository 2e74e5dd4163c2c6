import { added, affordableReply, NOTHING_UNDERWAY, type Underway, worstOf } from "./affordable.ts";
import { digest, type Fold, standing } from "./compaction.ts";
import { type Model, ModelError, type ModelRequest } from "./ports.ts";
import type { Run } from "./run.ts";
import { asLearned } from "./run-models.ts";
import { runningSummary, type Summed, summaryRequest } from "./running-summary.ts";
import { spent } from "./spent.ts";
import { type CountTokens, requestTokens } from "./tokens.ts";
import { untilAborted } from "./until-aborted.ts";

/** What folding needs. */
export interface SummaryParts {
  /** The model that writes the running summary; absent: steps are told in a line each. */
  fast?(): Model;
  /** What of the budget is not this agent's to spend now. */
  reserved?(): Underway;
}

/** A summary that is made before it is needed. */
interface Ahead {
  readonly fold: Fold;
  /** What was summed up when it was begun: it only joins on to that. */
  readonly after: number | undefined;
  readonly worst: Underway;
  readonly summed: Promise<SummedUp | undefined>;
}

/** A call of the fast model before it is made. */
interface SummaryCall {
  readonly fast: Model;
  readonly request: ModelRequest;
  readonly input: number;
  readonly reply: number;
  readonly worst: Underway;
}

type SummedUp = Summed & { readonly usable: boolean };

const SUMMARY_SHARE = 1 / 16;
const MAX_SUMMARY_TOKENS = 4_000;
const SUMMARY_MS = 60_000;

/** Folds a run's oldest steps into its running summary, which is made beside a reply where it can be, so that nobody waits for it. */
export class Summaries {
  private readonly parts: SummaryParts;
  private closing = new AbortController();
  private ahead: Ahead | undefined;

  constructor(parts: SummaryParts) {
    this.parts = parts;
  }

  /** The next summary is being made, or waits to be used. */
  get begun(): boolean {
    return this.ahead !== undefined;
  }

  /** What of the budget is not there for another call now: what others may still spend, and a summary that is being made. */
  underway(): Underway {
    return this.beside(this.ahead?.worst);
  }

  /** Folds now; `model` is the one whose prompts get shorter by it. */
  async fold(run: Run, model: Model, fold: Fold, count: CountTokens, signal: AbortSignal): Promise<void> {
    const call = this.callFor(run, fold, count);
    await record(run, model, fold, await this.sumUp(run, call, count, signal), count);
  }

  /** Begins the summary that the next fold will need, while calls that may come to `beside` are on their way. */
  begin(run: Run, fold: Fold, count: CountTokens, beside: Underway): void {
    const call = this.callFor(run, fold, count);
    if (!call) return;
    const summed = this.sumUp(run, call, count, this.closing.signal, beside).catch(() => undefined);
    this.ahead = { fold, after: run.history.summary?.through, worst: call.worst, summed };
  }

  /** Folds by the summary that was begun; false when there is none that still joins on. */
  async useBegun(run: Run, model: Model, count: CountTokens, signal: AbortSignal): Promise<boolean> {
    const { ahead } = this;
    if (!ahead) return false;
    const summed = await untilAborted(ahead.summed, signal);
    if (ahead.after !== run.history.summary?.through) {
      await this.drop(run);
      return false;
    }
    this.ahead = undefined;
    await record(run, model, ahead.fold, summed, count);
    return true;
  }

  /** Lets go of a summary that is no longer needed; what it cost is the run's. */
  async close(run: Run): Promise<void> {
    this.closing.abort(new Error("The run is over."));
    this.closing = new AbortController();
    await this.drop(run);
  }

  private async drop(run: Run): Promise<void> {
    const summed = await this.ahead?.summed;
    this.ahead = undefined;
    if (summed) await recordSpent(run, summed);
  }

  /** The call that sums up; undefined when there is no fast model, or it has no room for it. */
  private callFor(run: Run, fold: Fold, count: CountTokens): SummaryCall | undefined {
    const given = this.parts.fast?.();
    if (!given) return undefined;
    const fast = asLearned(given, run.state.model);
    const reply = summaryRoom(fast);
    const request = summaryRequest(fold, run.history, fast, reply);
    const input = requestTokens(request, count);
    if (input + reply > fast.contextWindow) return undefined;
    return { fast, request, input, reply, worst: worstOf(input, reply, fast) };
  }

  /** What the fast model makes of the steps; undefined when it fails, or the budget does not allow it. */
  private async sumUp(
    run: Run,
    call: SummaryCall | undefined,
    count: CountTokens,
    signal: AbortSignal,
    beside: Underway = NOTHING_UNDERWAY,
  ): Promise<SummedUp | undefined> {
    if (!call) return undefined;
    const { fast, request, input, reply } = call;
    const affordable = affordableReply(
      run.state,
      { input, reply, leastReply: reply },
      fast,
      this.beside(beside),
    );
    if (typeof affordable === "string") return undefined;
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(new Error("The summary took too long.")), SUMMARY_MS);
    try {
      return await runningSummary(request, fast, count, AbortSignal.any([signal, slow.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError || slow.signal.aborted) return undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** What others may still spend, and calls of this agent that are on their way. */
  private beside(underway = NOTHING_UNDERWAY): Underway {
    return added(underway, this.parts.reserved?.() ?? NOTHING_UNDERWAY);
  }
}

/** Folds: by the model's summary if it can be used, else in a line a step. */
async function record(
  run: Run,
  model: Model,
  fold: Fold,
  summed: SummedUp | undefined,
  count: CountTokens,
): Promise<void> {
  const room = summaryRoom(model);
  const { feedback, problems } = standing(fold, run.history, room / 2, count);
  const { usable, summary, ...paid } = summed ?? { usable: false, summary: "" };
  if (summed && !usable) await recordSpent(run, summed);
  await run.record({
    type: "compacted",
    through: fold.through,
    summary: usable ? summary : digest(fold, run.history.summary?.summary ?? "", room, count),
    ...(feedback.length > 0 ? { feedback } : {}),
    ...(problems.length > 0 ? { problems } : {}),
    ...(usable ? paid : {}),
  });
}

async function recordSpent(run: Run, summed: Summed): Promise<void> {
  await run.record(spent("summary", summed));
}

/** A summary takes so many of a model's tokens at most. */
export function summaryRoom(model: Model): number {
  return Math.floor(Math.min(MAX_SUMMARY_TOKENS, model.contextWindow * SUMMARY_SHARE));
}
