import { formatCount } from "../../core/base/text.ts";
import type { RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { ModelError } from "../../core/ports/model.ts";
import { displayText } from "../../texts/display-text.ts";
import { askText, type TextAnswer } from "../ask-text.ts";
import { formatAnswerHeader } from "../line-texts.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { MOST_CHARACTERS } from "../text-page.ts";
import type { OnlineServices } from "../web/services.ts";
import { catchWorkspaceErrors, isReadable, markIgnoredSources, type ReadableText, readAll } from "./read-sources.ts";

const MOST_QUOTES = 8;

/**
 * Has the fast model answer a question from a whole long text, or from the lines that the call names. Returns the text itself if it fits or
 * if no model can answer.
 */
export async function askFile(
  source: ReadableText,
  question: string,
  services: Pick<OnlineServices, "getFastModel">,
  running: RunContext,
): Promise<Outcome> {
  const read = await catchWorkspaceErrors(source.read(running));
  if (!isReadable(read)) return createFailure(read.error, displayText("timeline.notRead"));
  const asked = selectAskedLines(read.text, source.part);
  if (asked.text.length <= MOST_CHARACTERS) return readAll([source], running);
  const { label, name, part } = source;
  try {
    const text = {
      kind: "file",
      name,
      title: part.filename.split("/").at(-1) ?? "",
      text: asked.text,
    } as const;
    const answer = await askText(text, question, { ...running, model: await services.getFastModel() });
    const summary = answer.answer === "" ? displayText("results.noAnswerInFile") : displayText("results.answered");
    return markIgnoredSources([source], createSuccess(renderAnswer(label, question, answer, asked), summary));
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const why = `[The question could not be put to the model that reads files: ${error.message} This is the file itself.]`;
    const outcome = await readAll([source], running);
    return outcome.status === "done" ? { ...outcome, output: `${why}\n\n${outcome.output}` } : outcome;
  }
}

/** Lines of a text, counted from 1. */
interface AskedLines {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** The number of lines of the whole text. */
  readonly all: number;
}

function selectAskedLines(text: string, { from, to }: ReadableText["part"]): AskedLines {
  const lines = text.replace(/\n$/, "").split("\n");
  const last = Math.min(to ?? lines.length, lines.length);
  return { text: lines.slice(from - 1, last).join("\n"), from, to: last, all: lines.length };
}

function renderAnswer(
  label: string,
  question: string,
  { answer, quotes, unread }: TextAnswer,
  asked: AskedLines,
): string {
  const getAskedLineNumber = (at: number): number => asked.from + asked.text.slice(0, at).split("\n").length - 1;
  const shown = quotes
    .slice(0, MOST_QUOTES)
    .map(({ text, at }) => `- "${text}" (line ${formatCount(getAskedLineNumber(at))})`);
  const left = mergeAdjacentPieces(unread).map(
    ({ at, end }) => `${getAskedLineNumber(at)} to ${getAskedLineNumber(end - 1)}`,
  );
  return [
    `${formatAnswerHeader(label, asked.from, asked.to, asked.all)}\n${answer || `It says nothing about: ${question}`}`,
    shown.length === 0 ? "" : `Quotes:\n${shown.join("\n")}`,
    left.length === 0
      ? ""
      : `[The file is long, and these lines were not read: ${left.join(", ")}. Ask about them with start_line and end_line.]`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Merges neighboring pieces of a text into one range of characters each. */
function mergeAdjacentPieces(pieces: TextAnswer["unread"]): readonly { readonly at: number; readonly end: number }[] {
  const ranges: { at: number; end: number }[] = [];
  for (const { at, text } of pieces) {
    const end = at + text.length;
    const last = ranges.at(-1);
    if (last && at === last.end) last.end = end;
    else ranges.push({ at, end });
  }
  return ranges;
}
