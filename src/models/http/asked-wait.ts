import { isObject } from "../../core/base/json.ts";
import { toAmount } from "./json.ts";

/** Units of time, and their words in other languages. */
const UNITS: readonly (readonly [ms: number, english: string, others: string])[] = [
  [1, "milliseconds?|msecs?|ms", String.raw`milli\p{L}+|мил\p{L}+|毫秒|ミリ秒|밀리초`],
  [1_000, "seconds?|secs?|s", String.raw`se[cgk](?:[ou]n\p{L}*)?|saniye|сек\p{L}*|giây|秒[钟鐘]?|초`],
  [60_000, "minutes?|mins?|m", String.raw`minut\p{L}*|dakika|мин\p{L}*|phút|分[钟鐘間]?|분`],
  [
    3_600_000,
    "hours?|hrs?|h",
    String.raw`std|stunden?|heures?|horas?|or[ae]|godzin\p{L}*|uur|saat|час\p{L}*|giờ|[个個]?小[时時]|時間|시간`,
  ],
  [86_400_000, "days?|d", String.raw`tage?n?|jours?|d[ií]as?|giorn\p{L}*|dagen|дн\p{L}*|ngày|天`],
];
const CJK = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]`;
/** A unit must be a whole word. Words in Chinese, Japanese and Korean may be joined. */
const UNIT_END = String.raw`(?:(?<=${CJK})|(?!(?!${CJK})\p{L}))`;
const ENGLISH_UNIT = `(?:${UNITS.map(([, english]) => english).join("|")})${UNIT_END}`;
const UNIT = `(?:${UNITS.map(([, english, others]) => `${english}|${others}`).join("|")})${UNIT_END}`;
const AMOUNT = String.raw`(?<![\d−-]|\d[.,])\d+(?:[.,]\d+)?`;
const createSpanPattern = (unit: string): string =>
  String.raw`${AMOUNT}\s*${unit}(?:(?:\.(?=\s?\d)|,|\s|and|und|et|y|e|и)*\d+(?:[.,]\d+)?\s*${unit})*`;
const SPAN = createSpanPattern(UNIT);
const MOMENT = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?`;
/** As in headers: `Fri, 20 Nov 2026 10:01:00 GMT`. */
const DATE = String.raw`(?:[a-z]{3}, )?\d\d? [a-z]{3} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC)`;
/** A moment in seconds or milliseconds since 1970. */
const EPOCH = String.raw`1\d{9}(?:\d{3})?(?:\.\d+)?(?!\d)`;
const WHEN = new RegExp(`${MOMENT}|${DATE}|${SPAN}|${EPOCH}`, "giu");
const IS_MOMENT = new RegExp(`^(?:${MOMENT}|${DATE})$`, "i");
const IS_SPAN = new RegExp(`^${SPAN}$`, "iu");
const IN_ENGLISH = new RegExp(`^${createSpanPattern(ENGLISH_UNIT)}$`, "iu");

/** Words before a time that ask to wait for it. */
const ASKS =
  /(?:again|retry|wait|reset|until|available|resume|cool-?down|back-?off|\beta\b|warte|attend|esper|aguard|подожд|[等待]|[重再][试試])(?:(?!\bper\b|\bevery\b|\/)[^.\n\d]){0,60}$/i;
const SAYS_WHEN =
  /(?<!\p{L})(?:in|after|for|nach|dans|après|en|de|em|tra|fra|через|over)\s+(?:(?:about|around|another|approximately)\s+|~\s*)?$/iu;
const LATER = /^\s*[以之]?[后後]/;
/** Frequencies and durations of past events aren't waits. */
const RATE = /(?:\/|[每毎매]|(?<!\p{L})(?:per|every|each|pro|par|por|в))\s*$|\d[^\d.,:;!?，：；()]{1,40}$/iu;
const WITHIN = /^\s*(?:以?[内內]|に|[에당])/;
const ELAPSED = /time[sd]?[- ]?out|respon[ds]|took|超时|逾時|タイムアウト|zeitüber/i;
const BARE_SECONDS =
  /retry[-_ ]?(?:after|in)(?:[-_ ]?(?:s|secs?|seconds))?[\s"'\\:=]{1,6}(\d+(?:\.\d+)?)(?![\d.]*\s*[a-z])/i;
/** The lower bound of a range such as `5-10 seconds`. */
const RANGE = new RegExp(String.raw`(?<![\d.,-])\d+\s?(?:[-–~〜至]|to|bis)\s?(?=\d+(?:\.\d+)?\s*${UNIT})`, "giu");
/** Only this many characters of a clause are examined. */
const LONGEST_CLAUSE = 120;

/** A time in a text, with its context. */
interface SaidTime {
  readonly time: string;
  /** The words before the time in its sentence. */
  readonly clause: string;
  readonly after: string;
}

function findTimes(words: string): readonly SaidTime[] {
  return [...words.matchAll(WHEN)].map((match) => {
    const before = words.slice(Math.max(0, match.index - LONGEST_CLAUSE), match.index);
    const end = match.index + match[0].length;
    return {
      time: match[0],
      clause: before.split(/[\n。！？]|[.!?]\s/).at(-1) ?? "",
      after: words.slice(end, end + 3),
    };
  });
}

/** The wait that sentences ask for in any language, in milliseconds: the most likely of all times in them. */
function waitInWords(words: string, now: number): number | undefined {
  const times = findTimes(words);
  const likely = times.filter(isLikelyWait);
  const moments = likely.filter(({ time }) => IS_MOMENT.test(time));
  const asked = times.filter(({ clause }) => ASKS.test(clause));
  const found = findFirstResult([...asked, ...moments, ...likely], ({ time }) => waitMs(time, now));
  return found ?? waitMs(BARE_SECONDS.exec(words)?.[1], now);
}

function isLikelyWait({ time, clause, after }: SaidTime): boolean {
  if (RATE.test(clause) || WITHIN.test(after) || ELAPSED.test(clause)) return false;
  const isForeign = IS_SPAN.test(time) && !IN_ENGLISH.test(time);
  return isForeign || SAYS_WHEN.test(clause) || LATER.test(after) || /\P{ASCII}\s*$/u.test(clause);
}

/** Milliseconds of a span such as `1m12s`, `20 seconds` or `1 hour and 5 minutes`. */
function parseSpanMs(text: string): number {
  const parts = [...text.matchAll(new RegExp(String.raw`(\d+(?:[.,]\d+)?)\s*(${UNIT})`, "giu"))];
  return parts.reduce((sum, [, amount = "", unit = ""]) => {
    const [ms = 0] =
      UNITS.find(([, english, others]) => new RegExp(`^(?:${english}|${others})$`, "iu").test(unit)) ?? [];
    return sum + Number(amount.replace(/,(?=\d{3}$)/, "").replace(",", ".")) * ms;
  }, 0);
}

/** No server asks for a longer wait. */
const LONGEST_MS = 366 * 86_400_000;

const MS_OF_NUMBERS = { ms: 1, s: 1_000, min: 60_000 } as const;
type UnitOfNumbers = keyof typeof MS_OF_NUMBERS;

/**
 * Milliseconds until a duration has passed or a time has come; undefined for a past time or anything else. A bare number counts seconds.
 */
export function waitMs(said: unknown, now: number, numbersAre: UnitOfNumbers = "s"): number | undefined {
  const ms = computeMsUntil(said, now, numbersAre);
  return ms > 0 && ms <= LONGEST_MS ? ms : undefined;
}

function computeMsUntil(said: unknown, now: number, numbersAre: UnitOfNumbers): number {
  const number = toAmount(said);
  if (number === undefined) {
    const text = typeof said === "string" ? said.trim().replace(/^PT?(?=\d)/, "") : "";
    return IS_SPAN.test(text) ? parseSpanMs(text) : parseMomentMs(text) - now;
  }
  if (number >= 1e12) return number - now;
  if (number >= 1e9) return number * 1_000 - now;
  return number * MS_OF_NUMBERS[numbersAre];
}

/** Parses a date. One without a time zone is in UTC, as servers intend. */
function parseMomentMs(text: string): number {
  if (new RegExp(`^${DATE}$`, "i").test(text)) return Date.parse(text);
  if (!new RegExp(`^${MOMENT}$`, "i").test(text)) return Number.NaN;
  const [, day, time, zone = "Z"] = /^(\S{10})[T ]([\d:.]+)\s?(\D.*|[+-].*)?$/i.exec(text) ?? [];
  return Date.parse(`${day}T${time}${zone.replace(/UTC|GMT/i, "Z")}`);
}

/** A field of a body. */
type Field = readonly [name: string, value: unknown];

/** Errors nest their reasons a few levels deep. A hostile body could overflow the stack. */
const MOST_LEVELS = 20;

/** All leaf values of a body, with the names of their fields. */
export function listBodyFields(value: unknown, name = "", levels = MOST_LEVELS): readonly Field[] {
  if (levels === 0) return [];
  if (Array.isArray(value)) return value.flatMap((one) => listBodyFields(one, name, levels - 1));
  // Protobuf's durations.
  if (isObject(value) && "seconds" in value)
    return [[name, (toAmount(value.seconds) ?? 0) + (toAmount(value.nanos) ?? 0) / 1e9]];
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => listBodyFields(one, key, levels - 1));
  return [[name, value]];
}

const COUNTS = /count|attempt|max|limit$|retries/i;

/** The wait that an error's body asks for, in milliseconds: in a separate field, in a sentence, or as a reset time. */
export function waitInBody(body: unknown, now: number): number | undefined {
  const fields = listBodyFields(body);
  const findWaitMs = (names: RegExp): number | undefined =>
    findFirstResult(
      fields.filter(([name]) => names.test(name) && !COUNTS.test(name)),
      ([name, value]) => waitMs(value, now, chooseUnit(name)),
    );
  const words = fields
    .flatMap(([, value]) => (typeof value === "string" ? [value] : []))
    .join("\n")
    .normalize("NFKC")
    .replace(/\b(?:an?|one) (?=(?:second|minute|hour|day)\b)/gi, "1 ")
    .replace(/(?<!\p{L})(?:eine[rm]?|une?|una|um|uma) (?=(?:se[cgk]|min|stunde|heure|h?ora))/giu, "1 ")
    .replace(RANGE, "")
    .replace(/一(?=\s*[个個]?(?:秒|分[钟鐘]|小[时時]))/g, "1");
  return (
    findWaitMs(/retry|wait|delay|cool-?_?down|back-?_?off|estimated_time/i) ??
    waitInWords(words, now) ??
    findWaitMs(/reset/i)
  );
}

function chooseUnit(name: string): UnitOfNumbers {
  if (/ms$|milli/i.test(name)) return "ms";
  return /min(ute)?s?$/i.test(name) ? "min" : "s";
}

/** Milliseconds until used-up limits reset, according to headers such as `x-ratelimit-reset-tokens`. */
export function resetMs(headers: Headers, now: number): number | undefined {
  const resets = [...headers]
    .filter(([name]) => /rate-?limit(?:.*reset|$)/i.test(name))
    .flatMap(([name, value]) => {
      // Either a header of its own, or all in one: `"default";r=0;t=20`, `limit=9, remaining=0, reset=20`.
      const inOne = /\b(?:reset|t)=(\d+)/.exec(value)?.[1];
      const ms = waitMs(inOne ?? value, now, chooseUnit(name));
      const isListed = /reset/.test(name) || inOne !== undefined;
      const isUsedUp = headers.get(name.replace("reset", "remaining")) === "0" || /\b(?:remaining|r)=0\b/.test(value);
      return ms === undefined || !isListed ? [] : [{ ms, isUsedUp }];
    });
  const usedUp = resets.filter(({ isUsedUp }) => isUsedUp).map(({ ms }) => ms);
  if (usedUp.length > 0) return Math.max(...usedUp);
  return resets.length > 0 ? Math.min(...resets.map(({ ms }) => ms)) : undefined;
}

function findFirstResult<T, R>(list: readonly T[], read: (one: T) => R | undefined): R | undefined {
  for (const one of list) {
    const found = read(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
