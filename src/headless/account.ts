import type { AgentEvent } from "../core/event.ts";
import { type Outcome, outcomeText, programFailed, type RunEnd } from "../core/outcome.ts";
import type { PlanItem } from "../core/plan.ts";
import { type Reply, THOUGHT_FIELDS } from "../core/reply.ts";
import { visible } from "../core/visible.ts";

/** What a person reads of an event on a terminal; "" for what need not be told. */
export function account(event: AgentEvent): string {
  return visible(tell(event));
}

function tell(event: AgentEvent): string {
  switch (event.type) {
    case "started":
      return `${event.profile.name}, ${event.profile.role}\nTask: ${event.task}\n${list(event.profile.goals)}Run: ${event.id}\nFolder: ${event.folder}\nModel: ${event.model.smart}\n`;
    case "replied":
      return `── Step ${event.step} ${"─".repeat(40)}\n${told(event.reply)}${cost(event)}`;
    case "decided":
      return event.allow ? `Approved: ${event.reason} (${event.by})` : "";
    case "ended":
      return outcomeLine(event.outcome);
    case "planned":
      return planOf(event.items);
    case "said":
      return `${SAID[event.by]}: ${event.text}`;
    case "child":
      return `Agent ${event.name} ${event.what}`;
    case "compacted":
      return `Steps up to ${event.through} are told in brief from now on.`;
    case "paused":
      return `Paused: ${event.reason}`;
    case "resumed":
      return "Going on.";
    case "over":
      return ended(event.end);
    default:
      return "";
  }
}

/** The plan at the end of a run; "" when there is none. */
export function planAccount(items: readonly PlanItem[]): string {
  return items.length === 0 ? "" : visible(planOf(items));
}

function planOf(items: readonly PlanItem[]): string {
  return `Plan:\n${items.map((item) => `  [${item.status}] ${item.text}`).join("\n")}`;
}

const SAID = { user: "You say", self: "It says to itself", agent: "It is told" } as const;

const OUTCOME = { done: "Done", failed: "Failed", refused: "Refused" } as const;

/** The run's end tells that it is finished. */
function outcomeLine(outcome: Outcome): string {
  if (outcome.status === "finished") return "";
  const word = programFailed(outcome) ? OUTCOME.failed : OUTCOME[outcome.status];
  return `${word}: ${folded(outcomeText(outcome))}\n`;
}

function told(reply: Reply): string {
  if (reply.kind === "unreadable") return `The reply could not be read: ${reply.problem}`;
  const thoughts = THOUGHT_FIELDS.filter((field) => reply.thoughts[field] !== "").map(
    (field) => `${field.toUpperCase()}: ${reply.thoughts[field]}`,
  );
  return [...thoughts, `COMMAND: ${reply.call.name} ${JSON.stringify(reply.call.args)}`].join("\n");
}

function cost({ usage, costUsd }: Extract<AgentEvent, { type: "replied" }>): string {
  const tokens = usage ? `${usage.input} + ${usage.output} tokens` : "";
  const usd = costUsd === undefined ? "" : `$${costUsd.toFixed(4)}`;
  const both = [tokens, usd].filter((part) => part !== "").join(", ");
  return both === "" ? "" : `\n(${both})`;
}

const HEAD_LINES = 12;
const TAIL_LINES = 4;

/** A long outcome's beginning and end; the whole of it is in the run's log. */
function folded(text: string): string {
  const lines = text.split("\n");
  if (lines.length <= HEAD_LINES + TAIL_LINES + 1) return text;
  const left = lines.length - HEAD_LINES - TAIL_LINES;
  return [...lines.slice(0, HEAD_LINES), `… ${left} more lines …`, ...lines.slice(-TAIL_LINES)].join("\n");
}

function list(goals: readonly string[]): string {
  return goals.map((goal, index) => `  ${index + 1}. ${goal}\n`).join("");
}

function ended(end: RunEnd): string {
  switch (end.reason) {
    case "finished":
      return `Finished. ${end.summary}`;
    case "exhausted":
      return `The run has used up its budget (${end.limit}), or its next call could exceed it. Raise it to go on.`;
    case "stuck":
      return `Stuck. ${end.why}`;
    case "failed":
      return `It cannot go on. ${end.error}`;
    case "stopped":
      return "Stopped. Go on with --resume.";
    case "crashed":
      return `A bug ended the run: ${end.error}`;
  }
}
