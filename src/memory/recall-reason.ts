import type { Fused } from "./fusion.ts";
import type { Entry } from "./memory-index.ts";
import type { MemoryItem } from "./memory-item.ts";

const DAY_MS = 24 * 3600 * 1000;

/** A memory that was found, and what it says. */
export type Found = Fused<Entry> & { readonly item: MemoryItem };

/** Why something was recalled, in a few words for people. */
export function reasonFor(found: Found, run: string | undefined, now: Date): string {
  const { meaning, words, item } = found;
  const own = run !== undefined && item.run === run;
  const days = Math.floor((now.getTime() - Date.parse(item.at)) / DAY_MS);
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
