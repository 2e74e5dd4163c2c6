import { isObject, tryJson } from "../../../core/base/json.ts";

/*
 * A record's ID is its row's position: the writer's clock, a name for the writer, and a number that counts the writer's rows without a gap.
 * Pinecone lists IDs in their order, but has no order of arrival, and a row may become visible before an earlier one.
 */

/** A row's place in a log. */
export interface PineconePosition {
  /** The record's ID. */
  readonly id: string;
  /** Microseconds since 1970, by the writer's clock. */
  readonly time: number;
  readonly writer: string;
  readonly number: number;
  /** Whether the row marks a removal. */
  readonly isMark: boolean;
}

/** The numbers of a writer's rows that were read, from and to. */
type NumberRange = readonly [from: number, to: number];

interface ReadRows {
  /** The latest time of them. */
  readonly until: number;
  readonly ranges: readonly NumberRange[];
}

/** How far a log was read: all rows up to the horizon, and some of each recent writer. */
export interface PineconeCursor {
  readonly epoch: string;
  readonly horizon: number;
  readonly writers: ReadonlyMap<string, ReadRows>;
}

export const LOG_START: PineconeCursor = { epoch: "", horizon: 0, writers: new Map() };

/** How long a row may take to become visible, in microseconds: slow requests, differing clocks and Pinecone's own delay. */
export const SETTLED_US = 600_000_000;
const TIME_DIGITS = 16;
const ID = /^r(\d{16})-([0-9a-f]{12})-([1-9]\d{0,9})(x?)$/;
const WRITER = /^[0-9a-f]{12}$/;
/** More of them come from a flood of forged rows. The oldest are dropped, which reads rows again. */
const MOST_WRITERS = 5_000;
const MOST_RANGES = 500;
/** Each list of IDs covers at least 1,000 seconds. */
const LEAST_PREFIX_DIGITS = 7;

/** The current time in microseconds since 1970. */
export function getPositionTime(): number {
  return Date.now() * 1_000;
}

export function formatPosition({ time, writer, number, isMark }: Omit<PineconePosition, "id">): string {
  return `r${formatTime(time)}-${writer}-${number}${isMark ? "x" : ""}`;
}

/** Undefined for an ID that isn't a position, because anyone may write to an index. */
export function parsePosition(id: string): PineconePosition | undefined {
  const [, time, writer, number, mark] = ID.exec(id) ?? [];
  if (time === undefined || writer === undefined) return undefined;
  return { id, time: Number(time), writer, number: Number(number), isMark: mark === "x" };
}

export function hasRead({ horizon, writers }: PineconeCursor, { time, writer, number }: PineconePosition): boolean {
  if (time <= horizon) return true;
  return writers.get(writer)?.ranges.some(([from, to]) => from <= number && number <= to) === true;
}

/** The cursor after some more rows. The horizon never goes back. */
export function advanceCursor(
  from: PineconeCursor,
  read: readonly PineconePosition[],
  { epoch, horizon: given }: Pick<PineconeCursor, "epoch" | "horizon">,
): PineconeCursor {
  const horizon = Math.max(from.horizon, given);
  const writers = new Map(from.writers);
  for (const { writer, time, number } of read) {
    const { until = 0, ranges = [] } = writers.get(writer) ?? {};
    writers.set(writer, { until: Math.max(until, time), ranges: addNumber(ranges, number) });
  }
  const recent = [...writers].filter(([, { until }]) => until > horizon);
  const newest = recent.toSorted(([, one], [, other]) => one.until - other.until).slice(-MOST_WRITERS);
  return { epoch, horizon, writers: new Map(newest) };
}

function addNumber(ranges: readonly NumberRange[], number: number): readonly NumberRange[] {
  const last = ranges.at(-1);
  // Rows nearly always come in their order.
  if (last && number === last[1] + 1) return [...ranges.slice(0, -1), [last[0], number]];
  const joined: NumberRange[] = [];
  for (const range of [...ranges, [number, number] as const].toSorted(([one], [other]) => one - other)) {
    const before = joined.at(-1);
    if (before && range[0] <= before[1] + 1) joined[joined.length - 1] = [before[0], Math.max(before[1], range[1])];
    else joined.push(range);
  }
  return joined.slice(-MOST_RANGES);
}

export function writeCursor({ epoch, horizon, writers }: PineconeCursor): string {
  const entries = [...writers].map(([writer, { until, ranges }]) => [writer, until, ...ranges.flat()]);
  return JSON.stringify({ epoch, horizon, writers: entries });
}

/** Parses a cursor. An invalid text gives the start of the log. */
export function readCursor(text: string | undefined): PineconeCursor {
  const value = text === undefined ? undefined : tryJson(text);
  if (!isObject(value) || typeof value.epoch !== "string" || !isCount(value.horizon)) return LOG_START;
  const entries = Array.isArray(value.writers) ? value.writers : [];
  const writers = entries.map(parseWriter).filter((entry) => entry !== undefined);
  return { epoch: value.epoch, horizon: value.horizon, writers: new Map(writers) };
}

function parseWriter(entry: unknown): readonly [string, ReadRows] | undefined {
  if (!Array.isArray(entry)) return undefined;
  const [writer, until, ...numbers]: readonly unknown[] = entry;
  if (typeof writer !== "string" || !WRITER.test(writer) || !isCount(until) || !numbers.every(isCount))
    return undefined;
  const ranges = numbers.flatMap((to, place) => (place % 2 === 1 ? [[numbers[place - 1] ?? to, to] as const] : []));
  return [writer, { until, ranges }];
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The prefixes of all positions within a time, in their order. They cover a bit more at both ends. */
export function* listTimePrefixes(from: number, until: number): Generator<string> {
  if (from === 0) {
    yield "r";
    return;
  }
  const [first, last] = [formatTime(from), formatTime(until)];
  yield `r${first.slice(0, LEAST_PREFIX_DIGITS)}`;
  for (let length = LEAST_PREFIX_DIGITS; length > 0; length--) {
    for (let digit = Number(first[length - 1]) + 1; digit <= 9; digit++) {
      const prefix = `${first.slice(0, length - 1)}${digit}`;
      if (prefix > last.slice(0, length)) return;
      yield `r${prefix}`;
    }
  }
}

/** The prefixes that divide a prefix by its next digit, from the last to the first. Empty if there's no further digit. */
export function splitPrefix(prefix: string): readonly string[] {
  return prefix.length > TIME_DIGITS ? [] : Array.from({ length: 10 }, (_, place) => `${prefix}${9 - place}`);
}

function formatTime(time: number): string {
  return String(Math.max(0, Math.floor(time))).padStart(TIME_DIGITS, "0");
}
