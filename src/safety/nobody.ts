import type { Approver } from "../core/ports.ts";
import { influenceText } from "./provenance.ts";

/** The user's end when nobody is there: refuses whatever would have to be asked, says why, and lets the run go on. */
export const nobodyToAsk: Approver = {
  async decide({ why }) {
    const influence = influenceText(why?.sources ?? []);
    const reason = `${why?.reason ?? "It needs approval."}${influence === "" ? "" : ` ${influence}`}`;
    const feedback = `${reason} Nobody is there to approve it, so it was not done. Go on with what needs no approval, or complete the task and say what is left.`;
    return {
      decision: { allow: false, feedback },
      by: "rule",
      rule: why?.rule ?? "nobody-to-ask",
      reason: `${reason} Nobody was there to approve it.`,
    };
  },
};
