import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import type { Agents } from "../../core/ports/sub-agents.ts";
import { createNumberSchema, createObjectSchema } from "../arguments.ts";
import { createFailure, createSuccess, createTextSummary } from "../outcomes.ts";
import { AGENT, AGENT_ALIASES, explainWithheldAgents, NO_AGENTS } from "./agent-texts.ts";

/** Stops an agent and forgets it. */
export function deleteAgent(agents: Agents | undefined): Command {
  return {
    name: "delete_agent",
    aliases: ["remove_agent", "stop_agent", "kill_agent"],
    category: "agents",
    effect: "none",
    traits: { titles: [{ code: "DeleteAgent", id: "agent" }], role: "deleteAgent", rank: 210 },
    description: "Stops and removes an agent. Its work stays.",
    parameters: createObjectSchema({ agent: AGENT }, ["agent"]),
    argumentAliases: AGENT_ALIASES,
    withheld: () => explainWithheldAgents(agents),
    prepare: async (args) => {
      const id = createNumberSchema(args, "agent") ?? 0;
      const agent = agents?.list().find((one) => one.id === id);
      return createPreparedCall(
        "none",
        `Delete agent ${id}${agent ? ` (${agent.name}: ${agent.task})` : ""}.`,
        async () => {
          const deleted = (await agents?.delete(id)) ?? NO_AGENTS;
          return typeof deleted === "string"
            ? createFailure(deleted)
            : createSuccess(`Agent ${id} (${deleted.name}) is deleted.`, createTextSummary(deleted.name));
        },
      );
    },
  };
}
