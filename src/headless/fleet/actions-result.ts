import { getErrorMessage } from "../../core/base/errors.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import { fetchRun } from "../../fleet/carry.ts";
import { storeCarriedRun } from "../../fleet/checkout.ts";
import type { CarryPlace } from "../../fleet/run-ref.ts";
import { findCarriedRun } from "../../runs/store/fleet-marks.ts";
import { getErrorText } from "../../texts/display-text.ts";
import type { RunOptions } from "../options.ts";
import { showRunChanges } from "../runs/isolated-commands.ts";
import { proposeRunChanges } from "../runs/pull-request.ts";
import { runWithSession, type Surroundings } from "../session.ts";
import { fenceText } from "./actions-comments.ts";

/** How the changes of a run were proposed. */
export interface SentResult {
  /** False if something kept it from being sent. */
  readonly isSent: boolean;
  /** A sentence for people. */
  readonly text: string;
}

/**
 * Brings the changes of a run that has ended onto the branch `autogpt/RUN`, with a pull request. That happens in the job's own checkout, and
 * the changes are printed first.
 */
export async function sendResult(
  place: CarryPlace,
  options: RunOptions,
  around: Surroundings,
  run: string,
): Promise<SentResult> {
  const branch = `autogpt/${run}`;
  // The work is over here; the review needs the run as any other machine gets it.
  const known = findCarriedRun(place.data, run);
  if (known) await storeCarriedRun(place.data, { ...known, isClaimed: false });
  await fetchRun(place, run, options.workspace);
  return runWithSession(options, around, async (session) => {
    try {
      await showRunChanges(session, run, { isStat: false });
      const sent = await proposeRunChanges(session, run, { branch, isAgreed: true });
      return { isSent: sent !== undefined, text: sent ? `Pull request: ${sent.address}` : "Nothing was sent." };
    } catch (error) {
      const text = getErrorText(error);
      if (typeof text === "object" && text.code === "codehost.nothingToSend")
        return { isSent: true, text: "There is nothing to propose, because the run has changed no files." };
      const why = escapeInvisible(getErrorMessage(error));
      return { isSent: false, text: `There is no pull request. ${why} The run is kept on refs/autogpt/${run}.` };
    }
  });
}

/** How a run has ended, for a comment. Its own words are quoted. */
export function renderEndComment(end: RunEnd): string {
  switch (end.reason) {
    case "finished":
      return `**AutoGPT has finished.**\n\n${fenceText(escapeInvisible(end.summary))}`;
    case "exhausted":
      return `The run has used up its limit of ${end.limit}. Raise the limit in the workflow. Continue then?`;
    case "stuck":
      return `The run is stuck: ${escapeInvisible(end.why)} Continue?`;
    case "stopped":
      return "The run was stopped. Continue?";
    default:
      return `The run has failed: ${escapeInvisible(end.error)} Continue?`;
  }
}
