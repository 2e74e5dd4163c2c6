import type { Fused } from "./fusion.ts";
import type { Entry } from "./memory-index.ts";

const DAY_MS = 24 * 3600 * 1000;

/** Why something was recalled, in a few words for people. */
export function reasonFor(found: Fused<Entry>, run: string | undefined, now: Date): string {
  const { meaning, words, value } = found;
  const own = run !== undefined && value.item.run === run;
  const days = Math.floor((now.getTime() - Date.parse(value.item.at)) / DAY_MS);
  return [
    meaning ? `${ordinal(meaning.rank)} in meaning (${percent(meaning.cosine)})` : "",
    words ? `${ordinal(words.rank)} in words (${percent(words.coverage)} of the question's)` : "",
    own ? "from this run" : age(days),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function age(days: number): string {
  if (Number.isNaN(days)) return "";
  if (days < 1) return "from today";
  return days === 1 ? "a day old" : `${days} days old`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function ordinal(rank: number): string {
  if (rank % 100 >= 11 && rank % 100 <= 13) return `${rank}th`;
  return `${rank}${["th", "st", "nd", "rd"][rank % 10] ?? "th"}`;
}
