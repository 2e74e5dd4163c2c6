import { added, affordableReply, NOTHING_UNDERWAY, type Underway, worstOf } from "./affordable.ts";
import { digest, type Fold, foldOf, standing } from "./compaction.ts";
import type { Tail } from "./event.ts";
import type { LimitName } from "./outcome.ts";
import { type Model, ModelError, type ModelRequest, type ReplyFormat, type Usage } from "./ports.ts";
import type { Run } from "./run.ts";
import { runningSummary, type Summed, summaryRequest } from "./running-summary.ts";
import { spent } from "./spent.ts";
import { TokenMeter } from "./token-meter.ts";
import { type CountTokens, requestTokens } from "./tokens.ts";
import { untilAborted } from "./until-aborted.ts";

/** What keeping prompts in bounds needs. */
export interface RoomParts {
  /** The model that writes the running summary; absent: steps are told in a line each. */
  fast?(): Model;
  /** Counts as this model does; absent: by estimate. */
  count?(model: string): CountTokens;
  /** What of the budget is not this agent's to spend now. */
  reserved?(): Underway;
  /** Waits until some of that is free again; false when there is nothing to wait for. */
  freed?(signal: AbortSignal): Promise<boolean>;
}

/** A prompt before it is sent. */
export interface Wanted {
  readonly model: Model;
  readonly format: ReplyFormat;
  readonly tail: Tail;
  /** The last reply broke off: this one gets all the room that a reply may have. */
  readonly roomy: boolean;
  request(tail: Tail): ModelRequest;
}

/** What makes a prompt fit window and budget. */
export interface Fitted {
  readonly tail: Tail;
  readonly maxReplyTokens: number;
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

/** A reply gets at most this share of the window, and at most this many tokens. */
const REPLY_SHARE = 1 / 4;
const MAX_REPLY_TOKENS = 8192;
/** The prompt grows until the reply is left with this share, and at most this many tokens; with fewer than the least it is no reply. */
const LEFT_SHARE = 1 / 12;
const LEAST_REPLY_TOKENS = 1024;
/** A compaction leaves so much of what history may take, at least and at most. */
const LEAST_KEPT = 1 / 10;
const MOST_KEPT = 1 / 2;
/** A little more than half a window, since steps come whole. */
const GROWTH_SHARE = 0.55;
const SUMMARY_SHARE = 1 / 16;
const MAX_SUMMARY_TOKENS = 4_000;
/** Once this share of the prompt's room is left, or what a compaction would leave of the steps, the next summary is made beside the reply. */
const AHEAD_SHARE = 1 / 5;
const SUMMARY_MS = 60_000;

/** Keeps a run's prompts inside the model's window and its calls inside the run's budget. */
export class Room {
  private readonly parts: RoomParts;
  private meter = new TokenMeter();
  private closing = new AbortController();
  private metered = "";
  private ahead: Ahead | undefined;

  constructor(parts: RoomParts = {}) {
    this.parts = parts;
  }

  /** The prompt as it can be sent, older steps folded where it takes that; the limit that the call could exceed. Throws `ModelError` when nothing makes it fit. */
  async fit(run: Run, wanted: Wanted, signal: AbortSignal): Promise<Fitted | LimitName> {
    const { model, format } = wanted;
    this.meterAs(model.name, format);
    const reply = replyRoom(model);
    const room = model.contextWindow - (wanted.roomy ? reply : leftForReply(model));
    let { tail } = wanted;
    let tokens = await this.shrink(run, wanted, room, signal);
    if (tokens > room && tail.recalled.length > 0) {
      tail = { ...tail, recalled: [] };
      tokens = this.meter.of(wanted.request(tail));
    }
    const left = Math.min(reply, model.contextWindow - tokens);
    if (left < Math.min(LEAST_REPLY_TOKENS, leftForReply(model))) throw tooLong(model);
    const call = { input: tokens, reply: left, leastReply: LEAST_REPLY_TOKENS };
    const afford = () => affordableReply(run.state, call, model, this.underway());
    let affordable = afford();
    while (typeof affordable === "string" && (await this.parts.freed?.(signal))) affordable = afford();
    if (typeof affordable === "string") return affordable;
    this.prepare(run, wanted, room, tokens, worstOf(tokens, affordable, model));
    return { tail, maxReplyTokens: affordable };
  }

  /** Takes in what the server counted. */
  learn(request: ModelRequest, usage: Usage | undefined): void {
    if (usage) this.meter.learn(request, usage.input);
  }

  /** Makes the history half as long after the server refused it: its window is smaller than we were told. False when nothing is left to fold. */
  async halve(run: Run, model: Model, format: ReplyFormat, signal: AbortSignal): Promise<boolean> {
    const tokens = this.historyTokens(run, format);
    const target = Math.min(tokens, model.contextWindow * MOST_KEPT) / 2;
    const fold = foldOf(run.history, target, this.meter.count);
    if (fold) await this.record(run, model, fold, await this.sumUp(run, this.summaryCall(run, fold), signal));
    return fold !== undefined;
  }

  /** What of the budget is not there for another call now: what others may still spend, and a summary that is being made. */
  underway(): Underway {
    return this.beside(this.ahead?.worst);
  }

  /** Lets go of a summary that is no longer needed; what it cost is the run's. */
  async close(run: Run): Promise<void> {
    this.closing.abort(new Error("The run is over."));
    this.closing = new AbortController();
    await this.dropAhead(run);
  }

  /** What servers have said of another model or format tells nothing of this one. */
  private meterAs(model: string, format: ReplyFormat): void {
    const metered = `${format} ${model}`;
    if (this.metered !== metered) this.meter = new TokenMeter(this.parts.count?.(model));
    this.metered = metered;
  }

  /** Folds what must be folded; the prompt's tokens then. */
  private async shrink(run: Run, wanted: Wanted, room: number, signal: AbortSignal): Promise<number> {
    const { model, format, tail } = wanted;
    const measure = (): number => this.meter.of(wanted.request(tail));
    let tokens = measure();
    if (tokens > room && (await this.useAhead(run, model, signal))) tokens = measure();
    for (const keep of [1, 0]) {
      if (tokens <= room) return tokens;
      const target = this.kept(run, format, tokens, model);
      const fold = foldOf(run.history, target, this.meter.count, keep);
      if (!fold) continue;
      await this.record(run, model, fold, await this.sumUp(run, this.summaryCall(run, fold), signal));
      tokens = measure();
    }
    return tokens;
  }

  /** What of the history may stay, so that it grows by half a window before the next compaction where that can be. */
  private kept(run: Run, format: ReplyFormat, tokens: number, model: Model): number {
    const fixed = tokens - this.historyTokens(run, format);
    const available = Math.max(0, model.contextWindow - leftForReply(model) - fixed);
    const kept = Math.max(available - model.contextWindow * GROWTH_SHARE, available * LEAST_KEPT);
    return Math.max(0, Math.min(kept, available * MOST_KEPT) - summaryRoom(model));
  }

  private historyTokens(run: Run, format: ReplyFormat): number {
    return requestTokens({ messages: run.history.messages(format) }, this.meter.count);
  }

  /** Begins the next summary while the model thinks, once the prompt's room is nearly full. */
  private prepare(run: Run, { model, format }: Wanted, room: number, tokens: number, beside: Underway): void {
    if (this.ahead || tokens < (1 - AHEAD_SHARE) * room) return;
    const kept = this.kept(run, format, tokens, model);
    const grows = Math.min(AHEAD_SHARE * room, kept);
    if (tokens < room - grows) return;
    const fold = foldOf(run.history, kept - grows, this.meter.count);
    const call = fold && this.summaryCall(run, fold);
    if (!fold || !call) return;
    const summed = this.sumUp(run, call, this.closing.signal, beside).catch(() => undefined);
    this.ahead = { fold, after: run.history.summary?.through, worst: call.worst, summed };
  }

  /** False when there is none that still joins on. */
  private async useAhead(run: Run, model: Model, signal: AbortSignal): Promise<boolean> {
    const { ahead } = this;
    if (!ahead) return false;
    const summed = await untilAborted(ahead.summed, signal);
    if (ahead.after !== run.history.summary?.through) {
      await this.dropAhead(run);
      return false;
    }
    this.ahead = undefined;
    await this.record(run, model, ahead.fold, summed);
    return true;
  }

  private async dropAhead(run: Run): Promise<void> {
    const summed = await this.ahead?.summed;
    this.ahead = undefined;
    if (summed) await recordSpent(run, summed);
  }

  /** The call that sums up; undefined when there is no fast model, or it has no room for it. */
  private summaryCall(run: Run, fold: Fold): SummaryCall | undefined {
    const fast = this.parts.fast?.();
    if (!fast) return undefined;
    const reply = summaryRoom(fast);
    const request = summaryRequest(fold, run.history, fast, reply);
    const input = requestTokens(request, this.meter.count);
    if (input + reply > fast.contextWindow) return undefined;
    return { fast, request, input, reply, worst: worstOf(input, reply, fast) };
  }

  /** What the fast model makes of the steps; undefined when it fails, or the budget does not allow it. */
  private async sumUp(
    run: Run,
    call: SummaryCall | undefined,
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
      return await runningSummary(request, fast, this.meter.count, AbortSignal.any([signal, slow.signal]));
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

  /** Folds: by the model's summary if it can be used, else in a line a step. */
  private async record(run: Run, model: Model, fold: Fold, summed: SummedUp | undefined): Promise<void> {
    const { count } = this.meter;
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
}

async function recordSpent(run: Run, summed: Summed): Promise<void> {
  await run.record(spent("summary", summed));
}

function replyRoom(model: Model): number {
  return Math.floor(Math.min(MAX_REPLY_TOKENS, model.contextWindow * REPLY_SHARE));
}

function leftForReply(model: Model): number {
  return Math.floor(Math.min(MAX_REPLY_TOKENS, model.contextWindow * LEFT_SHARE));
}

function summaryRoom(model: Model): number {
  return Math.floor(Math.min(MAX_SUMMARY_TOKENS, model.contextWindow * SUMMARY_SHARE));
}

/** Nothing is sent that the model cannot take. */
export function tooLong(model: Model): ModelError {
  return new ModelError(
    "context",
    `The prompt does not fit into ${model.name} even after it was shortened. Choose a model with a larger context window, or set autogpt.model.contextWindow to its real size.`,
  );
}
