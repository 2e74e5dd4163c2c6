import { amountOf } from "./json.ts";

/** How long a server asks to be left alone: `retry-after-ms`, or `Retry-After` in seconds or as a date. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const exact = amountOf(headers.get("retry-after-ms"));
  if (exact !== undefined) return exact;
  const said = headers.get("retry-after");
  if (said === null) return undefined;
  const seconds = amountOf(said);
  if (seconds !== undefined) return seconds * 1000;
  const until = /^\s*[a-z]/i.test(said) ? Date.parse(said) : Number.NaN;
  // The server's own clock counts: ours may be wrong.
  const today = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(until) ? undefined : Math.max(0, until - (Number.isNaN(today) ? now : today));
}
