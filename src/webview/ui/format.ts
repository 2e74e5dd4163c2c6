import { currentLanguage, t, writeValue } from "../../texts/language.ts";

/** A count of tokens in about three digits: 950, 12.3k, 2M. */
export function tokenCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${shortNumber(count / 1000)}k`;
  return `${shortNumber(count / 1_000_000)}M`;
}

/** A duration in whole minutes, or in seconds below one minute. */
export function minutes(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60
    ? t("header.seconds", { count: seconds })
    : t("header.minutes", { count: Math.floor(seconds / 60) });
}

/** A day such as "2026-01-31" in the reader's language, without its year. */
export function dayName(day: string): string {
  const date = new Date(`${day}T00:00`);
  if (Number.isNaN(date.getTime())) return day;
  return date.toLocaleDateString(currentLanguage().tag, { weekday: "short", day: "numeric", month: "short" });
}

function shortNumber(value: number): string {
  return writeValue(Number(value.toFixed(value < 100 ? 1 : 0)));
}
