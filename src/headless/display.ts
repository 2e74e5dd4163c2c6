import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { assertNever } from "../core/base/errors.ts";
import { addPictureNames } from "../core/base/pictures.ts";
import { escapeInvisible } from "../core/base/text.ts";
import { computeUncachedUsd, type Totals } from "../core/budget/budget.ts";
import type { Preview } from "../core/commands/command.ts";
import {
  getOutcomeText,
  hasProgramFailed,
  type LimitName,
  listOutcomeRules,
  type Outcome,
  type RunEnd,
} from "../core/commands/outcome.ts";
import { describeSpentBudget } from "../core/events/end-text.ts";
import type { RunState } from "../core/events/run-state.ts";
import type { ApprovalRequest } from "../core/ports/approver.ts";
import { isOpen, type PlanItem } from "../core/reply/plan.ts";
import { THOUGHT_FIELDS } from "../core/reply/reply.ts";
import type { AgentEvent } from "../schema/events.ts";
import { describeMissingEvents, getEventTypeName } from "../schema/formats.ts";
import type { ReadPage } from "../schema/run-values.ts";
import { writeInEnglish } from "../texts/display-text.ts";

/** Text of an event on a terminal; "" for events that are not shown. */
export function renderEvent(event: AgentEvent): string {
  return escapeInvisible(renderRawEvent(event));
}

function renderRawEvent(event: AgentEvent): string {
  switch (event.type) {
    case "started":
      return `${event.profile.name}, ${event.profile.role}\nTask: ${event.task}\n${list(event.profile.goals)}Run: ${event.id}\nFolder: ${event.folder}\nModel: ${event.model.smart}\n`;
    case "replied":
      return `── Step ${event.step} ${"─".repeat(40)}\n${renderReply(event)}${event.of === undefined ? formatCost(event) : ""}`;
    case "decided":
      return event.allow ? `Approved: ${event.reason} (${event.by})` : "";
    case "ended":
      return [event.outcome, ...(event.also ?? [])].map(renderOutcomeLine).join("");
    case "planned":
      return renderPlan(event.items);
    case "said":
      return `${SAID[event.by]}: ${addPictureNames(event.text, event.attached)}`;
    case "hooked":
      return renderHookLine(event);
    case "child":
      return `Agent ${event.name} ${event.what}`;
    case "compacted":
      return event.through === undefined
        ? "Older outcomes are shortened from now on."
        : `Steps up to ${event.through} are summarized from now on.`;
    case "paused":
      return `Paused: ${event.reason}`;
    case "resumed":
      return "Resumed.";
    case "changed":
      return event.reason ?? "";
    case "over":
      return describeEnd(event.end);
    case "unknown":
      return `Unknown event "${getEventTypeName(event)}", written by a newer version of AutoGPT.`;
    case "lost":
      return `${describeMissingEvents(event)}\n`;
    case "asked":
    case "began":
    case "recalled":
    case "granted":
    case "spent":
    case "undone":
    case "reviewed":
      return "";
    default:
      return assertNever(event);
  }
}

/** A run's spending, as a line; "" if it has spent nothing. Calls without a known price count only as tokens. */
export function formatSpending(totals: Totals): string {
  const { input, output, cached, usd, unpriced } = totals;
  if (input + output === 0) return "";
  const count = (tokens: number): string => tokens.toLocaleString("en");
  const uncached = computeUncachedUsd(totals);
  const cost = usd > 0 ? `, $${usd.toFixed(4)}${unpriced > 0 ? " or more" : ""}` : "";
  const saved = uncached === undefined ? "" : ` ($${uncached.toFixed(4)} without the cache)`;
  const read = cached > 0 ? `, ${count(cached)} of them from the cache` : "";
  return `Spent: ${count(input)} + ${count(output)} tokens${read}${cost}${saved}.`;
}

/** Formats a hook's result; "" for a hook without an answer. */
function renderHookLine({ plugin, hook, result, why }: Extract<AgentEvent, { type: "hooked" }>): string {
  if (result === "none") return "";
  return `Plugin ${plugin}, ${hook}: ${result}${why === undefined ? "" : ` (${why})`}`;
}

/** Files with instructions that the agent reads, and why it can't read others, each as a line. */
export function renderInstructionLines({
  rules,
  laterRules = [],
  skills = [],
  moreSkills = 0,
  agents = [],
  unread = [],
}: Pick<
  Extract<AgentEvent, { type: "started" }>,
  "rules" | "laterRules" | "skills" | "moreSkills" | "agents" | "unread"
>): readonly string[] {
  return [
    ...rules.map(({ file, by }) =>
      by === "user"
        ? `The agent reads ${file}, your own instructions.`
        : `The agent reads ${file}, the repository's own words.`,
    ),
    ...laterRules.map(({ file, globs }) =>
      globs
        ? `For ${globs.join(", ")}, the agent reads ${file}, the repository's own words.`
        : `The agent can read ${file}, the repository's own words.`,
    ),
    ...(skills.length > 0
      ? [
          `Skills that the agent can read: ${skills.map(({ name }) => name).join(", ")}${moreSkills > 0 ? ` and ${moreSkills} more` : ""}.`,
        ]
      : []),
    ...(agents.length > 0 ? [`Agents that it can start: ${agents.map(({ name }) => name).join(", ")}.`] : []),
    ...unread,
  ].map(escapeInvisible);
}

/** The plan at the end of a run; "" when there is none. A finished run's open items are only known not to be marked as done. */
export function renderFinalPlan({ plan, end, mode }: RunState): string {
  const isOver = end?.reason === "finished" && mode !== "plan";
  return plan.length === 0 ? "" : escapeInvisible(renderPlan(plan, isOver));
}

function renderPlan(items: readonly PlanItem[], isOver = false): string {
  const renderItem = (item: PlanItem): string =>
    `  [${isOver && isOpen(item) ? "not marked done" : item.status}] ${item.text}`;
  return `Plan:\n${items.map(renderItem).join("\n")}`;
}

const SAID = { user: "You", self: "Self-criticism", agent: "Message from the parent agent" } as const;

const OUTCOME = { done: "Done", failed: "Failed", refused: "Refused" } as const;

/** The last event already reports a finished run. */
function renderOutcomeLine(outcome: Outcome): string {
  if (outcome.status === "finished") return "";
  const word = hasProgramFailed(outcome) ? OUTCOME.failed : OUTCOME[outcome.status];
  const also = listOutcomeRules(outcome).map(
    ({ file }) => `The agent also reads ${file}, the repository's own words.\n`,
  );
  return `${word}: ${foldText(getOutcomeText(outcome))}\n${also.join("")}`;
}

function renderReply({ reply, reasoning }: Extract<AgentEvent, { type: "replied" }>): string {
  if (reply.kind === "unreadable") return `The reply couldn't be read: ${reply.problem}`;
  const thoughts = THOUGHT_FIELDS.filter((field) => reply.thoughts[field] !== "").map(
    (field) => `${field.toUpperCase()}: ${reply.thoughts[field]}`,
  );
  const own = reasoning === undefined || reply.thoughts.reasoning !== "" ? [] : [`REASONING: ${foldText(reasoning)}`];
  const calls = [reply.call, ...(reply.also ?? [])];
  return [...own, ...thoughts, ...calls.map(({ name, args }) => `COMMAND: ${name} ${JSON.stringify(args)}`)].join("\n");
}

function formatCost({ usage, costUsd }: Extract<AgentEvent, { type: "replied" }>): string {
  const tokens = usage ? `${usage.input} + ${usage.output} tokens` : "";
  const cached = usage?.cached ? `${usage.cached} from the cache` : "";
  const usd = costUsd === undefined ? "" : `$${costUsd.toFixed(4)}`;
  const both = [tokens, cached, usd].filter((part) => part !== "").join(", ");
  return both === "" ? "" : `\n(${both})`;
}

const HEAD_LINES = 12;
const TAIL_LINES = 4;

/** The beginning and end of a long outcome; the run's log has all of it. */
function foldText(text: string): string {
  const lines = text.split("\n");
  if (lines.length <= HEAD_LINES + TAIL_LINES + 1) return text;
  const left = lines.length - HEAD_LINES - TAIL_LINES;
  return [...lines.slice(0, HEAD_LINES), `… ${left} more lines …`, ...lines.slice(-TAIL_LINES)].join("\n");
}

function list(goals: readonly string[]): string {
  return goals.map((goal, index) => `  ${index + 1}. ${goal}\n`).join("");
}

/** The settings that limit a run. */
export const LIMIT_SETTINGS = {
  steps: "run.maxSteps",
  replies: "run.maxReplies",
  tokens: "run.maxTokens",
  minutes: "run.maxMinutes",
  usd: "run.budgetUsd",
} as const satisfies Readonly<Record<LimitName, string>>;

function describeExhaustedLimit(setting: string): string {
  return `The run reached its limit (${setting}), or its next call could exceed it. To continue, resume it with a higher one: --set ${setting}=N.`;
}

/** The pages that an answer may rest on, with the passages that were found on them. */
function renderPageLines(pages: readonly ReadPage[]): readonly string[] {
  if (pages.length === 0) return [];
  const lines = pages.flatMap(({ url, title, quotes }) => [
    `  ${title === "" ? url : `${title}: ${url}`}`,
    ...quotes.map((quote) => `    "${quote}"`),
  ]);
  return ["Sources:", ...lines];
}

function describeEnd(end: RunEnd): string {
  switch (end.reason) {
    case "finished":
      return [`Finished. ${end.summary}`, ...renderPageLines(end.pages ?? [])].join("\n");
    case "exhausted":
      return end.budget
        ? writeInEnglish(describeSpentBudget(end.budget))
        : describeExhaustedLimit(LIMIT_SETTINGS[end.limit]);
    case "stuck":
      return `Stuck. ${end.why}`;
    case "failed":
      return `The run can't continue. ${end.error}`;
    case "stopped":
      return "Stopped. Continue with --resume.";
    case "crashed":
      return `A bug ended the run: ${end.error}`;
    default:
      return assertNever(end);
  }
}

/** A pending proposal on a terminal: everything it would do, without omissions or hidden characters. */
export function renderApprovalCard({ step, proposal, prepared, why }: ApprovalRequest): string {
  return [
    `── Step ${step} wants to run ${escapeInvisible(proposal.call.name)} ──`,
    escapeInvisible(renderPreview(prepared.preview)),
    why ? `Asked because: ${escapeInvisible(why.reason)}` : "",
    escapeInvisible(writeInEnglish(why?.influence ?? "")),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function renderPreview(preview: Preview): string {
  if (preview.kind === "details") return preview.text;
  const { file, before, after } = preview;
  if (before === undefined) return `New file ${file}:\n${markAddedLines(after)}`;
  const patch = createTwoFilesPatch("now", "proposed", before, after, "", "", {
    headerOptions: OMIT_HEADERS,
    maxEditLength: MOST_EDITS,
  });
  return patch === undefined
    ? `Change of ${file}, of which nearly all lines are new:\n${markAddedLines(after)}`
    : `Change of ${file}:\n${patch}`;
}

/** Comparing texts is slower the less they have in common; beyond this number of lines, it stops. */
const MOST_EDITS = 2000;

function markAddedLines(text: string): string {
  return text.replace(/\n$/, "").replace(/^/gm, "+");
}
