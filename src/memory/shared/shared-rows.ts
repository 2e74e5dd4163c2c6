import { SHARED_LIMITS } from "../../schema/formats.ts";
import type { SharedRow } from "../../schema/shared-rows.ts";
import { isSharedRow } from "../../schema/shared-validators.ts";
import type { NewSharedItem, SharedChange, SharedItem, SharedLogOptions, SharedPage } from "./shared-log.ts";

/** The tolerance for clocks that differ; a later date is a lie. */
const FUTURE_MS = 24 * 3600 * 1000;

/** Reads the changes from rows, which are untrusted, and counts the rows that were left out. */
export function readSharedRows(
  rows: readonly unknown[],
  { project, getNow }: Pick<SharedLogOptions, "project" | "getNow">,
): Pick<SharedPage, "changes" | "skipped"> {
  const latest = (getNow?.() ?? new Date()).getTime() + FUTURE_MS;
  const changes = rows.flatMap((row): readonly SharedChange[] => {
    if (!isSharedRow(row) || row.project !== project || row.at > latest) return [];
    if (row.removed) return [{ type: "removed", key: { author: row.author, id: row.id } }];
    return row.text.trim() === "" ? [] : [{ type: "added", item: createSharedItem(row) }];
  });
  return { changes, skipped: rows.length - changes.length };
}

function createSharedItem({ author, id, kind, text, source, place, at, embedder, vector }: SharedRow): SharedItem {
  const item = { author, id, kind, text, source, at: new Date(at).toISOString() };
  return {
    ...item,
    ...(place ? { place } : {}),
    ...(embedder && vector?.length ? { embedded: { embedder, vector: Float32Array.from(vector) } } : {}),
  };
}

/** Removes or cuts anything in an item that rows may not contain, so that other members don't skip it. */
export function sanitizeSharedItem<Item extends Omit<NewSharedItem, "id">>(item: Item): Item {
  const { text, source, place, embedded } = item;
  return {
    ...item,
    text: cut(text.replaceAll("\r\n", "\n").replace(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, " "), SHARED_LIMITS.text),
    source: cleanSharedLine(source, SHARED_LIMITS.source),
    ...(place === undefined ? {} : { place: cleanSharedLine(place, SHARED_LIMITS.source) }),
    ...(embedded && embedded.vector.length > SHARED_LIMITS.vector ? { embedded: undefined } : {}),
  };
}

/** Puts a text on one line without control and formatting characters. */
export function cleanSharedLine(text: string, maxChars: number): string {
  return cut(text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, " ").trim(), maxChars);
}

/** Cuts a text without leaving half of a character at the end. */
function cut(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "");
}
