import type { Limits, Totals } from "../core/budget/budget.ts";
import type { Outcome, RunEnd, Source } from "../core/commands/outcome.ts";
import type { RunState, StepView } from "../core/events/run-state.ts";
import type { CommandSpec, ToolCall, Usage } from "../core/ports/model.ts";
import type { Directives, Profile } from "../core/prompt/profile.ts";
import type { PlanItem } from "../core/reply/plan.ts";
import { type Call, REPLY_FORMATS, type Reply, type Thoughts } from "../core/reply/reply.ts";
import type { AgentEvent, ModelNames, PromptTail, RecalledMemory, WorkspaceFolder } from "./events.ts";
import {
  amount,
  type Check,
  flag,
  listOf,
  objectOf,
  oneOf,
  optional,
  record,
  tagged,
  text,
  whole,
} from "./shape.ts";

/** A flag that is there only when it is true. */
const onlyTrue: Check<true> = (value): value is true => value === true;

const mode = oneOf("ask", "continuous", "plan");
const format = oneOf(...REPLY_FORMATS);
const decidedBy = oneOf("user", "rule", "grant", "continuous");
const limitName = oneOf("steps", "tokens", "minutes", "usd");

const limits = objectOf<Limits>({ steps: amount, tokens: amount, minutes: amount, usd: amount });
const someLimits = objectOf<Partial<Limits>>({
  steps: optional(amount),
  tokens: optional(amount),
  minutes: optional(amount),
  usd: optional(amount),
});
const totals = objectOf<Totals>({
  steps: whole,
  input: amount,
  output: amount,
  cached: amount,
  discounted: amount,
  usd: amount,
  unpriced: whole,
  activeMs: amount,
});
const usage = objectOf<Usage>({
  input: amount,
  output: amount,
  cached: optional(amount),
  cachedRatio: optional(amount),
  reasoning: optional(amount),
});
const spent = { usage: optional(usage), costUsd: optional(amount) };
const modelNames = objectOf<ModelNames>({
  smart: text,
  fast: text,
  contextWindow: amount,
  statedWindow: optional(amount),
});
const recalled = listOf(
  objectOf<RecalledMemory>({
    text,
    source: text,
    score: amount,
    why: optional(text),
    isClean: optional(onlyTrue),
  }),
);
const plan = listOf(objectOf<PlanItem>({ text, status: oneOf("pending", "in_progress", "done", "dropped") }));
const directives = objectOf<Directives>({
  constraints: listOf(text),
  resources: listOf(text),
  bestPractices: listOf(text),
});
const toolCall = objectOf<ToolCall>({ id: text, name: text, arguments: text });
const thoughts = objectOf<Thoughts>({ text, reasoning: text, plan: text, criticism: text, speak: text });
const call = objectOf<Call>({ name: text, args: record });
const reply = tagged<Reply, "kind">("kind", {
  proposal: { thoughts, call, ignored: optional(listOf(text)), dropped: optional(listOf(text)) },
  unreadable: { problem: text, cutOff: optional(flag) },
});
const source = objectOf<Source>({
  kind: oneOf("web", "download", "tool", "ignored-file", "memory", "agent"),
  name: text,
  isClean: optional(onlyTrue),
});
const exitCode: Check<number | null> = (value): value is number | null => value === null || whole(value);
const outcome = tagged<Outcome, "status">("status", {
  done: { output: text, source: optional(source), picture: optional(text), exitCode: optional(exitCode) },
  failed: { error: text, source: optional(source) },
  refused: { feedback: text },
  finished: { summary: text },
});
const end = tagged<RunEnd, "reason">("reason", {
  finished: { summary: text },
  exhausted: { limit: limitName },
  stuck: { why: text },
  failed: { error: text },
  stopped: {},
  crashed: { error: text },
});
const tail = objectOf<PromptTail>({
  time: text,
  budget: text,
  plan,
  recalled,
  remarks: listOf(text),
  goals: optional(listOf(text)),
});

export const profile: Check<Profile> = objectOf<Profile>({
  name: text,
  role: text,
  goals: listOf(text),
  budgetUsd: optional(amount),
});

export const step: Check<StepView> = objectOf<StepView>({
  step: whole,
  at: text,
  stage: oneOf("asked", "replied", "decided", "began", "ended"),
  recalled,
  reply: optional(reply),
  usage: optional(usage),
  costUsd: optional(amount),
  decided: optional(
    objectOf<NonNullable<StepView["decided"]>>({
      allow: flag,
      by: decidedBy,
      rule: optional(text),
      reason: text,
      edited: optional(flag),
    }),
  ),
  began: optional(call),
  outcome: optional(outcome),
});

export const runState: Check<RunState> = objectOf<RunState>({
  seq: whole,
  id: text,
  task: text,
  profile,
  model: modelNames,
  limits,
  mode,
  folder: text,
  worksFor: optional(text),
  startedAt: text,
  totals,
  plan,
  planIsKept: optional(onlyTrue),
  open: optional(step),
  recent: listOf(step),
  queued: listOf(text),
  guardFrom: whole,
  paused: optional(text),
  end: optional(end),
  busySince: optional(text),
});

const numbered = { seq: whole, at: text };

export const agentEvent: Check<AgentEvent> = tagged<AgentEvent, "type">("type", {
  started: {
    ...numbered,
    schema: whole,
    id: text,
    task: text,
    profile,
    directives,
    rules: listOf(objectOf<{ file: string; text: string }>({ file: text, text })),
    unread: optional(listOf(text)),
    model: modelNames,
    limits,
    mode,
    commands: listOf(objectOf<CommandSpec>({ name: text, description: text, parameters: record })),
    folder: text,
    folders: optional(listOf(objectOf<WorkspaceFolder>({ name: text, path: text }))),
    os: text,
    machine: text,
    parent: optional(text),
    isAgent: optional(onlyTrue),
    sources: optional(listOf(source)),
  },
  asked: { ...numbered, step: whole, format, tail },
  replied: {
    ...numbered,
    ...spent,
    step: whole,
    format,
    text,
    calls: listOf(toolCall),
    finish: text,
    reply,
    model: text,
  },
  decided: {
    ...numbered,
    step: whole,
    allow: flag,
    by: decidedBy,
    rule: optional(text),
    reason: text,
    hash: text,
    feedback: optional(text),
    args: optional(record),
    edited: optional(flag),
  },
  began: { ...numbered, step: whole, command: text, args: record },
  ended: { ...numbered, step: whole, outcome },
  said: { ...numbered, text, by: oneOf("user", "self", "agent"), sources: optional(listOf(source)) },
  planned: { ...numbered, items: plan },
  recalled: { ...numbered, step: whole, memories: recalled },
  compacted: {
    ...numbered,
    ...spent,
    through: whole,
    summary: text,
    feedback: optional(listOf(text)),
    problems: optional(listOf(text)),
    model: optional(text),
  },
  granted: { ...numbered, count: whole },
  paused: { ...numbered, reason: text },
  resumed: { ...numbered, reason: text },
  changed: {
    ...numbered,
    goals: optional(listOf(text)),
    limits: optional(someLimits),
    model: optional(modelNames),
    mode: optional(mode),
  },
  spent: { ...numbered, ...spent, on: text, model: text, run: optional(text) },
  undone: { ...numbered, step: whole, files: listOf(text), redone: optional(flag) },
  child: { ...numbered, run: text, name: text, what: text },
  over: { ...numbered, end },
});
