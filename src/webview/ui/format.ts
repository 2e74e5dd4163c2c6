import type { UsageAmount } from "../../schema/panel-values.ts";
import { formatTokenCount, formatUsd, getCurrentLanguage, t } from "../../texts/language.ts";

/** A duration in whole minutes, or in seconds below one minute. */
export function formatMinutes(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60
    ? t("header.seconds", { count: seconds })
    : t("header.minutes", { count: Math.floor(seconds / 60) });
}

/** A day such as "2026-01-31" in the reader's language, without its year. */
export function formatDay(day: string): string {
  const date = new Date(`${day}T00:00`);
  if (Number.isNaN(date.getTime())) return day;
  return date.toLocaleDateString(getCurrentLanguage().tag, {
    weekday: "short",
    day: "numeric",
    month: "short",
  });
}

/** A month such as "2026-01" in the reader's language. */
export function formatMonth(month: string): string {
  const date = new Date(`${month}-01T00:00`);
  if (Number.isNaN(date.getTime())) return month;
  return date.toLocaleDateString(getCurrentLanguage().tag, { month: "long", year: "numeric" });
}

/** Dollars of calls with a known price, and tokens. */
export function formatUsageAmount({ tokens, usd, unpriced }: UsageAmount): string {
  const isUnknown = unpriced > 0 && usd === 0;
  const least = unpriced === 0 ? formatUsd(usd) : t("header.orMore", { amount: formatUsd(usd) });
  const cost = isUnknown ? t("header.priceUnknown") : least;
  return t("header.amount", { money: cost, tokens: formatTokenCount(tokens) });
}
