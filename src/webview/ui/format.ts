import { getCurrentLanguage, t } from "../../texts/language.ts";

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
