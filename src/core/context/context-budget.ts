import type { PromptTail } from "../../schema/events.ts";
import { displayText } from "../../texts/display-text.ts";
import { computeWorstCase, limitReplyTokens, type ReservedBudget } from "../budget/reserved-budget.ts";
import type { LimitName } from "../commands/outcome.ts";
import { type Run, recordWindow } from "../events/run.ts";
import { type Model, ModelError, type ModelRequest, type ReplyFormat, type Usage, wrapModel } from "../ports/model.ts";
import { planCompaction } from "./compaction.ts";
import type { CompactionRequests, CompactionResult } from "./compaction-requests.ts";
import { getMaxSummaryTokens, Summaries, type SummaryOptions } from "./summaries.ts";
import { type CountTokens, requestTokens, TokenMeter } from "./tokens.ts";

/** Options of a context budget. */
export interface ContextBudgetOptions extends SummaryOptions {
  /** Returns the token counter of a model with this window; absent means an estimate. */
  count?(model: string, window: number): CountTokens;
  /** Waits until a part of the reserved budget is free again; false if there is nothing to wait for. */
  waitForFreeBudget?(signal: AbortSignal): Promise<boolean>;
}

/** A prompt that isn't fitted yet. */
export interface PlannedPrompt {
  readonly model: Model;
  readonly format: ReplyFormat;
  readonly tail: PromptTail;
  /** The last reply was cut off, so this one gets the full room for a reply. */
  readonly needsFullReply: boolean;
  /** Requests of the user to compact now. */
  readonly compactions?: CompactionRequests;
  request(tail: PromptTail): ModelRequest;
}

/** The parts of a prompt that fit window and budget. */
export interface FittedPrompt {
  readonly tail: PromptTail;
  readonly maxReplyTokens: number;
  /** Predicted tokens of the prompt. */
  readonly tokens?: number;
}

/** Limits on a reply: share of the window, and tokens. */
const REPLY_SHARE = 1 / 4;
const MAX_REPLY_TOKENS = 8192;
/** The prompt may grow until the reply has only this share of the window; measured to cost the fewest tokens in small windows. */
const LEFT_SHARE = 2 / 15;
/** With fewer tokens no reply is possible. */
const LEAST_REPLY_TOKENS = 1024;
/** A compaction keeps at least and at most this share of the history's room. */
const LEAST_KEPT = 1 / 10;
const MOST_KEPT = 1 / 2;
/** Growth until the next compaction: a little more than half a window, since steps are kept whole. */
const GROWTH_SHARE = 0.55;
/** A compaction that the user asked for keeps this share of a history with at least so many tokens. */
const KEPT_NOW_SHARE = 1 / 4;
const LEAST_COMPACTED = 2_000;
/** If the server doesn't state its window, it is assumed to be this share of the refused prompt. */
const GUESSED_SHARE = 9 / 10;
/** Once only this share of the prompt's room is left, the next summary is written during the reply. */
const AHEAD_SHARE = 1 / 5;

/** Keeps a run's prompts within the model's window and its calls within the run's budget. */
export class ContextBudget {
  private readonly parts: ContextBudgetOptions;
  private readonly summaries: Summaries;
  private meter = new TokenMeter();
  private metered = "";
  /** Tokens of the longest prompt that was answered. */
  private longest = 0;
  /** Consecutive replies without a word. */
  private wordless = 0;

  constructor(parts: ContextBudgetOptions = {}) {
    this.parts = parts;
    this.summaries = new Summaries(parts);
  }

  /**
   * Fits a prompt, trimming and summarizing older steps if necessary or requested. Returns the limit that the call could exceed, if any.
   * Throws `ModelError` if it can't be made to fit.
   */
  async fit(run: Run, wanted: PlannedPrompt, signal: AbortSignal): Promise<FittedPrompt | LimitName> {
    const { model, format } = wanted;
    this.ensureMeter(model, format);
    const reply = computeReplyRoom(model);
    const room = model.contextWindow - (wanted.needsFullReply ? reply : computeReplyReserve(model));
    let { tail } = wanted;
    if (wanted.compactions?.isOpen) wanted.compactions.settle(await this.compactNow(run, wanted, signal));
    let tokens = await this.shrink(run, wanted, room, signal);
    if (tokens > room && tail.recalled.length > 0) {
      tail = { ...tail, recalled: [] };
      tokens = this.meter.predictTokens(wanted.request(tail));
    }
    const left = Math.min(reply, model.contextWindow - tokens);
    if (left < Math.min(LEAST_REPLY_TOKENS, computeReplyReserve(model))) throw createPromptTooLongError(model);
    const call = { input: tokens, reply: left, leastReply: LEAST_REPLY_TOKENS };
    const afford = () => limitReplyTokens(run.state, call, model, this.getReservedBudget());
    let affordable = afford();
    while (typeof affordable === "string" && (await this.parts.waitForFreeBudget?.(signal))) affordable = afford();
    if (typeof affordable === "string") return affordable;
    this.prepare(run, wanted, room, tokens, computeWorstCase(tokens, affordable, model));
    return { tail, maxReplyTokens: affordable, tokens };
  }

  /** True if the last reply was the first without a word. Some servers send such replies when their window is full. */
  get isSilent(): boolean {
    return this.wordless === 1;
  }

  /** Learns from the server's token count, and from a reply without a word that the prompt may be too long. */
  learn(request: ModelRequest, usage: Usage | undefined, isWordless = false): void {
    this.wordless = isWordless ? this.wordless + 1 : 0;
    if (!isWordless) this.longest = Math.max(this.longest, requestTokens(request, this.meter.count));
    if (usage && !usage.isEstimate) this.meter.learn(request, usage.input);
  }

  /** Handles a prompt that the server refused for its length. The run remembers the smaller window, so the next prompt fits. */
  async handleRefusal(run: Run, model: Model, request: ModelRequest, error: ModelError): Promise<void> {
    const { window, promptTokens } = error;
    const counted = this.meter.predictTokens(request);
    if (promptTokens !== undefined) this.meter.learn(request, promptTokens);
    const isNews = window !== undefined && window < model.contextWindow;
    // The server counts more tokens than we do, which the meter now knows.
    if (!isNews && window !== undefined && this.meter.predictTokens(request) > counted) return;
    const smaller = isNews ? window : Math.floor(Math.min(counted, model.contextWindow) * GUESSED_SHARE);
    await recordWindow(run, model, smaller);
  }

  /** A model whose window makes a refused prompt shorter; undefined if the server answered one as long, or nothing can be removed. */
  narrowModelWindow(run: Run, { model, format }: PlannedPrompt, request: ModelRequest): Model | undefined {
    if (requestTokens(request, this.meter.count) <= this.longest) return undefined;
    const tokens = this.meter.predictTokens(request);
    const history = this.countHistoryTokens(run, format);
    if (history === 0) return undefined;
    const room = tokens - history / 2;
    const contextWindow = Math.ceil(room + computeReplyReserve({ contextWindow: room / (1 - LEFT_SHARE) }));
    return wrapModel(() => model, { contextWindow: Math.min(model.contextWindow, contextWindow) });
  }

  /** The part of the budget that another call can't use now: shares of others and a summary in progress. */
  getReservedBudget(): ReservedBudget {
    return this.summaries.getReservedBudget();
  }

  /** Discards a summary that isn't needed anymore; its cost counts for the run. */
  close(run: Run): Promise<void> {
    return this.summaries.close(run);
  }

  /** Starts a new meter for another model or format, because counts don't carry over. */
  private ensureMeter({ name, traits, contextWindow }: Model, format: ReplyFormat): void {
    const metered = `${format} ${name}`;
    if (this.metered !== metered) {
      this.meter = new TokenMeter(this.parts.count?.(name, contextWindow), traits?.countsSchema);
      this.longest = 0;
    }
    this.metered = metered;
  }

  /** Trims and summarizes all but the newest part of the history, however much room there is. */
  private async compactNow(run: Run, wanted: PlannedPrompt, signal: AbortSignal): Promise<CompactionResult> {
    const { model, format, tail } = wanted;
    const { count } = this.meter;
    const measure = (): number => this.meter.predictTokens(wanted.request(tail));
    const tokensBefore = measure();
    const target = this.countHistoryTokens(run, format) * KEPT_NOW_SHARE;
    if (target < LEAST_COMPACTED * KEPT_NOW_SHARE) return { kind: "nothing" };
    if (!(await this.summaries.useBegun(run, model, target, count, signal))) {
      const plan = planCompaction(run.history, target, count);
      if (!plan) return { kind: "nothing" };
      await this.summaries.compact(run, model, plan, count, signal);
    }
    return { kind: "compacted", tokensBefore, tokensAfter: measure() };
  }

  /** Trims and summarizes as many steps as necessary and returns the prompt's tokens afterwards. */
  private async shrink(run: Run, wanted: PlannedPrompt, room: number, signal: AbortSignal): Promise<number> {
    const { model, format, tail } = wanted;
    const { count } = this.meter;
    const measure = (): number => this.meter.predictTokens(wanted.request(tail));
    let tokens = measure();
    const getTargetTokens = (): number => this.computeTargetTokens(run, format, tokens, model);
    if (tokens > room && (await this.summaries.useBegun(run, model, getTargetTokens(), count, signal)))
      tokens = measure();
    for (const keep of [1, 0]) {
      if (tokens <= room) return tokens;
      const plan = planCompaction(run.history, getTargetTokens(), count, keep);
      if (!plan) continue;
      await this.summaries.compact(run, model, plan, count, signal);
      tokens = measure();
    }
    return tokens;
  }

  /** Tokens of the history to keep, so that it can grow by about half a window before the next compaction. */
  private computeTargetTokens(run: Run, format: ReplyFormat, tokens: number, model: Model): number {
    const fixed = tokens - this.countHistoryTokens(run, format);
    const available = Math.max(0, model.contextWindow - computeReplyReserve(model) - fixed);
    const kept = Math.max(available - model.contextWindow * GROWTH_SHARE, available * LEAST_KEPT);
    return Math.max(0, Math.min(kept, available * MOST_KEPT) - getMaxSummaryTokens(model));
  }

  private countHistoryTokens(run: Run, format: ReplyFormat): number {
    return requestTokens({ messages: run.history.messages(format) }, this.meter.count);
  }

  /** Starts the next summary while the model thinks, once the prompt's room is nearly full. */
  private prepare(
    run: Run,
    { model, format }: PlannedPrompt,
    room: number,
    tokens: number,
    inProgress: ReservedBudget,
  ): void {
    if (this.summaries.begun || tokens < (1 - AHEAD_SHARE) * room) return;
    const kept = this.computeTargetTokens(run, format, tokens, model);
    const grows = Math.min(AHEAD_SHARE * room, kept);
    if (tokens < room - grows) return;
    const fold = planCompaction(run.history, kept - grows, this.meter.count)?.fold;
    if (fold) this.summaries.begin(run, fold, this.meter.count, inProgress);
  }
}

function computeReplyRoom(model: Model): number {
  return Math.floor(Math.min(MAX_REPLY_TOKENS, model.contextWindow * REPLY_SHARE));
}

function computeReplyReserve(model: Pick<Model, "contextWindow">): number {
  return Math.floor(Math.min(MAX_REPLY_TOKENS, model.contextWindow * LEFT_SHARE));
}

/** The error for a prompt that can't be made to fit. */
export function createPromptTooLongError(model: Model): ModelError {
  return new ModelError("context", displayText("trouble.promptTooLongShortened", { name: model.name }));
}
