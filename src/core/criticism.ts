import type { ChatMessage, Model } from "./ports.ts";
import type { Profile } from "./profile.ts";
import { type Proposal, THOUGHT_FIELDS } from "./reply.ts";
import type { Run } from "./run.ts";
import { spent } from "./spent.ts";

/** A short paragraph takes no more. */
const MAX_TOKENS = 1_000;

/** Asks a model that did not take part to find fault with a proposal. */
export function criticismMessages(profile: Profile, task: string, proposal: Proposal): ChatMessage[] {
  const thoughts = THOUGHT_FIELDS.filter((field) => field !== "speak" && proposal.thoughts[field] !== "")
    .map((field) => `${field}: ${proposal.thoughts[field]}`)
    .join("\n");
  return [
    {
      role: "system",
      content:
        "You review the thinking of an autonomous agent before it acts. Say in one short paragraph what is wrong, missing or risky in it and what it should do instead. Where it is sound, say so in one sentence. Judge only; do not give it new goals.",
    },
    {
      role: "user",
      content: `The agent is ${profile.name}, ${profile.role}.\nIts task: ${task}\nIts goals:\n${profile.goals.map((goal) => `- ${goal}`).join("\n")}\n\nIts thoughts:\n${thoughts}\n\nThe command it wants to run: ${proposal.call.name} ${JSON.stringify(proposal.call.args)}`,
    },
  ];
}

/** Has a model find fault with a proposal. What it says goes into the history, what it costs is the run's, so the model is one that keeps to the run's budget. */
export async function criticise(
  run: Run,
  proposal: Proposal,
  model: Model,
  signal: AbortSignal,
): Promise<string> {
  const { profile, task } = run.state;
  const request = { messages: criticismMessages(profile, task, proposal), maxReplyTokens: MAX_TOKENS };
  const completion = await model.complete(request, { signal });
  await run.record(spent("self-criticism", completion));
  const criticism = completion.text.trim();
  if (criticism !== "") await run.record({ type: "said", text: criticism, by: "self" });
  return criticism;
}
