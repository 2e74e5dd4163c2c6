import { escapeInvisible } from "../../core/base/text.ts";
import { displayText, fail, joinSentences, type Sentence } from "../../texts/display-text.ts";

/** A text that is put into the text box, for the user to send. */
export interface OfferedText {
  readonly text: string;
  /** Where it comes from, as a sentence above the text box. */
  readonly note?: Sentence;
  /** The name of the agent that it's for. */
  readonly agent?: string;
}

/** More characters can't be checked at a glance. */
const MOST_CHARS = 8_000;

/** Parameters with which a link could try to decide something; it can't. */
const REFUSED =
  /&(?:approvals?|approve|budget\w*|commands?|continuous|cwd|dir|folder|isolated|max\w*|mode|model|profile|provider|rules?|run|send|settings?|start|trust|workspace|yes[\w-]*)=[^\s&]*(?=&|$)/gi;

/**
 * Reads a link that opens a draft. `query` is the query of its address, which the editor has decoded. Only the task counts: nothing in a link can
 * choose a folder, a model or a permission, or send it.
 */
export function readDraftLink({ path, query }: { readonly path: string; readonly query: string }): OfferedText {
  if (path !== "/start") fail("start.linkUnknown", { path: escapeInvisible(path.slice(0, MOST_NAME)) });
  const start = /(?<![^&])task=/.exec(query);
  const given = start ? query.slice(start.index + start[0].length) : "";
  const task = given.replaceAll(REFUSED, "");
  const text = escapeInvisible(unwrap(decodeAgain(task))).trim();
  if (text === "") fail("start.linkEmpty");
  if (text.length > MOST_CHARS) fail("start.linkTooLong", { count: text.length, most: MOST_CHARS });
  const others = task === given && start?.index === 0 ? undefined : displayText("start.linkOthersIgnored");
  return { text, note: joinSentences(displayText("start.fromLink"), others) };
}

const MOST_NAME = 60;

/** Decodes a text that was encoded twice: one without spaces, all of whose percent signs begin codes. */
function decodeAgain(text: string): string {
  if (/\s/.test(text) || !/%[0-9a-f]{2}/i.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Text without gaps that could push its end out of sight. */
function unwrap(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\S\n]{4,}/g, " ")
    .replaceAll(/\n\s*\n\s*/g, "\n\n");
}
