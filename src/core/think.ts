import { budgetText } from "./budget.ts";
import { digest, foldOf } from "./compaction.ts";
import type { Recalled, Tail } from "./event.ts";
import { loopFinding } from "./loop-guard.ts";
import {
  type Completion,
  type Model,
  type ModelDelta,
  ModelError,
  type ModelRequest,
  type ReplyFormat,
} from "./ports.ts";
import { stepRequest } from "./prompt.ts";
import { readReply } from "./read-reply.ts";
import type { Run } from "./run.ts";
import type { RunState } from "./run-state.ts";
import { type CountTokens, estimateTokens, requestTokens } from "./tokens.ts";

/** What thinking needs beside the run. */
export interface Thinking {
  readonly model: Model;
  readonly formats: FormatChoice;
  readonly temperature?: number;
  readonly countTokens?: CountTokens;
  recall?(state: RunState, signal: AbortSignal): Promise<readonly Recalled[]>;
  localTime(): string;
  delta?(step: number, delta: ModelDelta): void;
  /** The deltas of this step so far are void: its reply begins anew. */
  restarted?(step: number): void;
  notice?(text: string): void;
}

/** The reply format in use; a server's refusal moves on to the next one for good. */
export class FormatChoice {
  private readonly formats: readonly ReplyFormat[];
  private index = 0;

  constructor(formats: readonly ReplyFormat[]) {
    this.formats = formats;
  }

  get current(): ReplyFormat {
    return this.formats[this.index] ?? "text";
  }

  /** False when no other format is left. */
  next(): boolean {
    if (this.index >= this.formats.length - 1) return false;
    this.index++;
    return true;
  }
}

const CUT_OFF_REMARK = "Your last reply broke off before its end. Give it again, whole, and in fewer words.";
/** A reply gets at most this share of the window, and at most this many tokens. */
const REPLY_SHARE = 0.25;
const MAX_REPLY_TOKENS = 8192;
/** A compaction leaves about half the window to the history; its summary gets a sixth of that. */
const HISTORY_SHARE = 0.5;
const SUMMARY_SHARE = 1 / 12;

/** Asks the model for a step's reply and records it. Another format, a shorter prompt or a second try where these help. */
export async function think(run: Run, step: number, thinking: Thinking, signal: AbortSignal): Promise<void> {
  const recalled = (await thinking.recall?.(run.state, signal)) ?? [];
  if (recalled.length > 0) await run.record({ type: "recalled", step, memories: recalled });
  let cutOff = false;
  let shortened = false;
  for (;;) {
    const format = thinking.formats.current;
    const tail = makeTail(run, thinking, recalled, cutOff);
    await makeRoom(run, tail, format, thinking);
    await run.record({ type: "asked", step, format, tail });
    const answer = await ask(run, step, tail, format, thinking, signal);
    if (answer === "format") continue;
    if (answer === "context") {
      if (shortened || !(await shorten(run, thinking, halfOf(run, format, thinking))))
        throw tooLong(thinking.model);
      shortened = true;
      continue;
    }
    const reply = readReply(answer);
    const { text, calls, finish, model, usage, costUsd } = answer;
    await run.record({
      type: "replied",
      step,
      format,
      text,
      calls,
      finish,
      reply,
      model,
      ...(usage ? { usage } : {}),
      ...(costUsd === undefined ? {} : { costUsd }),
    });
    if (cutOff || reply.kind === "proposal" || !reply.cutOff) return;
    cutOff = true;
  }
}

/** The request that an `asked` event stands for. */
function requestFor(
  run: Run,
  tail: Tail,
  format: ReplyFormat,
  thinking: Pick<Thinking, "model" | "temperature">,
): ModelRequest {
  return {
    ...stepRequest(run.head, run.history.messages(format), tail, format),
    maxReplyTokens: replyRoom(thinking.model),
    ...(thinking.temperature === undefined ? {} : { temperature: thinking.temperature }),
  };
}

async function ask(
  run: Run,
  step: number,
  tail: Tail,
  format: ReplyFormat,
  thinking: Thinking,
  signal: AbortSignal,
): Promise<Completion | "format" | "context"> {
  try {
    return await thinking.model.complete(requestFor(run, tail, format, thinking), {
      signal,
      delta: (delta) => thinking.delta?.(step, delta),
      restarted: () => thinking.restarted?.(step),
      notice: (text) => thinking.notice?.(text),
    });
  } catch (error) {
    if (error instanceof ModelError && error.trouble === "format" && thinking.formats.next()) return "format";
    if (error instanceof ModelError && error.trouble === "context") return "context";
    throw error;
  }
}

function makeTail(run: Run, thinking: Thinking, recalled: readonly Recalled[], cutOff: boolean): Tail {
  const { state } = run;
  const finding = loopFinding(state.recent.filter((past) => past.step >= state.guardFrom));
  const goalsChanged = state.profile.goals !== run.head.profile.goals;
  return {
    time: thinking.localTime(),
    budget: budgetText(state.totals, state.limits),
    plan: state.plan,
    recalled,
    remarks: [...(finding ? [finding.text] : []), ...(cutOff ? [CUT_OFF_REMARK] : [])],
    ...(goalsChanged ? { goals: state.profile.goals } : {}),
  };
}

/** Folds the oldest steps before a prompt would outgrow the window. */
async function makeRoom(run: Run, tail: Tail, format: ReplyFormat, thinking: Thinking): Promise<void> {
  const { model, countTokens = estimateTokens } = thinking;
  const room = model.contextWindow - replyRoom(model);
  if (requestTokens(requestFor(run, tail, format, thinking), countTokens) > room)
    await shorten(run, thinking, model.contextWindow * HISTORY_SHARE);
}

/** What may stay when a server refuses a prompt that should have fitted: its window is smaller than we were told. */
function halfOf(run: Run, format: ReplyFormat, { model, countTokens = estimateTokens }: Thinking): number {
  const tokens = requestTokens({ messages: run.history.messages(format) }, countTokens);
  return Math.min(tokens, model.contextWindow * HISTORY_SHARE) / 2;
}

/** Folds the oldest steps until the rest holds at most `maxTokens`; false when none can be folded. */
async function shorten(run: Run, thinking: Thinking, maxTokens: number): Promise<boolean> {
  const { model, countTokens = estimateTokens } = thinking;
  const fold = foldOf(run.history, maxTokens, countTokens);
  if (!fold) return false;
  const summary = digest(
    fold,
    run.history.summary?.summary ?? "",
    model.contextWindow * SUMMARY_SHARE,
    countTokens,
  );
  await run.record({ type: "compacted", through: fold.through, summary });
  return true;
}

function replyRoom(model: Model): number {
  return Math.floor(Math.min(MAX_REPLY_TOKENS, model.contextWindow * REPLY_SHARE));
}

function tooLong(model: Model): ModelError {
  return new ModelError(
    "context",
    `The prompt does not fit into ${model.name} even after it was shortened. Choose a model with a larger context window, or set autogpt.model.contextWindow to its real size.`,
  );
}
