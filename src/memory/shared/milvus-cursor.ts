import { isObject, tryJson } from "../../core/base/json.ts";
import type { MilvusRow } from "./milvus-tables.ts";

/** How far a log has been read: every row up to the horizon, and each writer's rows up to their position. */
export interface MilvusCursor {
  readonly epoch: string;
  readonly horizon: string;
  readonly writers: Readonly<Record<string, string>>;
}

/** The longest delay, in microseconds, before a row becomes visible, due to slow requests and differing clocks. */
const SETTLED_US = 600_000_000;
const POSITION = /^\d{16}(?:-[0-9a-f]{12})?$/;
const WRITER = /^[0-9a-f]{12}$/;
/** A cursor with more is forged. */
const MAX_WRITERS = 10_000;

/** The first possible position at a time in microseconds since 1970. */
export function formatFirstPosition(time: number): string {
  return String(Math.max(0, Math.floor(time))).padStart(16, "0");
}

/** Parses a cursor. An invalid text gives the start of the log. */
export function readCursor(cursor: string | undefined): MilvusCursor {
  const start = { epoch: "", horizon: formatFirstPosition(0), writers: {} };
  const value = cursor === undefined ? undefined : tryJson(cursor);
  if (!isObject(value) || typeof value.epoch !== "string" || !isObject(value.writers)) return start;
  const writers = Object.entries(value.writers).filter(
    (one): one is [string, string] => WRITER.test(one[0]) && isPosition(one[1]),
  );
  if (!isPosition(value.horizon) || writers.length > MAX_WRITERS) return start;
  return { epoch: value.epoch, horizon: value.horizon, writers: Object.fromEntries(writers) };
}

/** The cursor after some more rows. The horizon advances past the range that can't receive any more rows. */
export function writeCursor(
  from: MilvusCursor,
  page: { readonly epoch: string; readonly rows: readonly MilvusRow[]; readonly isFull: boolean },
): string {
  const writers = new Map(Object.entries(from.writers));
  for (const { writer, position } of page.rows)
    if (WRITER.test(String(writer)) && isPosition(position)) writers.set(String(writer), position);
  const last = page.rows.at(-1)?.position;
  const settled = formatFirstPosition(Date.now() * 1_000 - SETTLED_US);
  const until = page.isFull ? last : settled;
  const read = isPosition(until) ? [until, settled].toSorted()[0] : undefined;
  const horizon = [from.horizon, read ?? ""].toSorted()[1] ?? "";
  const recent = [...writers].filter(([, position]) => position > horizon);
  return JSON.stringify({ epoch: page.epoch, horizon, writers: Object.fromEntries(recent) });
}

function isPosition(value: unknown): value is string {
  return typeof value === "string" && POSITION.test(value);
}
