import { type Agents, whyEnded } from "../../core/agents.ts";
import type { Outcome } from "../../core/outcome.ts";
import { NO_AGENTS } from "../agent-arguments.ts";
import { failed } from "../outcomes.ts";

/** What an agent answers, once it does; its words are data, named as its own. */
export async function answerOf(
  agents: Agents | undefined,
  id: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const answer = (await agents?.answer(id, signal)) ?? NO_AGENTS;
  if (typeof answer === "string") return failed(answer);
  const { agent, end, source } = answer;
  if (end.reason === "finished")
    return { status: "done", output: `Agent ${id} (${agent.name}) answers:\n${end.summary}`, source };
  return failed(
    `Agent ${id} (${agent.name}) gave no answer: it ${whyEnded(end).replace(/\.$/, "")}. Do this part yourself, tell it with message_agent how to go on, or delete it with delete_agent.`,
  );
}
