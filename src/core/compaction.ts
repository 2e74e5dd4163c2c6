import type { Episode, History } from "./history.ts";
import { episodeLine } from "./history.ts";
import type { CountTokens } from "./tokens.ts";
import { estimateTokens, messageTokens } from "./tokens.ts";

/** Steps to be told in brief from now on. */
export interface Fold {
  readonly through: number;
  readonly episodes: readonly Episode[];
}

/** The newest episodes always stay as they are. */
const KEEP = 2;

/** The oldest episodes that must go so that the rest of the history holds at most `maxTokens`; undefined when none may. */
export function foldOf(
  history: History,
  maxTokens: number,
  count: CountTokens = estimateTokens,
): Fold | undefined {
  const { episodes } = history;
  let room = maxTokens;
  let kept = 0;
  for (const episode of episodes.toReversed()) {
    room -= episodeTokens(history, episode, count);
    if (room < 0 && kept >= KEEP) break;
    kept++;
  }
  const folded = episodes.slice(0, episodes.length - kept);
  const last = folded.at(-1);
  return last ? { through: last.step, episodes: folded } : undefined;
}

function episodeTokens(history: History, episode: Episode, count: CountTokens): number {
  return history.render(episode, "text").reduce((sum, message) => sum + messageTokens(message, count), 0);
}

/** The summary that needs no model: one line a step, the oldest lines dropped first when there are too many. */
export function digest(
  fold: Fold,
  earlier: string,
  maxTokens: number,
  count: CountTokens = estimateTokens,
): string {
  const lines = [...(earlier === "" ? [] : earlier.split("\n")), ...fold.episodes.map(episodeLine)];
  const kept: string[] = [];
  let room = maxTokens;
  for (const line of lines.toReversed()) {
    room -= count(line) + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  return kept.length === lines.length
    ? kept.join("\n")
    : ["(the earliest steps are no longer told)", ...kept].join("\n");
}
