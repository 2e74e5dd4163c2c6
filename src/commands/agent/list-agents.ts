import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import type { Agents } from "../../core/ports/sub-agents.ts";
import { displayText } from "../../texts/display-text.ts";
import { createObjectSchema } from "../arguments.ts";
import { createSuccess } from "../outcomes.ts";
import { explainWithheldAgents, formatAgentLine } from "./agent-texts.ts";

/** Lists the agents that work for this run. */
export function listAgents(agents: Agents | undefined): Command {
  return {
    name: "list_agents",
    aliases: ["agents", "show_agents"],
    category: "agents",
    effect: "none",
    traits: {
      titles: [{ code: "ListAgents" }],
      role: "listAgents",
      rank: 210,
      reads: "state",
      isPolled: true,
    },
    description: "Lists your agents with state and cost.",
    parameters: createObjectSchema({}),
    withheld: () => explainWithheldAgents(agents),
    prepare: async () =>
      createPreparedCall("none", "List the agents.", async () => {
        const all = agents?.list() ?? [];
        return createSuccess(
          all.length === 0
            ? "There are no agents."
            : `Agents, of at most ${agents?.getMaxCount()} at a time:\n${all.map(formatAgentLine).join("\n")}`,
          all.length === 0 ? displayText("results.noAgents") : displayText("results.agents", { count: all.length }),
        );
      }),
  };
}
