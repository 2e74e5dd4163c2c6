import { criticismMessages } from "../core/criticism.ts";
import type { Model } from "../core/ports.ts";
import type { HostedRun } from "./hosted-runs.ts";
import type { WaitingProposal } from "./waits.ts";

/** Has the fast model look at the thoughts of the waiting proposal; its cost is the run's. */
export async function criticise(hosted: HostedRun, model: Model, signal: AbortSignal): Promise<string> {
  const waiting = hosted.live?.waiting;
  if (waiting?.kind !== "proposal") throw new Error("No proposal waits, so there is nothing to criticise.");
  const { profile, task } = hosted.run.state;
  const completion = await model.complete(
    { messages: criticismMessages(profile, task, waiting.request.proposal) },
    { signal },
  );
  const { usage, costUsd } = completion;
  await hosted.run.record({
    type: "spent",
    on: "self-criticism",
    model: completion.model,
    ...(usage ? { usage } : {}),
    ...(costUsd === undefined ? {} : { costUsd }),
  });
  return completion.text.trim();
}

/** Puts the criticism into the history and sets the proposal aside: nothing of it runs. */
export async function completeCriticism(waiting: WaitingProposal, criticism: string): Promise<void> {
  if (criticism === "")
    throw new Error("The model had nothing to say about its thoughts. Decide on the proposal yourself.");
  await waiting.hosted.run.record({ type: "said", text: criticism, by: "self" });
  await waiting.live.decide(waiting.request.step, {
    allow: false,
    feedback: "It was set aside so that you can think again; what you found in your thoughts follows.",
  });
}
