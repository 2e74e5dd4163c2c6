import type { AgentInBrief, Agents } from "../core/agents.ts";
import type { JsonSchema } from "../core/command.ts";

/** The argument that names an agent. */
export const AGENT: JsonSchema = {
  type: "integer",
  minimum: 0,
  description: "Its number, as start_agent and list_agents give it.",
};

/** What older programs call it. */
export const AGENT_ALIASES = { key: "agent", id: "agent", agent_id: "agent", number: "agent" } as const;

/** Why the commands for agents are not offered. */
export const NO_AGENTS = "Agents are turned off (autogpt.agents.max is 0), or cannot be had here.";

/** Why they are not offered now, as a sentence; undefined when they are. */
export function agentsWithheld(agents: Agents | undefined): string | undefined {
  return agents && agents.most() > 0 ? undefined : NO_AGENTS;
}

/** An agent in a line. */
export function agentLine(agent: AgentInBrief): string {
  const { id, name, task, state, steps, tokens, usd, commands } = agent;
  const done = steps === undefined ? [] : [`${steps} ${steps === 1 ? "step" : "steps"}`];
  const cost = usd === undefined ? `${tokens} tokens` : `${tokens} tokens, $${usd.toFixed(4)}`;
  const can = commands.length === 0 ? [] : [`may use ${commands.join(", ")}`];
  return `${id} ${name}: ${task} (${[STATES[state], ...done, cost, ...can].join("; ")})`;
}

const STATES: Readonly<Record<AgentInBrief["state"], string>> = {
  working: "is working",
  waiting: "waits for the user",
  answered: "has answered",
  ended: "ended without an answer",
  interrupted: "gone: the program was closed while it was there",
};
