import { isObject } from "../../core/base/json.ts";
import { amountOf } from "./json.ts";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNIT =
  "(?:milliseconds?|msecs?|ms|minutes?|mins?|m|seconds?|secs?|s|hours?|hrs?|hr|h|days?|d)(?![a-z])";
const SPAN = String.raw`\d+(?:\.\d+)?\s*${UNIT}(?:(?:,|\s|and)*\d+(?:\.\d+)?\s*${UNIT})*`;
const DATE = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?`;
/** A moment in seconds or milliseconds since 1970. */
const EPOCH = String.raw`1\d{9}(?:\d{3})?(?:\.\d+)?(?!\d)`;
const WHEN = `(${SPAN}|${DATE}|${EPOCH})`;

/** Where sentences say how long to wait, likeliest first. Rates, such as 3 requests per minute, are something else. */
const SAID: readonly RegExp[] = [
  new RegExp(
    String.raw`(?:again|retry|wait|reset|until|available|resume)(?:(?!\bper\b|\bevery\b|/)[^.\n\d]){0,60}${WHEN}`,
    "i",
  ),
  new RegExp(
    String.raw`\b(?:in|after|for)\s+(?:(?:about|around|another|approximately)\s+|~\s*)?${WHEN}`,
    "i",
  ),
  /retry[-_ ]?(?:after|in)(?:[-_ ]?(?:s|secs?|seconds))?[\s"'\\:=]{1,6}(\d+(?:\.\d+)?)(?![\d.]*\s*[a-z])/i,
];

/** Milliseconds of a span such as `1m12s`, `20 seconds` or `1 hour and 5 minutes`. */
function spanMs(text: string): number {
  const parts = [...text.matchAll(new RegExp(String.raw`(\d+(?:\.\d+)?)\s*(${UNIT})`, "gi"))];
  return parts.reduce((sum, [, amount, unit = ""]) => {
    const short = /^(ms|mil|mse)/i.test(unit) ? "ms" : unit.charAt(0).toLowerCase();
    return sum + Number(amount) * (UNIT_MS[short] ?? 0);
  }, 0);
}

/** Milliseconds until a span has passed or a moment has come; undefined for a past moment or anything else. A bare number counts seconds. */
function waitMs(said: unknown, now: number, numbersAre: "s" | "ms" = "s"): number | undefined {
  const ms = msUntil(said, now, numbersAre);
  return ms > 0 ? ms : undefined;
}

function msUntil(said: unknown, now: number, numbersAre: "s" | "ms"): number {
  const number = amountOf(said);
  if (number === undefined) {
    const text = typeof said === "string" ? said.trim() : "";
    return new RegExp(`^${SPAN}$`, "i").test(text) ? spanMs(text) : momentMs(text) - now;
  }
  if (number >= 1e12) return number - now;
  if (number >= 1e9) return number * 1_000 - now;
  return number * (numbersAre === "ms" ? 1 : 1_000);
}

/** A date without a zone is taken as UTC, as servers mean it. */
function momentMs(text: string): number {
  if (!new RegExp(`^${DATE}$`, "i").test(text)) return Number.NaN;
  const [, day, time, zone = "Z"] = /^(\S{10})[T ]([\d:.]+)\s?(\D.*|[+-].*)?$/i.exec(text) ?? [];
  return Date.parse(`${day}T${time}${zone.replace(/UTC|GMT/i, "Z")}`);
}

/** A field of a body. */
type Field = readonly [name: string, value: unknown];

/** Errors nest their reasons a few levels deep. A hostile body has more than a stack has room for. */
const MOST_LEVELS = 20;

function fieldsOf(value: unknown, name = "", levels = MOST_LEVELS): readonly Field[] {
  if (levels === 0) return [];
  if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one, name, levels - 1));
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => fieldsOf(one, key, levels - 1));
  return [[name, value]];
}

const COUNTS = /count|attempt|max|limit$|retries/i;

/** Milliseconds that an error's body asks to wait: in a field of its own, in the words of a sentence, or as the time of a reset. */
export function waitInBody(body: unknown, now: number): number | undefined {
  const fields = fieldsOf(body);
  const inFields = (names: RegExp): number | undefined =>
    firstOf(
      fields.filter(([name]) => names.test(name) && !COUNTS.test(name)),
      ([name, value]) => waitMs(value, now, /ms$|milli/i.test(name) ? "ms" : "s"),
    );
  const words = fields
    .flatMap(([, value]) => (typeof value === "string" ? [value] : []))
    .join("\n")
    .replace(/\b(?:an?|one) (?=(?:second|minute|hour|day)\b)/gi, "1 ");
  const inWords = (): number | undefined => firstOf(SAID, (pattern) => waitMs(pattern.exec(words)?.[1], now));
  return inFields(/retry|wait/i) ?? inWords() ?? inFields(/reset/i);
}

/** Milliseconds until used-up limits are reset, as headers such as `x-ratelimit-reset-tokens` say. */
export function resetMs(headers: Headers, now: number): number | undefined {
  const resets = [...headers]
    .filter(([name]) => /rate-?limit.*reset/i.test(name))
    .flatMap(([name, value]) => {
      const ms = waitMs(value, now, /ms$/.test(name) ? "ms" : "s");
      return ms === undefined
        ? []
        : [{ ms, isUsedUp: headers.get(name.replace("reset", "remaining")) === "0" }];
    });
  const usedUp = resets.filter(({ isUsedUp }) => isUsedUp).map(({ ms }) => ms);
  if (usedUp.length > 0) return Math.max(...usedUp);
  return resets.length > 0 ? Math.min(...resets.map(({ ms }) => ms)) : undefined;
}

function firstOf<T, R>(list: readonly T[], read: (one: T) => R | undefined): R | undefined {
  for (const one of list) {
    const found = read(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
