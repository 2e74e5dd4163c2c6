import type { AgentEvent } from "../../schema/events.ts";
import type { RunState, StepView } from "../../schema/run-state.ts";
import { computeUsualReplies, type Profile } from "../../schema/run-values.ts";
import { omitUndefined } from "../base/objects.ts";
import { addPictureNames } from "../base/pictures.ts";
import { addUsage, NOTHING_SPENT } from "../budget/budget.ts";
import { COMMAND, findTraits } from "../commands/command-traits.ts";
import { hasProgramFailed } from "../commands/outcome.ts";
import { applyDoneMarks, openTexts, type PlanItem, updatePlanFromThought } from "../reply/plan.ts";
import type { Reply } from "../reply/reply.ts";
import { addReadPages } from "./read-pages.ts";

export type { RunState, StepView } from "../../schema/run-state.ts";

/** The agent's activity in one word. */
export type Phase = "thinking" | "waiting" | "acting" | "paused" | "over";

/** Step number of a call that the run itself makes before it asks the model. */
export const OPENING = 0;

/** Limit on the past steps that a state holds. */
export const RECENT_STEPS = 40;

export const NO_RUN: RunState = {
  seq: -1,
  id: "",
  task: "",
  profile: { name: "", role: "", goals: [] },
  model: { smart: "", fast: "", contextWindow: 0 },
  limits: { steps: 0, replies: 0, tokens: 0, minutes: 0, usd: 0 },
  mode: "ask",
  folder: "",
  startedAt: "",
  totals: NOTHING_SPENT,
  plan: [],
  recent: [],
  queued: [],
  guardFrom: 0,
};

/** The run's phase. A step with an undecided proposal is waiting. */
export function getRunPhase(state: RunState): Phase {
  if (state.end) return "over";
  if (state.paused !== undefined) return "paused";
  if (state.open?.stage === "replied" && state.open.reply?.kind === "proposal") return "waiting";
  if (state.open?.stage === "began") return "acting";
  return "thinking";
}

/** The agent's question that hasn't been answered, even if the run was interrupted since. */
export function findOpenQuestion({ open }: RunState): string | undefined {
  const call = open?.stage === "began" && open.reply?.kind === "proposal" ? open.reply.call : undefined;
  return call?.name === COMMAND.ask ? String(call.args.question ?? "") : undefined;
}

/** The number of the open step, or of the next one. Steps count from 1. */
export function getCurrentStep(state: RunState): number {
  return state.open?.step ?? state.totals.steps + 1;
}

/** True for a finished step whose call ran, even if it failed; false if it was unreadable, invalid or refused. */
export function hasCallRun({ reply, outcome, also = [] }: Pick<StepView, "reply" | "outcome" | "also">): boolean {
  if (reply?.kind === "unreadable") return false;
  return [outcome, ...also].some((one) => one?.status !== "refused" && !(one?.status === "failed" && one.isInvalid));
}

/** True if the run wanted more than to plan and to end, and all of that was refused. */
export function wasAllRefused({ mode, hasWorked, recent }: Pick<RunState, "mode" | "hasWorked" | "recent">): boolean {
  return mode !== "plan" && !hasWorked && recent.some((step) => step.outcome?.status === "refused" && isWork(step));
}

/** True for a step whose call looks at the workspace or changes something. */
function isWork({ reply }: Pick<StepView, "reply">): boolean {
  return reply?.kind === "proposal" && !findTraits(reply.call.name)?.isIdle;
}

/** Applies an event. Extension, panel and replay all use this one reducer. */
export function applyEvent(state: RunState, event: AgentEvent): RunState {
  return { ...reduce(addActiveTime(state, event), event), seq: event.seq };
}

/** Adds the active time up to an event. Time before a resume never counts, even if no event recorded the stop. */
function addActiveTime(state: RunState, { type, at }: AgentEvent): RunState {
  if (state.busySince === undefined) return state;
  if (type === "resumed") return omitBusySince(state);
  const stretchMs = Date.parse(at) - Date.parse(state.busySince);
  if (!(stretchMs > 0)) return state;
  const { totals } = state;
  return { ...state, busySince: at, totals: { ...totals, activeMs: totals.activeMs + stretchMs } };
}

type StepEvent = Extract<AgentEvent, { type: "started" | "asked" | "replied" | "decided" | "began" | "ended" }>;

function reduce(state: RunState, event: AgentEvent): RunState {
  switch (event.type) {
    case "started":
      return {
        ...NO_RUN,
        id: event.id,
        task: event.task,
        profile: event.profile,
        model: event.model,
        limits: { replies: computeUsualReplies(event.limits.steps), ...event.limits },
        mode: event.mode,
        ...omitUndefined({ strategy: event.strategy }),
        folder: event.folder,
        startedAt: event.at,
        ...omitUndefined({ isolated: event.isolated }),
        ...(event.isAgent && event.parent !== undefined ? { worksFor: event.parent } : {}),
      };
    case "asked":
      return applyAskedEvent(state, event);
    case "replied":
      return applyRepliedEvent(state, event);
    case "decided":
      return updateOpenStep(state, event.step, {
        stage: "decided",
        decided: {
          allow: event.allow,
          by: event.by,
          reason: event.reason,
          ...omitUndefined({ text: event.text, rule: event.rule, edited: event.edited }),
        },
      });
    case "began":
      return {
        ...updateOpenStep(state, event.step, {
          stage: "began",
          began: { name: event.command, args: event.args },
        }),
        busySince: event.at,
      };
    case "ended":
      return applyEndedEvent(state, event);
    default:
      return reduceOutsideSteps(state, event);
  }
}

/** Applies events that aren't a stage of a step. */
function reduceOutsideSteps(state: RunState, event: Exclude<AgentEvent, StepEvent>): RunState {
  switch (event.type) {
    case "said":
      return {
        ...setPlanDue(omitNextCalls(state)),
        queued: [...state.queued, addPictureNames(event.text, event.attached)],
        ...(event.by === "self" ? {} : { guardFrom: getCurrentStep(state) }),
      };
    case "planned":
      return {
        ...(event.byPlanner
          ? { ...state, planner: { step: getCurrentStep(state) } }
          : setPlanDueIfChanged(state, event.items)),
        plan: event.items,
        planIsKept: true,
      };
    case "compacted":
      return event.model === undefined ? state : { ...state, totals: addUsage(state.totals, event) };
    case "spent":
      return { ...state, totals: addUsage(state.totals, event) };
    case "paused":
      return {
        ...omitBusySince(state),
        paused: event.reason,
        ...omitUndefined({ pausedText: event.text }),
      };
    case "resumed": {
      const { paused: _paused, pausedText: _text, end: _end, ...going } = state;
      // An interruption is no help for an agent that gets no further.
      return state.paused === undefined && !state.end ? going : { ...going, guardFrom: getCurrentStep(state) };
    }
    case "changed":
      return applyChangedEvent(state, event);
    case "over":
      return { ...omitBusySince(state), end: event.end };
    case "lost":
      return omitBusySince(state);
    case "hooked":
      return applyHookedEvent(state, event);
    case "reviewed":
      return { ...omitNextCalls(state), review: createReview(event) };
    case "undone":
      return { ...omitNextCalls(state), guardFrom: getCurrentStep(state) };
    case "recalled":
    case "granted":
    case "child":
    case "unknown":
      return state;
    default:
      event satisfies never;
      return state;
  }
}

function applyAskedEvent(state: RunState, event: Extract<AgentEvent, { type: "asked" }>): RunState {
  const { hooks: since, next: _next, ...rest } = state;
  const { step, at } = event;
  const hooks = state.open?.step === step ? state.open.hooks : since;
  return {
    ...rest,
    busySince: at,
    queued: [],
    ...omitUndefined({ promptTokens: event.tokens }),
    open: { step, at, stage: "asked", recalled: event.tail.recalled, ...omitUndefined({ hooks }) },
  };
}

/** Limit on the calls of plugins that a step shows. */
const SHOWN_HOOKS = 60;

function applyHookedEvent(state: RunState, event: Extract<AgentEvent, { type: "hooked" }>): RunState {
  const { plugin, hook, ms, result, why } = event;
  const call = { plugin, hook, ms, result, ...omitUndefined({ why }) };
  const appendCall = (before: StepView["hooks"] = []): NonNullable<StepView["hooks"]> => [
    ...before.slice(1 - SHOWN_HOOKS),
    call,
  ];
  return state.open
    ? { ...state, open: { ...state.open, hooks: appendCall(state.open.hooks) } }
    : { ...state, hooks: appendCall(state.hooks) };
}

function applyRepliedEvent(state: RunState, event: Extract<AgentEvent, { type: "replied" }>): RunState {
  if (event.of !== undefined) return continueReply(state, event, event.of);
  const totals = addUsage(state.totals, event);
  const promptTokens = event.usage?.input || state.promptTokens;
  const spent: RunState = {
    ...omitBusySince(state),
    totals: { ...totals, replies: totals.replies + 1 },
    ...omitUndefined({ promptTokens }),
  };
  const calls = event.reply.kind === "proposal" ? (event.reply.next ?? []) : [];
  const next = calls.length > 0 && state.queued.length === 0 ? { next: { of: event.step, calls } } : {};
  return updateOpenStep({ ...applyThought(spent, event.reply), ...next }, event.step, {
    stage: "replied",
    reply: event.reply,
    ...omitUndefined({ reasoning: event.reasoning, usage: event.usage, costUsd: event.costUsd }),
  });
}

/** Starts a step with the next call of an earlier reply, without asking the model. */
function continueReply(
  state: RunState,
  { step, at, reply }: Extract<AgentEvent, { type: "replied" }>,
  of: number,
): RunState {
  const { hooks, next, ...rest } = state;
  const calls = next?.calls.slice(1) ?? [];
  return {
    ...rest,
    ...(calls.length > 0 ? { next: { of, calls } } : {}),
    ...(of === OPENING ? { isOpened: true as const } : {}),
    open: { step, at, stage: "replied", recalled: [], reply, of, ...omitUndefined({ hooks }) },
  };
}

function applyThought(state: RunState, reply: Reply): RunState {
  if (reply.kind !== "proposal") return state;
  const { planIsKept, ...rest } = state;
  if (state.strategy === "tasks") return markDoneTasks(state, reply.thoughts.plan);
  const worked = state.recent.at(-1)?.outcome?.status === "done";
  const before = { items: state.plan, isKept: planIsKept === true };
  const { items, isKept } = updatePlanFromThought(before, reply.thoughts.plan, worked);
  return { ...rest, plan: items, ...omitUndefined({ planIsKept: isKept || undefined }) };
}

/** Marks the planner's tasks that a thought marks as done. Adds no tasks. */
function markDoneTasks(state: RunState, thought: string): RunState {
  const plan = applyDoneMarks(state.plan, thought);
  return plan === state.plan ? state : { ...setPlanDue(state), plan };
}

function setPlanDueIfChanged(state: RunState, items: readonly PlanItem[]): RunState {
  return openTexts(items) === openTexts(state.plan) ? state : setPlanDue(state);
}

/** Marks the plan as due, because an event may have changed the planner's tasks. */
function setPlanDue(state: RunState): RunState {
  return state.planner ? { ...state, planner: { ...state.planner, isDue: true } } : state;
}

function applyEndedEvent(state: RunState, event: Extract<AgentEvent, { type: "ended" }>): RunState {
  const { open, next, ...rest } = omitBusySince(state);
  if (open?.step !== event.step) return state;
  const { began: _began, ...past } = open;
  const also = event.also ? { also: event.also } : {};
  const step = { ...past, stage: "ended", outcome: event.outcome, ...also } as const;
  const pages = addReadPages(rest.pages ?? [], step);
  return {
    ...rest,
    ...(next && hasSucceeded(event) ? { next } : {}),
    ...(rest.review ? { review: { ...rest.review, isOutdated: true } } : {}),
    ...(pages.length > 0 ? { pages } : {}),
    ...(hasCallRun(step) && isWork(step) ? { hasWorked: true as const } : {}),
    totals: {
      ...rest.totals,
      steps: Math.max(rest.totals.steps, event.step),
      missed: rest.totals.missed + (hasCallRun(step) ? 0 : 1),
    },
    recent: [...rest.recent.slice(-(RECENT_STEPS - 1)), step],
  };
}

/** True if everything in a step succeeded, so that the next call of its reply follows. */
function hasSucceeded({ outcome, also = [] }: Extract<AgentEvent, { type: "ended" }>): boolean {
  return [outcome, ...also].every((one) => one.status === "done" && !hasProgramFailed(one));
}

/** Drops the pending calls, because their reply didn't know about later events. */
function omitNextCalls({ next: _, ...state }: RunState): RunState {
  return state;
}

function createReview({
  at,
  what,
  files,
  conflicts = [],
  branch,
}: Extract<AgentEvent, { type: "reviewed" }>): NonNullable<RunState["review"]> {
  const counts = { files: files.length, conflicts: conflicts.length };
  return { what, at, ...counts, ...omitUndefined({ branch }) };
}

function applyChangedEvent(state: RunState, event: Extract<AgentEvent, { type: "changed" }>): RunState {
  return {
    ...(event.goals ? setPlanDue(state) : state),
    ...(event.goals || event.profile ? { profile: updateProfile(state.profile, event) } : {}),
    ...(event.limits ? { limits: { ...state.limits, ...event.limits } } : {}),
    ...omitUndefined({ model: event.model, mode: event.mode }),
  };
}

function updateProfile(before: Profile, event: Extract<AgentEvent, { type: "changed" }>): Profile {
  return { ...before, ...event.profile, ...omitUndefined({ goals: event.goals }) };
}

function updateOpenStep(state: RunState, step: number, news: Partial<StepView>): RunState {
  return state.open?.step === step ? { ...state, open: { ...state.open, ...news } } : state;
}

function omitBusySince(state: RunState): RunState {
  const { busySince: _busySince, ...rest } = state;
  return rest;
}

/** The last `count` finished steps before step `before`, oldest first. */
export function listPastSteps(events: readonly AgentEvent[], before: number, count: number): readonly StepView[] {
  let state = NO_RUN;
  let steps: StepView[] = [];
  for (const event of events) {
    const { open } = state;
    state = applyEvent(state, event);
    const last = state.recent.at(-1);
    if (event.type !== "ended" || open?.step !== event.step || !last) continue;
    if (last.step >= before) break;
    steps.push(last);
    if (steps.length > 2 * count) steps = steps.slice(-count);
  }
  return steps.slice(-count);
}
