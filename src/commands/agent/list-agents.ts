import { type Command, prepared } from "../../core/commands/command.ts";
import { AGENT_COMMANDS, type Agents } from "../../core/ports/sub-agents.ts";
import { displayText } from "../../texts/display-text.ts";
import { objectSchema } from "../arguments.ts";
import { done } from "../outcomes.ts";
import { agentLine, agentsWithheld } from "./agent-texts.ts";

/** Lists the agents that work for this run. */
export function listAgents(agents: Agents | undefined): Command {
  return {
    name: AGENT_COMMANDS.list,
    aliases: ["agents", "show_agents"],
    category: "agents",
    effect: "none",
    description: "Lists your agents with state and cost.",
    parameters: objectSchema({}),
    withheld: () => agentsWithheld(agents),
    prepare: async () =>
      prepared("none", "List the agents.", async () => {
        const all = agents?.list() ?? [];
        return done(
          all.length === 0
            ? "There are no agents."
            : `Agents, of at most ${agents?.maxCount()} at a time:\n${all.map(agentLine).join("\n")}`,
          all.length === 0
            ? displayText("results.noAgents")
            : displayText("results.agents", { count: all.length }),
        );
      }),
  };
}
