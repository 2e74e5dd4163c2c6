import { type FileHandle, open } from "node:fs/promises";
import { withoutTexts } from "./folded-texts.ts";
import { migrated, schemaOf, TODAY } from "./migrate.ts";
import { isEvent, jsonOf } from "./read-event.ts";
import { applyToBrief, type Brief } from "./summary.ts";

/** How far a log has been read, and what it told. */
export interface BriefAt {
  /** Bytes read: whole lines. */
  readonly bytes: number;
  /** Of the file when it was read. */
  readonly mtimeMs: number;
  readonly brief?: Brief;
  /** The schema that the log is written in, once its start was read. */
  readonly schema?: number;
  /** Events read. */
  readonly events: number;
  /** The log is no longer good from here on. */
  readonly damaged: boolean;
}

export const NOTHING_READ: BriefAt = { bytes: 0, mtimeMs: 0, events: 0, damaged: false };

/** Reads on from where a log was left, in pieces, so that memory stays small and the event loop free. */
export async function readOn(path: string, from: BriefAt, mtimeMs: number): Promise<BriefAt> {
  const file = await open(path, "r");
  try {
    return await readPieces(file, { ...from, mtimeMs });
  } finally {
    await file.close();
  }
}

const PIECE = 256 * 1024;
const NEWLINE = 10;

async function readPieces(file: FileHandle, from: BriefAt): Promise<BriefAt> {
  let at = from;
  let pieces: Buffer[] = [];
  let position = from.bytes;
  while (!at.damaged) {
    const piece = Buffer.alloc(PIECE);
    const { bytesRead } = await file.read(piece, 0, PIECE, position);
    if (bytesRead === 0) return at;
    position += bytesRead;
    const end = piece.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
    pieces.push(piece.subarray(0, end === 0 ? bytesRead : end));
    if (end === 0) continue;
    const lines = Buffer.concat(pieces);
    at = { ...applyLines(at, lines.toString("utf8")), bytes: at.bytes + lines.length };
    pieces = [piece.subarray(end, bytesRead)];
  }
  return at;
}

function applyLines(from: BriefAt, text: string): BriefAt {
  let { brief, events, schema } = from;
  const upTo = (damaged: boolean): BriefAt => ({
    ...from,
    events,
    damaged,
    ...(brief ? { brief } : {}),
    ...(schema === undefined ? {} : { schema }),
  });
  for (const line of text.split("\n").slice(0, -1)) {
    const written = jsonOf(line);
    if (events === 0) schema = schemaOf(written);
    const value = migrated(withoutTexts(written), schema, TODAY);
    if (!isEvent(value, events)) return upTo(true);
    brief = applyToBrief(brief, value);
    events++;
  }
  return upTo(from.damaged);
}
