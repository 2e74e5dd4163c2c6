import type { PromptTail } from "../../schema/events.ts";
import { type ReservedBudget, replyTokensWithin, worstCase } from "../budget/reserved-budget.ts";
import type { LimitName } from "../commands/outcome.ts";
import { type Run, recordWindow } from "../events/run.ts";
import { type Model, ModelError, type ModelRequest, type ReplyFormat, type Usage } from "../ports/model.ts";
import { compactionRange } from "./compaction.ts";
import { maxSummaryTokens, Summaries, type SummaryOptions } from "./summaries.ts";
import { type CountTokens, requestTokens, TokenMeter } from "./tokens.ts";

/** What keeping prompts in bounds needs. */
export interface ContextBudgetOptions extends SummaryOptions {
  /** Counts as this model does; absent: by estimate. */
  count?(model: string): CountTokens;
  /** Waits until some of what is reserved is free again; false when there is nothing to wait for. */
  freed?(signal: AbortSignal): Promise<boolean>;
}

/** A prompt before it is sent. */
export interface PlannedPrompt {
  readonly model: Model;
  readonly format: ReplyFormat;
  readonly tail: PromptTail;
  /** The last reply broke off: this one gets all the room that a reply may have. */
  readonly needsFullReply: boolean;
  request(tail: PromptTail): ModelRequest;
}

/** What makes a prompt fit window and budget. */
export interface FittedPrompt {
  readonly tail: PromptTail;
  readonly maxReplyTokens: number;
}

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
/** A window that the server doesn't state is assumed to be this share of the prompt it refused. */
const GUESSED_SHARE = 9 / 10;
/** Once this share of the prompt's room is left, or what a compaction would leave of the steps, the next summary is made beside the reply. */
const AHEAD_SHARE = 1 / 5;

/** Keeps a run's prompts inside the model's window and its calls inside the run's budget. */
export class ContextBudget {
  private readonly parts: ContextBudgetOptions;
  private readonly summaries: Summaries;
  private meter = new TokenMeter();
  private metered = "";

  constructor(parts: ContextBudgetOptions = {}) {
    this.parts = parts;
    this.summaries = new Summaries(parts);
  }

  /** The prompt as it can be sent, older steps folded where it takes that; the limit that the call could exceed. Throws `ModelError` when nothing makes it fit. */
  async fit(run: Run, wanted: PlannedPrompt, signal: AbortSignal): Promise<FittedPrompt | LimitName> {
    const { model, format } = wanted;
    this.meterAs(model.name, format);
    const reply = replyRoom(model);
    const room = model.contextWindow - (wanted.needsFullReply ? reply : leftForReply(model));
    let { tail } = wanted;
    let tokens = await this.shrink(run, wanted, room, signal);
    if (tokens > room && tail.recalled.length > 0) {
      tail = { ...tail, recalled: [] };
      tokens = this.meter.of(wanted.request(tail));
    }
    const left = Math.min(reply, model.contextWindow - tokens);
    if (left < Math.min(LEAST_REPLY_TOKENS, leftForReply(model))) throw promptTooLong(model);
    const call = { input: tokens, reply: left, leastReply: LEAST_REPLY_TOKENS };
    const afford = () => replyTokensWithin(run.state, call, model, this.reserved());
    let affordable = afford();
    while (typeof affordable === "string" && (await this.parts.freed?.(signal))) affordable = afford();
    if (typeof affordable === "string") return affordable;
    this.prepare(run, wanted, room, tokens, worstCase(tokens, affordable, model));
    return { tail, maxReplyTokens: affordable };
  }

  /** Takes in what the server counted. */
  learn(request: ModelRequest, usage: Usage | undefined): void {
    if (usage) this.meter.learn(request, usage.input);
  }

  /** Handles a prompt that the server refused for its length: the run remembers the smaller window, and the next prompt fits. */
  async refused(run: Run, model: Model, request: ModelRequest, error: ModelError): Promise<void> {
    const { window, promptTokens } = error;
    const counted = this.meter.of(request);
    if (promptTokens !== undefined) this.meter.learn(request, promptTokens);
    const isNews = window !== undefined && window < model.contextWindow;
    // The server counts more tokens than we do, which the meter now knows.
    if (!isNews && window !== undefined && this.meter.of(request) > counted) return;
    const smaller = isNews ? window : Math.floor(Math.min(counted, model.contextWindow) * GUESSED_SHARE);
    await recordWindow(run, model, smaller);
  }

  /** What of the budget is not there for another call now: what others may still spend, and a summary that is being made. */
  reserved(): ReservedBudget {
    return this.summaries.reserved();
  }

  /** Lets go of a summary that is no longer needed; what it cost is the run's. */
  close(run: Run): Promise<void> {
    return this.summaries.close(run);
  }

  /** What servers have said of another model or format tells nothing of this one. */
  private meterAs(model: string, format: ReplyFormat): void {
    const metered = `${format} ${model}`;
    if (this.metered !== metered) this.meter = new TokenMeter(this.parts.count?.(model));
    this.metered = metered;
  }

  /** Folds what must be folded; the prompt's tokens then. */
  private async shrink(run: Run, wanted: PlannedPrompt, room: number, signal: AbortSignal): Promise<number> {
    const { model, format, tail } = wanted;
    const { count } = this.meter;
    const measure = (): number => this.meter.of(wanted.request(tail));
    let tokens = measure();
    if (tokens > room && (await this.summaries.useBegun(run, model, count, signal))) tokens = measure();
    for (const keep of [1, 0]) {
      if (tokens <= room) return tokens;
      const target = this.kept(run, format, tokens, model);
      const fold = compactionRange(run.history, target, count, keep);
      if (!fold) continue;
      await this.summaries.fold(run, model, fold, count, signal);
      tokens = measure();
    }
    return tokens;
  }

  /** What of the history may stay, so that it grows by half a window before the next compaction where that can be. */
  private kept(run: Run, format: ReplyFormat, tokens: number, model: Model): number {
    const fixed = tokens - this.historyTokens(run, format);
    const available = Math.max(0, model.contextWindow - leftForReply(model) - fixed);
    const kept = Math.max(available - model.contextWindow * GROWTH_SHARE, available * LEAST_KEPT);
    return Math.max(0, Math.min(kept, available * MOST_KEPT) - maxSummaryTokens(model));
  }

  private historyTokens(run: Run, format: ReplyFormat): number {
    return requestTokens({ messages: run.history.messages(format) }, this.meter.count);
  }

  /** Begins the next summary while the model thinks, once the prompt's room is nearly full. */
  private prepare(
    run: Run,
    { model, format }: PlannedPrompt,
    room: number,
    tokens: number,
    beside: ReservedBudget,
  ): void {
    if (this.summaries.begun || tokens < (1 - AHEAD_SHARE) * room) return;
    const kept = this.kept(run, format, tokens, model);
    const grows = Math.min(AHEAD_SHARE * room, kept);
    if (tokens < room - grows) return;
    const fold = compactionRange(run.history, kept - grows, this.meter.count);
    if (fold) this.summaries.begin(run, fold, this.meter.count, beside);
  }
}

function replyRoom(model: Model): number {
  return Math.floor(Math.min(MAX_REPLY_TOKENS, model.contextWindow * REPLY_SHARE));
}

function leftForReply(model: Model): number {
  return Math.floor(Math.min(MAX_REPLY_TOKENS, model.contextWindow * LEFT_SHARE));
}

/** Nothing is sent that the model cannot take. */
export function promptTooLong(model: Model): ModelError {
  return new ModelError(
    "context",
    `The prompt does not fit into ${model.name} even after it was shortened. Choose a model with a larger context window, or set autogpt.model.contextWindow to its real size.`,
  );
}
