import { omitUndefined } from "../core/base/objects.ts";
import type { Outcome } from "../core/commands/outcome.ts";
import type { ResolvedPath } from "../core/ports/workspace.ts";
import { type DisplayText, displayText } from "../texts/display-text.ts";

type Done = Extract<Outcome, { readonly status: "done" }>;

/** Success. The model reads `output`; people read the title of the call, the summary and the changed files. */
export function createSuccess(output: string, summary?: DisplayText, files?: Done["files"]): Done {
  return { status: "done", output, ...omitUndefined({ summary, files }) };
}

/** Failure. The model reads the reason and what to do instead; people read the summary. */
export function createFailure(error: string, summary?: DisplayText): Outcome {
  return { status: "failed", error, ...omitUndefined({ summary }) };
}

/** The summary of a search that found nothing. */
export const NOTHING_FOUND: DisplayText = displayText("timeline.nothingFound");
/** The summary of a change that changes nothing. */
export const UNCHANGED: DisplayText = displayText("timeline.unchanged");
/** The summary of a call about a file that doesn't exist. */
export const NO_FILE: DisplayText = displayText("timeline.noFile");
/** The summary of a call that would overwrite something. */
export const IN_THE_WAY: DisplayText = displayText("timeline.inTheWay");
/** The summary of a call for text about a file without any. */
export const NO_TEXT: DisplayText = displayText("timeline.noText");

/** Characters of a text that its step shows. */
const LONGEST_EXCERPT = 200;

/** The beginning of a text, on one line, for the summary of an outcome. */
export function shortenToOneLine(text: string): string {
  return text.trim().slice(0, LONGEST_EXCERPT).replace(/\s+/g, " ");
}

/** The summary that contains only such a text. */
export function createTextSummary(text: string): DisplayText {
  return displayText("results.text", { text: shortenToOneLine(text) });
}

/** Marks an outcome as untrusted if its content is from a place that git ignores, because it may not be the workspace's own. */
export function markIgnoredPlace(outcome: Outcome, { ignored, label }: ResolvedPath): Outcome {
  if (outcome.status !== "done" || !ignored) return outcome;
  return { ...outcome, source: { kind: "ignored-file", name: label } };
}
