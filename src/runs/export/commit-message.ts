import type { RunState } from "../../core/events/run-state.ts";

/** A subject line is cut at a word's end when it is longer. */
const SUBJECT = 72;
/** As much of a line as fits into 76 characters, up to the end of a word. */
const LONG_LINE = /(?=[^\n]{77})([^\n]{1,76})[ \t]+/g;

/** A message for a commit of what a run has done: the task as its subject, the summary below. */
export function commitMessage({ task, end }: Pick<RunState, "task" | "end">): {
  readonly subject: string;
  readonly body: string;
} {
  const line = task
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.!]+$/, "");
  const summary = end?.reason === "finished" ? end.summary.trim() : "";
  return { subject: cut(line.charAt(0).toUpperCase() + line.slice(1)), body: wrapped(summary) };
}

function cut(line: string): string {
  if (line.length <= SUBJECT) return line;
  const end = line.lastIndexOf(" ", SUBJECT - 1);
  return `${line.slice(0, end > SUBJECT / 2 ? end : SUBJECT - 1)}…`;
}

function wrapped(text: string): string {
  return text.replace(LONG_LINE, "$1\n").trim();
}
