import type { PromptTail, RecalledMemory } from "../../schema/events.ts";
import { budgetText } from "../budget/budget.ts";
import type { ReservedBudget } from "../budget/reserved-budget.ts";
import type { UnderstoodCall } from "../commands/command-set.ts";
import type { LimitName } from "../commands/outcome.ts";
import { ContextBudget, type PlannedPrompt, promptTooLong } from "../context/context-budget.ts";
import { asLearned, type Run, usageEvent } from "../events/run.ts";
import type { RunState } from "../events/run-state.ts";
import {
  type ChatMessage,
  type Completion,
  type Model,
  type ModelDelta,
  ModelError,
  type ModelRequest,
  type ReplyFormat,
} from "../ports/model.ts";
import type { Profile } from "../prompt/profile.ts";
import { headFor, stepRequest } from "../prompt/prompt.ts";
import type { FormatSelector } from "../reply/formats.ts";
import { planIn } from "../reply/plan.ts";
import { readReply } from "../reply/read-reply.ts";
import { type Call, type Proposal, type Reply, THOUGHT_FIELDS } from "../reply/reply.ts";
import { loopFinding } from "./loop-guard.ts";

/** What thinking needs beside the run. */
export interface ThinkDependencies {
  readonly model: Model;
  readonly formats: FormatSelector;
  readonly temperature?: number;
  /** Keeps prompts in window and budget; it learns from step to step. */
  readonly room?: Pick<ContextBudget, "fit" | "learn" | "refused" | "close" | "underway">;
  /** What fits the step; it keeps itself in the log what it recalled, and why. It does not spend what is `beside`. */
  recall?(state: RunState, signal: AbortSignal, beside: ReservedBudget): Promise<readonly RecalledMemory[]>;
  localTime(): string;
  /** News for the model since its last reply, as remarks; `read` is called once a reply has come. */
  news?(): { readonly remarks: readonly string[]; read(): void };
  /** How the commands of the run understand a call, before it's kept. */
  understand?(call: Call): UnderstoodCall;
  delta?(step: number, delta: ModelDelta): void;
  /** The deltas of this step so far are void: its reply begins anew. */
  restarted?(step: number): void;
  notice?(text: string): void;
}

const CUT_OFF_REMARK = "Your last reply broke off before its end. Give it again, whole, and in fewer words.";
const PLAN_REMARK =
  "The user wants a plan first: only commands that read work now, all others are refused. Look at what you need to know, then end with task_complete, and give as its reason the whole plan: what you will change, in which files, in which order, and how you will check it.";
/** How often a step's prompt may be refused for its length and shortened. */
const MOST_REFUSALS = 5;

/**
 * Asks the model for a step's reply and records it. Another format, a shorter prompt or a second try where these help. Gives the name of
 * a limit, and asks nothing, when the call could exceed it.
 */
export async function think(
  run: Run,
  step: number,
  thinking: ThinkDependencies,
  signal: AbortSignal,
): Promise<LimitName | undefined> {
  const { model: given, formats, room = new ContextBudget() } = thinking;
  const recalled = (await thinking.recall?.(run.state, signal, room.underway())) ?? [];
  const news = thinking.news?.();
  let cutOff = false;
  let refusals = 0;
  for (;;) {
    const model = asLearned(given, run.state.model);
    const format = formats.current;
    const wanted: PlannedPrompt = {
      model,
      format,
      tail: makeTail(run, thinking, { recalled, cutOff, news: news?.remarks ?? [] }),
      roomy: cutOff,
      request: (tail) => requestFor(run, tail, format, thinking.temperature),
    };
    const fitted = await room.fit(run, wanted, signal);
    if (typeof fitted === "string") return fitted;
    await run.record({ type: "asked", step, format, tail: fitted.tail });
    const request = { ...wanted.request(fitted.tail), maxReplyTokens: fitted.maxReplyTokens };
    const answer = await ask(step, request, thinking, signal);
    if (answer instanceof ModelError && answer.trouble === "context") {
      if (++refusals > MOST_REFUSALS) throw promptTooLong(model);
      await room.refused(run, model, request, answer);
      formats.fit(run.state.model.contextWindow);
      continue;
    }
    if (answer instanceof ModelError) {
      formats.afterTrouble(answer, format);
      continue;
    }
    formats.answered();
    room.learn(request, answer.usage);
    const reply = await recordReply(run, step, format, answer, thinking);
    formats.heard(reply, answer.finish);
    news?.read();
    if (cutOff || reply.kind === "proposal" || !reply.cutOff) return undefined;
    cutOff = true;
  }
}

async function recordReply(
  run: Run,
  step: number,
  format: ReplyFormat,
  answer: Completion,
  { understand }: ThinkDependencies,
): Promise<Reply> {
  const read = readReply(answer);
  const reply = understand && read.kind === "proposal" ? { ...read, ...understand(read.call) } : read;
  const { text, calls, finish, model, usage, costUsd } = answer;
  await run.record({
    ...{ type: "replied", step, format, text, calls, finish, reply, model },
    ...(usage ? { usage } : {}),
    ...(costUsd === undefined ? {} : { costUsd }),
  });
  return reply;
}

/** The request that an `asked` event stands for. */
function requestFor(
  run: Run,
  tail: PromptTail,
  format: ReplyFormat,
  temperature: number | undefined,
): ModelRequest {
  return {
    ...stepRequest(headFor(run.head, run.history.contextWindow), run.history.messages(format), tail, format),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

async function ask(
  step: number,
  request: ModelRequest,
  thinking: ThinkDependencies,
  signal: AbortSignal,
): Promise<Completion | ModelError> {
  try {
    return await thinking.model.complete(request, {
      signal,
      delta: (delta) => thinking.delta?.(step, delta),
      restarted: () => thinking.restarted?.(step),
      notice: (text) => thinking.notice?.(text),
    });
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
}

function makeTail(
  run: Run,
  thinking: ThinkDependencies,
  {
    recalled,
    cutOff,
    news,
  }: { recalled: readonly RecalledMemory[]; cutOff: boolean; news: readonly string[] },
): PromptTail {
  const { state } = run;
  const finding = loopFinding(state.recent.filter((past) => past.step >= state.guardFrom));
  const goalsChanged = state.profile.goals !== run.head.profile.goals;
  return {
    time: thinking.localTime(),
    budget: budgetText(state.totals, state.limits),
    plan: planIn(state.plan, state.model.contextWindow),
    recalled,
    remarks: [
      ...(state.mode === "plan" ? [PLAN_REMARK] : []),
      ...(finding ? [finding.text] : []),
      ...news,
      ...(cutOff ? [CUT_OFF_REMARK] : []),
    ],
    ...(goalsChanged ? { goals: state.profile.goals } : {}),
  };
}

/** A short paragraph takes no more. */
const MAX_CRITICISM_TOKENS = 1_000;

/** Asks a model that did not take part to find fault with a proposal. */
export function criticismMessages(profile: Profile, task: string, proposal: Proposal): ChatMessage[] {
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

/** Has a model find fault with a proposal. What it says goes into the history, what it costs is the run's, so the model is one that keeps to the run's budget. */
export async function requestCriticism(
  run: Run,
  proposal: Proposal,
  model: Model,
  signal: AbortSignal,
): Promise<string> {
  const { profile, task } = run.state;
  const request = {
    messages: criticismMessages(profile, task, proposal),
    maxReplyTokens: MAX_CRITICISM_TOKENS,
  };
  const completion = await model.complete(request, { signal });
  await run.record(usageEvent("self-criticism", completion));
  const criticism = completion.text.trim();
  if (criticism !== "") await run.record({ type: "said", text: criticism, by: "self" });
  return criticism;
}
