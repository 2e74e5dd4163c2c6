import { criticise as criticiseWith } from "../core/criticism.ts";
import type { WaitingProposal } from "./waits.ts";

/** Has a model find fault with the waiting proposal, and sets it aside: its criticism goes into the history, nothing runs. */
export async function criticise(
  { hosted, live, request }: WaitingProposal,
  signal: AbortSignal,
): Promise<void> {
  const model = hosted.fast?.();
  if (!model) throw new Error("This run can only be read, so there is nothing to criticise.");
  const criticism = await criticiseWith(hosted.run, request.proposal, model, signal);
  if (criticism === "")
    throw new Error("The model had nothing to say about its thoughts. Decide on the proposal yourself.");
  await live.decide(request.step, {
    allow: false,
    feedback: "It was set aside so that you can think again; what you found in your thoughts follows.",
  });
}
