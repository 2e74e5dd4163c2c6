import type { PromptTail } from "../../schema/events.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";
import type { Sentence } from "../../texts/display-text.ts";
import { omitUndefined } from "../base/objects.ts";
import { computeTimeLeftMs, findExhaustedLimit, renderBudget } from "../budget/budget.ts";
import type { ReservedBudget } from "../budget/reserved-budget.ts";
import { COMMAND } from "../commands/command-traits.ts";
import type { LimitName } from "../commands/outcome.ts";
import type { CompactionRequests } from "../context/compaction-requests.ts";
import {
  ContextBudget,
  createPromptTooLongError,
  type FittedPrompt,
  type PlannedPrompt,
} from "../context/context-budget.ts";
import { addOwnTokenCount } from "../context/tokens.ts";
import { applyLearnedWindow, createUsageEvent, type Run, recordReplacement } from "../events/run.ts";
import type { RunState, StepView } from "../events/run-state.ts";
import {
  type ChatMessage,
  type Completion,
  ENDLESS,
  type Model,
  type ModelDelta,
  ModelError,
  ModelReplaced,
  type ModelRequest,
  type ReplyFormat,
} from "../ports/model.ts";
import type { StepHooks } from "../ports/step-hooks.ts";
import type { Profile } from "../prompt/profile.ts";
import { buildPrompt } from "../prompt/prompt.ts";
import { isReactStyle, type ReplyForm } from "../prompt/reply-form.ts";
import { chooseDefaultThoughts, type FormatSelector, isLean } from "../reply/formats.ts";
import { fitPlan } from "../reply/plan.ts";
import { readReply } from "../reply/read-reply.ts";
import { type Proposal, type Reply, THOUGHT_FIELDS, type ThoughtStyle } from "../reply/reply.ts";
import { hasEffect } from "./ending.ts";
import { findLoop, selectGuardedSteps } from "./loop-guard.ts";

/** Dependencies of thinking. */
export interface ThinkDependencies {
  readonly model: Model;
  readonly formats: FormatSelector;
  /** How the model thinks aloud; "auto" leaves it to the model and its window. Absent: the full thoughts. */
  readonly thoughts?: ThoughtStyle | "auto" | undefined;
  /** Absent: the server decides, except that a small local model gets 0, because it strays from its task at higher values. */
  readonly temperature?: number;
  /** Keeps prompts within window and budget, and learns from step to step. */
  readonly contextBudget?: Pick<
    ContextBudget,
    "fit" | "learn" | "isSilent" | "handleRefusal" | "narrowModelWindow" | "close" | "getReservedBudget"
  >;
  /** Recalls memories for the step and records them itself. It doesn't spend the reserved budget. */
  recall?(run: Run, signal: AbortSignal, reserved: ReservedBudget): Promise<readonly RecalledMemory[]>;
  /** The time for the next prompt; undefined where it isn't needed there. */
  findPromptTime(head: Run["head"]): string | undefined;
  /** Does the strategy's work before a step and records it. */
  prepare?(run: Run, signal: AbortSignal): Promise<void>;
  /** The strategy's remarks for the next prompt. */
  listStrategyRemarks?(state: RunState): readonly string[];
  /** News since the model's last reply, as remarks; `read` is called once the next reply has arrived. */
  collectNews?(): { readonly remarks: readonly string[]; read(): void };
  readonly hooks?: Pick<StepHooks, "collectNotes" | "reviewProposal">;
  /** Normalizes a reply's calls before it is recorded, and selects those that run. */
  understand?(reply: Proposal): Proposal;
  /** Today's name of a command; undefined for an invented one. */
  resolve?(name: string): string | undefined;
  reportDelta?(step: number, delta: ModelDelta): void;
  /** Reports that this step's deltas so far are void, because the reply starts over. */
  reportRestart?(step: number): void;
  notice?(text: Sentence, kind?: "warning"): void;
  /** Requests of the user to compact the history before this step. */
  readonly compactions?: CompactionRequests;
}

const CUT_OFF_REMARK = "Your last reply broke off before its end. Give it again, whole, and in fewer words.";
const PLAN_REMARK = `The user wants a plan first: only commands that read work now, all others are refused. Look at what you need to know, then end with ${COMMAND.finish}, and give as its reason the whole plan: what you will change, in which files, in which order, and how you will check it.`;
/** Limit on how often a step's prompt is shortened because the server refused its length. */
const MAX_REFUSALS = 5;

/**
 * Asks the model for a step's reply and records it. Tries another format, a shorter prompt or a second attempt where these help. Returns
 * the limit that the call could exceed; in that case the model isn't asked.
 */
export async function requestStepReply(
  run: Run,
  step: number,
  thinking: ThinkDependencies,
  signal: AbortSignal,
): Promise<LimitName | undefined> {
  const { model: given, contextBudget = new ContextBudget() } = thinking;
  await thinking.prepare?.(run, signal);
  const recalled = (await thinking.recall?.(run, signal, contextBudget.getReservedBudget())) ?? [];
  const notes = (await thinking.hooks?.collectNotes(signal)) ?? [];
  const news = thinking.collectNews?.();
  let cutOff = false;
  let refusals = 0;
  let doubt: Doubt | undefined;
  for (;;) {
    const { formats } = thinking;
    const learned = applyLearnedWindow(given, run.state.model);
    const model = doubt?.shorter ?? learned;
    const format = formats.current;
    const thoughts = chooseThoughtStyle(thinking, format, learned);
    const style = thoughts === "short" ? ({ thoughts } as const) : {};
    const tail = makeTail(run, thinking, { recalled, cutOff, news: [...(news?.remarks ?? []), ...notes] });
    const planned = planPrompt(run, thinking, { model, format, tail, needsFullReply: cutOff }, style);
    const fitted = await contextBudget.fit(run, planned, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!doubt?.shorter) throw error;
    });
    if (fitted === undefined) {
      if (doubt?.answer instanceof ModelError) formats.handleTrouble(doubt.answer, format);
      doubt = { shorter: undefined };
      continue;
    }
    if (typeof fitted === "string") return fitted;
    await run.record({ type: "asked", step, format, ...style, ...selectRecordedParts(fitted) });
    const request = { ...planned.request(fitted.tail), maxReplyTokens: fitted.maxReplyTokens };
    const answer = await ask(run, step, request, thinking, signal);
    if (answer instanceof ModelReplaced) {
      doubt = undefined;
      continue;
    }
    const isFirst = doubt === undefined;
    doubt ??= await findDoubt(run, answer, contextBudget, { planned, request });
    if (isFirst && doubt?.shorter) continue;
    if (answer instanceof ModelError && answer.trouble === "context" && !answer.mayBeTooLong) {
      if (++refusals > MAX_REFUSALS) throw createPromptTooLongError(model);
      await contextBudget.handleRefusal(run, model, request, answer);
      formats.fit(run.state.model.contextWindow);
      continue;
    }
    if (answer instanceof ModelError) {
      formats.handleTrouble(answer, format);
      continue;
    }
    formats.handleAnswer(thinking);
    contextBudget.learn(request, answer.usage, isWordless(answer));
    const form = { format, thoughts: thoughts ?? "full", isReact: isReactStyle(run.head, format) };
    const reply = await recordReply(run, step, form, answer, thinking, signal);
    formats.handleReply(reply, answer.finish, thinking);
    news?.read();
    if (cutOff || reply.kind === "proposal" || !reply.cutOff || isOutOfReplies(run)) return undefined;
    cutOff = true;
  }
}

/** Chooses how the model thinks aloud; replies in whole files have only words beside the files. */
function chooseThoughtStyle(
  { thoughts }: ThinkDependencies,
  format: ReplyFormat,
  model: Model,
): ThoughtStyle | undefined {
  if (format === "files") return "short";
  return thoughts === "auto" ? chooseDefaultThoughts(model) : thoughts;
}

function selectRecordedParts({ tail, tokens }: FittedPrompt): Pick<FittedPrompt, "tail" | "tokens"> {
  return { tail, ...omitUndefined({ tokens }) };
}

function isOutOfReplies({ state }: Run): boolean {
  return findExhaustedLimit(state.totals, state.limits) === "replies";
}

/** An answer that the prompt's length may explain. */
interface Doubt {
  readonly answer?: Completion | ModelError;
  /** Makes the next prompt shorter; undefined if that can't help. */
  readonly shorter: Model | undefined;
}

/** Doubts a failure without a known cause, and a second reply without a word. */
async function findDoubt(
  run: Run,
  answer: Completion | ModelError,
  budget: Pick<ContextBudget, "isSilent" | "narrowModelWindow">,
  { planned, request }: { readonly planned: PlannedPrompt; readonly request: ModelRequest },
): Promise<Doubt | undefined> {
  const isFailure = answer instanceof ModelError;
  const isDoubtful = isFailure ? answer.mayBeTooLong : budget.isSilent && isWordless(answer);
  if (!isDoubtful || run.state.totals.replies === 0) return undefined;
  const shorter = budget.narrowModelWindow(run, planned, request);
  if (shorter && !isFailure) await run.record(createUsageEvent("empty reply", answer));
  return { answer, shorter };
}

/** Ends of replies that the prompt's length can't explain. */
const NOT_SILENT: ReadonlySet<string> = new Set(["content_filter", ENDLESS]);

function isWordless({ text, calls, reasoning = "", finish }: Completion): boolean {
  return (text + reasoning).trim() === "" && calls.length === 0 && !NOT_SILENT.has(finish);
}

function planPrompt(
  run: Run,
  { temperature, compactions }: ThinkDependencies,
  planned: Pick<PlannedPrompt, "model" | "format" | "tail" | "needsFullReply">,
  style: { readonly thoughts?: "short" },
): PlannedPrompt {
  const { format, model } = planned;
  const warmth = temperature ?? (isLean(model) ? 0 : undefined);
  return {
    ...planned,
    ...omitUndefined({ compactions }),
    request: (tail) => {
      const { cached, ...request } = buildPrompt(run.head, run.history, { format, ...style, tail });
      const isAttended = run.state.mode !== "continuous";
      return {
        ...request,
        ...(cached ? { cached: { ...cached, isAttended } } : {}),
        ...omitUndefined({ temperature: warmth }),
      };
    },
  };
}

async function recordReply(
  run: Run,
  step: number,
  { format, ...form }: ReplyForm,
  answer: Completion,
  { understand = (proposal) => proposal, resolve, hooks, formats }: ThinkDependencies,
  signal: AbortSignal,
): Promise<Reply> {
  const { doWordsEnd } = formats;
  // Once the user has spoken, the task alone doesn't say what is wanted.
  const task = run.state.guardFrom === 0 ? run.state.task : undefined;
  const read = readReply(answer, { format, resolve, ...form, doWordsEnd, task });
  const understood = read.kind === "proposal" ? understand(read) : read;
  const reply =
    hooks && understood.kind === "proposal"
      ? understand(await hooks.reviewProposal(step, understood, signal))
      : understood;
  const { text, calls, reasoning, sentBack, finish, model, usage, costUsd } = answer;
  await run.record({
    type: "replied",
    step,
    format,
    text,
    calls,
    ...(reasoning ? { reasoning } : {}),
    ...omitUndefined({ sentBack }),
    finish,
    reply,
    model,
    ...omitUndefined({ usage, costUsd }),
  });
  return reply;
}

async function ask(
  run: Run,
  step: number,
  request: ModelRequest,
  thinking: ThinkDependencies,
  signal: AbortSignal,
): Promise<Completion | ModelError> {
  try {
    return await addOwnTokenCount(thinking.model).complete(request, {
      signal,
      patienceMs: computeTimeLeftMs(run.state),
      replans: true,
      delta: (delta) => thinking.reportDelta?.(step, delta),
      restarted: () => thinking.reportRestart?.(step),
      notice: (text, kind) => thinking.notice?.(text, kind),
    });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error instanceof ModelReplaced) await recordReplacement(run, thinking.model, error);
    return error;
  }
}

function makeTail(
  run: Run,
  thinking: ThinkDependencies,
  { recalled, cutOff, news }: { recalled: readonly RecalledMemory[]; cutOff: boolean; news: readonly string[] },
): PromptTail {
  const { state } = run;
  const finding = findLoop(selectGuardedSteps(state));
  const { profile } = run.head;
  const { name, role, goals } = state.profile;
  const time = thinking.findPromptTime(run.head);
  return {
    ...omitUndefined({ time }),
    budget: renderBudget(state.totals, state.limits),
    plan: fitPlan(state.plan, state.model.contextWindow),
    recalled,
    remarks: [
      ...(state.mode === "plan" ? [PLAN_REMARK] : []),
      ...(thinking.listStrategyRemarks?.(state) ?? []),
      ...(finding ? [finding.text] : []),
      ...listFormRemarks(state.recent),
      ...news,
      ...(cutOff ? [CUT_OFF_REMARK] : []),
    ],
    ...omitUndefined({
      hasFailed: (thinking.formats.current === "files" && hasFailed(state.recent.at(-1))) || undefined,
      hasChanged: state.recent.slice(-1).some(hasEffect) || undefined,
    }),
    ...(goals !== profile.goals ? { goals } : {}),
    ...(name !== profile.name || role !== profile.role ? { profile: { name, role } } : {}),
  };
}

function hasFailed(step: StepView | undefined): boolean {
  const outcome = step?.reply?.kind === "proposal" ? step.outcome : undefined;
  return outcome?.status === "failed" || (outcome?.status === "done" && outcome.exitCode !== undefined);
}

/** A model that has ignored the remark this often can't do otherwise. */
const MAX_FORM_REMARKS = 3;

/** A remark on how the last reply differed from the described form, unless the same remark never helped. */
function listFormRemarks(recent: readonly StepView[]): readonly string[] {
  const faults = recent
    .slice(-MAX_FORM_REMARKS - 1)
    .map(({ reply }) => (reply?.kind === "proposal" ? (reply.faults ?? []) : []));
  const last = faults.at(-1) ?? [];
  if (last.length === 0 || (faults.length > MAX_FORM_REMARKS && faults.every((one) => one.length > 0))) return [];
  return [`Your last reply was understood, but not in the described form: ${last.join("; ")}.`];
}

/** Enough for a short paragraph. */
const MAX_CRITICISM_TOKENS = 1_000;

/** The messages that ask an uninvolved model to criticize a proposal. */
export function createCriticismMessages(profile: Profile, task: string, proposal: Proposal): ChatMessage[] {
  const thoughts = THOUGHT_FIELDS.filter((field) => field !== "speak" && proposal.thoughts[field] !== "")
    .map((field) => `${field}: ${proposal.thoughts[field]}`)
    .join("\n");
  return [
    {
      role: "system",
      content:
        "You review the thinking of an autonomous agent before it acts. Say in one short paragraph what is wrong, missing or risky in it and what it should do instead. Where it is sound, say so in one sentence. Judge only; do not give it new goals.",
    },
    {
      role: "user",
      content: `The agent is ${profile.name}, ${profile.role}.\nIts task: ${task}\nIts goals:\n${profile.goals.map((goal) => `- ${goal}`).join("\n")}\n\nIts thoughts:\n${thoughts}\n\nThe command it wants to run: ${proposal.call.name} ${JSON.stringify(proposal.call.args)}`,
    },
  ];
}

/** Has a model criticize a proposal. The criticism goes into the history and its cost into the run, so the model must respect the run's budget. */
export async function requestCriticism(
  run: Run,
  proposal: Proposal,
  model: Model,
  signal: AbortSignal,
): Promise<string> {
  const { profile, task } = run.state;
  const request = {
    messages: createCriticismMessages(profile, task, proposal),
    maxReplyTokens: MAX_CRITICISM_TOKENS,
  };
  const completion = await addOwnTokenCount(model).complete(request, { signal });
  await run.record(createUsageEvent("self-criticism", completion));
  const criticism = completion.text.trim();
  if (criticism !== "") await run.record({ type: "said", text: criticism, by: "self" });
  return criticism;
}
