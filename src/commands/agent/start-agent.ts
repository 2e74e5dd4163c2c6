import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { AgentRequest, Agents } from "../../core/ports/sub-agents.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createNumberSchema,
  createObjectSchema,
  getFlagArgument,
  getRequiredText,
  getTextArgument,
  listTextArguments,
} from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { explainWithheldAgents, NO_AGENTS, waitForAgentAnswer } from "./agent-texts.ts";

const PERCENT = 25;

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
          description: `Share of your remaining budget; ${PERCENT} by default.`,
        },
        background: { type: "boolean" },
      },
      ["name", "task"],
    ),
    argumentAliases: { goal: "task", message: "prompt", instructions: "prompt", tools: "commands" },
    withheld: () => explainWithheldAgents(agents),
    prepare: (args) => prepare(agents, args),
  };
}

async function prepare(agents: Agents | undefined, args: Args): Promise<PreparedCall | Outcome> {
  if (!agents) return createFailure(NO_AGENTS);
  const lent = agents.resolveAllowedCommands(listTextArguments(args, "commands"));
  if (typeof lent === "string") return createFailure(lent);
  const wish: AgentRequest = {
    name: getRequiredText(args, "name").replace(/\s+/g, " ").trim() || "Agent",
    task: getRequiredText(args, "task"),
    prompt: getTextArgument(args, "prompt")?.trim() ?? "",
    commands: lent,
    model: args.model === "smart" ? "smart" : "fast",
    share: (createNumberSchema(args, "budget_percent") ?? PERCENT) / 100,
  };
  const isBackground = getFlagArgument(args, "background");
  return createPreparedCall("none", renderPreview(wish, isBackground), (running) =>
    start(agents, wish, isBackground, running),
  );
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

function renderPreview({ name, task, prompt, commands, model, share }: AgentRequest, isBackground: boolean): string {
  return [
    `Start the agent ${name}${isBackground ? ", in the background" : ", and wait for its answer"}.`,
    `Its task: ${task}`,
    ...(prompt === "" ? [] : [`It is told:\n${prompt}`]),
    `It may use: ${commands.length === 0 ? "no commands, it can only think and answer" : commands.join(", ")}`,
    `It thinks with the ${model} model and may spend ${Math.round(100 * share)}% of what is left.`,
  ].join("\n\n");
}
