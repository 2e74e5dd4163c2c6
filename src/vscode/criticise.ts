import { criticise as criticiseWith, NO_MONEY_FOR_CRITICISM } from "../core/criticism.ts";
import type { Model } from "../core/ports.ts";
import type { WaitingProposal } from "./waits.ts";

/** Has a model find fault with the waiting proposal, and sets it aside: its criticism goes into the history, nothing runs. */
export async function criticise(
  { hosted, live, request }: WaitingProposal,
  model: Model,
  signal: AbortSignal,
): Promise<void> {
  const criticism = await criticiseWith(hosted.run, request.proposal, model, signal);
  if (criticism === undefined) throw new Error(NO_MONEY_FOR_CRITICISM);
  if (criticism === "")
    throw new Error("The model had nothing to say about its thoughts. Decide on the proposal yourself.");
  await live.decide(request.step, {
    allow: false,
    feedback: "It was set aside so that you can think again; what you found in your thoughts follows.",
  });
}
