import type { JsonSchema } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Outcome, RunEnd } from "../../core/commands/outcome.ts";
import { type AgentSummary, type Agents, describeEndReason } from "../../core/ports/sub-agents.ts";
import { displayText, type TextCode } from "../../texts/display-text.ts";
import { createFailure, createSuccess, shortenToOneLine } from "../outcomes.ts";

/** The argument that names an agent. */
export const AGENT: JsonSchema = {
  type: "integer",
  minimum: 0,
  description: "Its number.",
};

/** Its names in older programs. */
export const AGENT_ALIASES = { key: "agent", id: "agent", agent_id: "agent", number: "agent" } as const;

/** Reason why the commands for agents aren't offered. */
export const NO_AGENTS = "Agents are turned off (autogpt.agents.max is 0), or aren't available here.";

/** Explains in a sentence why agents aren't offered now; undefined if they are. */
export function explainWithheldAgents(agents: Agents | undefined): string | undefined {
  return agents && agents.getMaxCount() > 0 ? undefined : NO_AGENTS;
}

/** An agent on one line. */
export function formatAgentLine(agent: AgentSummary): string {
  const { id, name, task, state, steps, tokens, usd, commands } = agent;
  const done = steps === undefined ? [] : [`${steps} ${steps === 1 ? "step" : "steps"}`];
  const cost = usd === undefined ? `${tokens} tokens` : `${tokens} tokens, $${usd.toFixed(4)}`;
  const can = commands.length === 0 ? [] : [`may use ${commands.join(", ")}`];
  return `${id} ${name}: ${task} (${[STATES[state], ...done, cost, ...can].join("; ")})`;
}

const STATES: Readonly<Record<AgentSummary["state"], string>> = {
  working: "is working",
  waiting: "waits for the user",
  answered: "has answered",
  ended: "ended without an answer",
  interrupted: "gone: the program was closed while it was there",
};

/** Waits for an agent's answer, and marks it as data from that agent. */
export async function waitForAgentAnswer(
  agents: Agents | undefined,
  id: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const answer = (await agents?.answer(id, signal)) ?? NO_AGENTS;
  if (typeof answer === "string") return createFailure(answer);
  const { agent, end, source } = answer;
  if (end.reason === "finished")
    return {
      ...createSuccess(
        `Agent ${id} (${agent.name}) answers:\n${end.summary}`,
        displayText("results.agentAnswered", { text: shortenToOneLine(end.summary) }),
      ),
      source,
      ...omitUndefined({ pages: end.pages }),
    };
  return createFailure(
    `Agent ${id} (${agent.name}) gave no answer: it ${describeEndReason(end).replace(/\.$/, "")}. Do this part yourself, tell it how to continue with message_agent, or delete it with delete_agent.`,
    displayText(NO_ANSWER[end.reason]),
  );
}

const NO_ANSWER = {
  exhausted: "results.agentExhausted",
  stuck: "results.agentStuck",
  stopped: "results.agentStopped",
  failed: "results.agentFailed",
  crashed: "results.agentFailed",
} as const satisfies Readonly<Record<Exclude<RunEnd["reason"], "finished">, TextCode>>;
