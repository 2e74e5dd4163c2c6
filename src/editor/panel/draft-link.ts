import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { decodeEscapes } from "../../core/base/uri-path.ts";
import { isRunId } from "../../runs/store/run-folder.ts";
import type { NextAgent } from "../../runtime/instructions/own-agents.ts";
import { displayText, fail, joinSentences, type Sentence } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";

/** A text that is put into the text box, for the user to send. */
export interface OfferedText {
  readonly text: string;
  /** Where it comes from, as a sentence above the text box. */
  readonly note?: Sentence;
  /** The name of the agent that it's for. */
  readonly agent?: string;
}

/** Texts that wait for a page. */
export class TextOffers {
  private waiting: { readonly offer: OfferedText; readonly where: "new" | "shown" }[] = [];

  add(offer: OfferedText, where: "new" | "shown"): void {
    this.waiting.push({ offer, where });
  }

  /** Takes the texts for a page. Those for a new run wait while it shows one: its text box answers that run's questions. */
  take(showsRun: boolean): readonly OfferedText[] {
    const isFitting = ({ where }: { readonly where: "new" | "shown" }): boolean => where === "shown" || !showsRun;
    const taken = this.waiting.filter(isFitting);
    this.waiting = this.waiting.filter((one) => !isFitting(one));
    return taken.map(({ offer }) => offer);
  }
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
  const text = cleanOfferedText(decodeAgain(task));
  if (text === "") fail("start.linkEmpty");
  if (text.length > MOST_CHARS) fail("start.linkTooLong", { count: text.length, most: MOST_CHARS });
  const others = task === given && start?.index === 0 ? undefined : displayText("start.linkOthersIgnored");
  return { text, note: joinSentences(displayText("start.fromLink"), others) };
}

/** The run that a link opens; undefined for a link of another kind. Nothing in a link can decide anything. */
export function readRunLink({ path, query }: { readonly path: string; readonly query: string }): string | undefined {
  if (path !== "/run") return undefined;
  const [, id = ""] = /(?<![^&])id=([^&]*)/.exec(query) ?? [];
  return isRunId(id) ? id : fail("start.linkRunUnknown");
}

const MOST_NAME = 60;

/** The task for the next agent of a run. Words of an agent's file come with its name. */
export function createHandOver(next: NextAgent | undefined, { run, agent }: HandOver): OfferedText {
  const prompt = cleanOfferedText(next?.prompt ?? "");
  const note =
    next && prompt !== "" ? displayText("start.fromAgentFile", { file: escapeInvisible(next.file) }) : undefined;
  return { text: `${prompt || t("start.continueTask")} @run:${run}`, agent, ...omitUndefined({ note }) };
}

/** The finished run, and the name of the agent that is next. */
interface HandOver {
  readonly run: string;
  readonly agent: string;
}

/** Decodes a text that was encoded twice: one without spaces, all of whose percent signs begin codes. */
function decodeAgain(text: string): string {
  if (/\s/.test(text) || !/%[0-9a-f]{2}/i.test(text)) return text;
  return decodeEscapes(text);
}

/** Others' text as it's put into the text box: no hidden characters, and no gaps that could push its end out of sight. */
function cleanOfferedText(text: string): string {
  const unwrapped = text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\S\n]{4,}/g, " ")
    .replaceAll(/\n\s*\n\s*/g, "\n\n");
  return escapeInvisible(unwrapped).trim();
}
