import { removeMentionedTexts } from "../../core/base/mentioned-texts.ts";
import type { RunState } from "../../core/events/run-state.ts";

/** The length of a subject line; a longer one is cut after a word. */
const SUBJECT = 72;
/** The part of a line that fits into 76 characters, up to the end of a word. */
const LONG_LINE = /(?=[^\n]{77})([^\n]{1,76})[ \t]+/g;

/** A message for a commit of a run's changes: the task as the subject, the summary below it. */
export function composeCommitMessage({ task, end }: Pick<RunState, "task" | "end">): {
  readonly subject: string;
  readonly body: string;
} {
  const line = removeMentionedTexts(task)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.!]+$/, "");
  const summary = end?.reason === "finished" ? end.summary.trim() : "";
  return { subject: cut(line.charAt(0).toUpperCase() + line.slice(1)), body: wrapText(summary) };
}

function cut(line: string): string {
  if (line.length <= SUBJECT) return line;
  const end = line.lastIndexOf(" ", SUBJECT - 1);
  return `${line.slice(0, end > SUBJECT / 2 ? end : SUBJECT - 1)}…`;
}

function wrapText(text: string): string {
  return text.replace(LONG_LINE, "$1\n").trim();
}
