import { tryJson } from "../core/json.ts";
import { withoutTexts } from "./folded-texts.ts";
import { migrated, schemaOf, TODAY } from "./migrate.ts";
import { isEvent } from "./read-event.ts";
import { applyToBrief, type Brief } from "./summary.ts";
import { canReadOn, type FileStamp, wholeLines } from "./whole-lines.ts";

/** How far a log has been read, and what it told. The stamp is of the file when it was read. */
export interface BriefAt extends FileStamp, Told {
  /** Bytes read: whole lines. */
  readonly bytes: number;
}

/** What the lines of a log tell. */
interface Told {
  readonly brief?: Brief;
  /** The schema that the log is written in, once its start was read. */
  readonly schema?: number;
  /** Events read. */
  readonly events: number;
  /** The log is no longer good from here on. */
  readonly damaged: boolean;
}

const NOTHING_TOLD: Told = { events: 0, damaged: false };

/** What a log tells that looks like this now: read on from where it was left, or anew when it is another file or has shrunk. */
export async function readBrief(path: string, found: FileStamp, known?: BriefAt): Promise<BriefAt> {
  const isKnown = known !== undefined && canReadOn(found, known);
  let at: BriefAt = { ...(isKnown ? known : { ...NOTHING_TOLD, bytes: 0 }), ...found };
  if (at.damaged) return at;
  for await (const { lines, bytes } of wholeLines(path, at.bytes)) {
    at = { ...at, ...applyLines(at, lines), bytes };
    if (at.damaged) break;
  }
  return at;
}

function applyLines(from: Told, lines: readonly string[]): Told {
  let { brief, events, schema } = from;
  const upTo = (damaged: boolean): Told => ({
    events,
    damaged,
    ...(brief ? { brief } : {}),
    ...(schema === undefined ? {} : { schema }),
  });
  for (const line of lines) {
    const written = tryJson(line);
    if (events === 0) schema = schemaOf(written);
    const value = migrated(withoutTexts(written), schema, TODAY);
    if (!isEvent(value, events)) return upTo(true);
    brief = applyToBrief(brief, value);
    events++;
  }
  return upTo(false);
}
