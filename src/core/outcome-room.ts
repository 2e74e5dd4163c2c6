import type { Episode } from "./entry.ts";
import { type Outcome, outcomeText } from "./outcome.ts";

/** An outcome takes at most about a fifth of the window; characters a token, on the small side. */
const OUTCOME_SHARE = 0.2;
const CHARS_PER_TOKEN = 3;
const LEAST_CHARS = 1_000;
const HEAD_SHARE = 0.7;

/** How many characters of one outcome a prompt can hold; no bound where the window is not known. */
export function outcomeRoom(contextWindow: number): number {
  if (contextWindow <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(LEAST_CHARS, Math.floor(contextWindow * OUTCOME_SHARE * CHARS_PER_TOKEN));
}

/** The episode with its outcome's beginning and end where the whole does not fit, and how the rest can be read. */
export function paged(episode: Episode, room: number): Episode {
  const text = outcomeText(episode.outcome);
  if (text.length <= room) return episode;
  const head = Math.floor(room * HEAD_SHARE);
  const tail = room - head;
  const left = text.length - room;
  const cut = `${text.slice(0, head)}\n[… ${left} characters are left out here, as the model's window is too small for them. Read what you need of them by lines: read_file with filename "output:${episode.step}" …]\n${text.slice(-tail)}`;
  return { ...episode, outcome: withText(episode.outcome, cut) };
}

function withText(outcome: Outcome, text: string): Outcome {
  switch (outcome.status) {
    case "done":
      return { ...outcome, output: text };
    case "failed":
      return { ...outcome, error: text };
    case "refused":
      return { ...outcome, feedback: text };
    case "finished":
      return { ...outcome, summary: text };
  }
}
