import { formatQuantity } from "../../core/base/text.ts";
import type { TextFile } from "../../core/ports/workspace.ts";
import { cutLine, numberLines, stripLineNumbers } from "../line-texts.ts";
import { findText, getLineNumber, type Occurrence } from "./find-text.ts";
import { describeNearestText } from "./nearest-text.ts";

/** One replacement: of the only occurrence of `search`, of one of several, or of all. */
export interface Edit {
  readonly search: string;
  readonly replace: string;
  readonly all: boolean;
  /** Number of the occurrence, from 0. */
  readonly occurrence?: number | undefined;
}

/** The text after all edits, or a problem for each failed edit. */
export type EditResult = { readonly text: string; readonly places: number } | { readonly problems: readonly string[] };

/** Limits on the occurrences that are shown, and on the lines of each. */
const MOST_PLACES = 5;
const MOST_LINES = 6;

/** Applies the edits in order, all or none. */
export function applyEdits(file: Pick<TextFile, "text" | "eol">, edits: readonly Edit[]): EditResult {
  let { text } = file;
  let places = 0;
  const problems: string[] = [];
  for (const [index, given] of edits.entries()) {
    const edit = stripEditNumbers(text, given);
    const found = findText(text, edit.search);
    const spans = found.filter((_, at) => edit.occurrence === undefined || at === edit.occurrence);
    const problem = findEditProblem(text, edit, found);
    if (problem !== undefined) {
      problems.push(edits.length > 1 ? `Edit ${index + 1} of ${edits.length}: ${problem}` : problem);
      continue;
    }
    text = replaceSpans(text, spans, edit.replace, file.eol);
    places += spans.length;
  }
  return problems.length > 0 ? { problems } : { text, places };
}

/** Drops line numbers that were copied from an outcome together with the text. */
function stripEditNumbers(text: string, edit: Edit): Edit {
  const search = findText(text, edit.search).length > 0 ? undefined : stripLineNumbers(edit.search);
  if (search === undefined || search.trim() === "") return edit;
  return { ...edit, search, replace: stripLineNumbers(edit.replace) ?? edit.replace };
}

function findEditProblem(text: string, edit: Edit, spans: readonly Occurrence[]): string | undefined {
  const { search, all, occurrence } = edit;
  if (spans.length === 0) {
    const near = describeNearestText(text, search);
    return `the text to search for is not in the file. ${near || "Read the file and copy the text from it."}`;
  }
  if (occurrence !== undefined)
    return occurrence < spans.length ? undefined : explainMissingOccurrence(occurrence, spans);
  if (spans.length === 1 || all) return undefined;
  return `the text to search for occurs ${formatQuantity(spans.length, "time")}. Add lines around it until it is unique, name one with "occurrence_index", or set "all" to true. It occurs here:\n${renderOccurrences(text, spans)}`;
}

/** Occurrences with the line before and after each, so that one of them can be chosen. */
function renderOccurrences(text: string, spans: readonly Occurrence[]): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => cutLine(line));
  const places = spans.slice(0, MOST_PLACES).map(({ start, end }, index) => {
    const first = Math.max(1, getLineNumber(text, start) - 1);
    const last = Math.min(getLineNumber(text, Math.max(start, end - 1)) + 1, first + MOST_LINES - 1);
    return `occurrence_index ${index}:\n${numberLines(lines.slice(first - 1, last), first)}`;
  });
  return [...places, ...(spans.length > MOST_PLACES ? ["… and further on"] : [])].join("\n");
}

function explainMissingOccurrence(occurrence: number, { length }: readonly Occurrence[]): string {
  const last = length === 1 ? "only 0" : `0 to ${length - 1}`;
  return `there is no occurrence ${occurrence} of the text to search for: it occurs ${formatQuantity(length, "time")}, so "occurrence_index" can be ${last}.`;
}

/** Replaces from the end to the start, so that positions stay valid. */
function replaceSpans(text: string, spans: readonly Occurrence[], replacement: string, eol: TextFile["eol"]): string {
  const pieces: string[] = [];
  let end = text.length;
  for (const span of spans.toReversed()) {
    pieces.push(text.slice(span.end, end), span.computeReplacement(replacement, eol));
    end = span.start;
  }
  return [...pieces, text.slice(0, end)].toReversed().join("");
}
