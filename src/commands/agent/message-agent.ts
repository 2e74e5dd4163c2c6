import { type Command, createPreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Agents } from "../../core/ports/sub-agents.ts";
import { createNumberSchema, createObjectSchema, getTextArgument } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { AGENT, AGENT_ALIASES, explainWithheldAgents, waitForAgentAnswer } from "./agent-texts.ts";

/** Sends a message to an agent and returns its answer. */
export function messageAgent(agents: Agents | undefined): Command {
  return {
    name: "message_agent",
    aliases: ["tell_agent", "ask_agent", "wait_for_agent"],
    category: "agents",
    effect: "none",
    traits: { titles: [{ code: "MessageAgent", id: "agent" }], role: "messageAgent", rank: 210 },
    description:
      "Sends an agent a message and waits for its answer. Without a message, waits for the answer or repeats the last one.",
    parameters: createObjectSchema({ agent: AGENT, message: { type: "string", minLength: 1 } }, ["agent"]),
    argumentAliases: { ...AGENT_ALIASES, prompt: "message", text: "message", content: "message" },
    withheld: () => explainWithheldAgents(agents),
    prepare: async (args) => {
      const id = createNumberSchema(args, "agent") ?? 0;
      const message = getTextArgument(args, "message");
      const agent = agents?.list().find((one) => one.id === id);
      const who = `agent ${id}${agent ? ` (${agent.name}: ${agent.task})` : ""}`;
      const preview = message === undefined ? `Wait for ${who}.` : `Tell ${who}:\n\n${message}`;
      return createPreparedCall("none", preview, (running) => tell(agents, id, message, running));
    },
  };
}

async function tell(
  agents: Agents | undefined,
  id: number,
  message: string | undefined,
  { signal }: RunContext,
): Promise<Outcome> {
  const told = message === undefined ? undefined : await agents?.send(id, message);
  return typeof told === "string" ? createFailure(told) : waitForAgentAnswer(agents, id, signal);
}
