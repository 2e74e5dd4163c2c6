import { omitUndefined } from "../../core/base/objects.ts";
import type { DescribedAgents } from "../../core/ports/sub-agents.ts";
import type { Skill } from "../../schema/run-values.ts";
import type { Settings } from "../../schema/settings.ts";
import { createAgentStart, describeMissingAgent, findOwnAgent, readOwnAgents } from "../instructions/own-agents.ts";
import { findOwnFilePlaces } from "../instructions/run-instructions.ts";
import type { VirtualHost } from "../run-files.ts";

const MOST_AGENTS = 30;

/** The agents that files of the folder and the user describe, as a run's first event names them, and why others were left out. */
export async function findDescribedAgents(
  host: VirtualHost,
  folder: string,
): Promise<{ readonly agents: readonly Skill[]; readonly unread: readonly string[] }> {
  const { agents, unread } = await readOwnAgents(await findOwnFilePlaces(host, folder));
  const listed = agents.slice(0, MOST_AGENTS);
  return {
    agents: listed.map(({ name, description, file, by }) => ({ name, description, file, ...omitUndefined({ by }) })),
    unread: agents.length > listed.length ? [...unread, `Only ${MOST_AGENTS} agents can be started.`] : unread,
  };
}

/** The agents that a run may start by name; undefined if its first event names none. A file is read when its agent is started. */
export function createDescribedAgents(
  host: VirtualHost,
  folder: string,
  listed: readonly Skill[] | undefined,
  model: Settings["model"],
): DescribedAgents | undefined {
  if (!listed || listed.length === 0) return undefined;
  return {
    listed: listed.map(({ name, description }) => ({ name, description })),
    load: async (name) => {
      const { agents } = await readOwnAgents(await findOwnFilePlaces(host, folder));
      const agent = findOwnAgent(name, agents);
      if (!agent) return describeMissingAgent(name, agents);
      const { profile, instructions } = createAgentStart(agent, model);
      return { instructions, ...omitUndefined({ commands: profile.commands, model: findRole(profile.model, model) }) };
    },
  };
}

/** The role in which the run already uses a model. */
function findRole(name: string | undefined, { smart, fast }: Settings["model"]): "smart" | "fast" | undefined {
  if (name === undefined) return undefined;
  if (name === smart) return "smart";
  return name === fast ? "fast" : undefined;
}
