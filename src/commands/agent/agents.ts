import type { JsonSchema } from "../../core/base/json.ts";
import { cutText, quoteAsData } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { AgentRequest, Agents, DescribedAgent } from "../../core/ports/sub-agents.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  getFlagArgument,
  getNumberArgument,
  getRequiredText,
  getTextArgument,
  listTextArguments,
} from "../arguments.ts";
import { createFailure, createSuccess, createTextSummary } from "../outcomes.ts";
import {
  AGENT,
  AGENT_ALIASES,
  explainWithheldAgents,
  formatAgentLine,
  NO_AGENTS,
  waitForAgentAnswer,
} from "./agent-texts.ts";

const DEFAULT_PERCENT = 25;

/** Starts an agent for a part of the work. */
export function startAgent(agents: Agents | undefined): Command {
  return {
    name: "start_agent",
    aliases: ["start_gpt_agent", "create_agent", "spawn_agent", "delegate"],
    category: "agents",
    effect: "none",
    traits: { titles: [{ code: "StartAgent", text: "name" }], role: "startAgent", rank: 210 },
    description:
      "Gives part of your work to another agent and waits for its answer. It knows only task and prompt, uses only the commands you list, and spends your budget. With background, continue and get its answer with message_agent.",
    parameters: createObjectSchema(
      {
        name: { type: "string", minLength: 1, maxLength: 60 },
        ...createDescribedArgument(agents),
        task: { type: "string", minLength: 1, description: "One sentence." },
        prompt: { type: "string", description: "All it needs to know." },
        commands: {
          type: "array",
          items: { type: "string" },
          description: "Your commands that it may use.",
        },
        model: {
          type: "string",
          enum: ["fast", "smart"],
          description: "smart is your own; fast by default.",
        },
        budget_percent: {
          type: "integer",
          minimum: 1,
          maximum: 90,
          description: `Share of your remaining budget; ${DEFAULT_PERCENT} by default.`,
        },
        background: { type: "boolean" },
      },
      ["name", "task"],
    ),
    argumentAliases: { goal: "task", message: "prompt", instructions: "prompt", tools: "commands" },
    withheld: () => explainWithheldAgents(agents),
    prepare: (args) => prepareStart(agents, args),
  };
}

async function prepareStart(agents: Agents | undefined, args: Args): Promise<PreparedCall | Outcome> {
  if (!agents) return createFailure(NO_AGENTS);
  const wanted = getTextArgument(args, "agent");
  const described = wanted === undefined ? undefined : await agents.described?.load(wanted);
  if (typeof described === "string") return createFailure(described);
  const lent = chooseCommands(agents, listTextArguments(args, "commands"), described);
  if (typeof lent === "string") return createFailure(lent);
  const wish: AgentRequest = {
    name: getRequiredText(args, "name").replace(/\s+/g, " ").trim() || "Agent",
    task: getRequiredText(args, "task"),
    prompt: getTextArgument(args, "prompt")?.trim() ?? "",
    commands: lent,
    ...(described ? { instructions: described.instructions } : {}),
    model: args.model === "smart" || args.model === "fast" ? args.model : (described?.model ?? "fast"),
    share: (getNumberArgument(args, "budget_percent") ?? DEFAULT_PERCENT) / 100,
  };
  const isBackground = getFlagArgument(args, "background");
  return createPreparedCall("none", renderPreview(wish, isBackground), (running) =>
    start(agents, wish, isBackground, running),
  );
}

/** The argument that names an agent of a file, only where there are such files. Their words are quoted. */
function createDescribedArgument(agents: Agents | undefined): Readonly<Record<string, JsonSchema>> {
  const listed = agents?.described?.listed ?? [];
  if (listed.length === 0) return {};
  const lines = listed.map(({ name, description }) => `- ${name}: ${cutText(description, MAX_DESCRIPTION)}`);
  return {
    agent: {
      type: "string",
      enum: listed.map(({ name }) => name),
      description: `Works as a file describes it, with the commands that it names.\n${quoteAsData(lines.join("\n"), "these files")}`,
    },
  };
}

const MAX_DESCRIPTION = 120;

/** The commands of a new agent. One that a file describes may use all that the file names, or those of them that are listed. */
function chooseCommands(
  agents: Agents,
  listed: readonly string[],
  described: DescribedAgent | undefined,
): readonly string[] | string {
  const lent = agents.resolveAllowedCommands(listed);
  if (!described || typeof lent === "string") return lent;
  const own = agents.selectAllowedCommands(described.commands);
  return listed.length === 0 ? own : own.filter((name) => lent.includes(name));
}

async function start(
  agents: Agents,
  wish: AgentRequest,
  isBackground: boolean,
  { signal }: RunContext,
): Promise<Outcome> {
  const agent = await agents.start(wish);
  if (typeof agent === "string") return createFailure(agent);
  if (!isBackground) return waitForAgentAnswer(agents, agent.id, signal);
  return createSuccess(
    `Agent ${agent.id} (${agent.name}) works in the background. Get its answer with message_agent, without a message; when you complete the task, it is stopped.`,
    displayText("results.agentInBackground"),
  );
}

function renderPreview(wish: AgentRequest, isBackground: boolean): string {
  const { name, task, prompt, instructions = [], commands, model, share } = wish;
  return [
    `Start the agent ${name}${isBackground ? ", in the background" : ", and wait for its answer"}.`,
    `Its task: ${task}`,
    ...(prompt === "" ? [] : [`It is told:\n${prompt}`]),
    ...instructions.map(({ file }) => `It works as ${file} says.`),
    `It may use: ${commands.length === 0 ? "no commands, it can only think and answer" : commands.join(", ")}`,
    `It thinks with the ${model} model and may spend ${Math.round(100 * share)}% of what is left.`,
  ].join("\n\n");
}

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
      const id = getNumberArgument(args, "agent") ?? 0;
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
      const id = getNumberArgument(args, "agent") ?? 0;
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
