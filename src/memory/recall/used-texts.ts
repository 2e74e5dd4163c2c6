import { findTraits } from "../../core/commands/command-traits.ts";
import { formatSourceName, type Outcome } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import type { Call } from "../../core/reply/reply.ts";
import type { RememberedDocument } from "./documents.ts";
import { MAX_OUTCOME } from "./episodes.ts";

/** The whole text of a page that a step read, or another agent's or model's output about something. */
type ReadText = Omit<RememberedDocument, "fromLine" | "run" | "sources">;

/** Lines of a file that a step has read. */
export interface FilePart {
  /** The file's path in the workspace. */
  readonly source: string;
  readonly fromLine: number;
  readonly lines: readonly string[];
}

/** The texts that a step used, in addition to its episode. */
export interface UsedTexts {
  readonly texts: readonly ReadText[];
  readonly parts: readonly FilePart[];
  /** Files that the step has changed. */
  readonly changed: readonly string[];
}

/** Finds the texts that a step has used. `isProtected`: whether a file may hold secrets, so that no part of it is kept. */
export function findUsedTexts(
  { reply, outcome, also = [] }: StepView,
  isProtected: (path: string) => boolean,
): UsedTexts {
  if (reply?.kind !== "proposal" || !outcome) return { texts: [], parts: [], changed: [] };
  const calls = [reply.call, ...(reply.also ?? [])];
  const done = [outcome, ...also].flatMap((one, at) => {
    const call = calls[at];
    return call && one.status === "done" ? [{ call, outcome: one }] : [];
  });
  return {
    texts: done
      .flatMap(({ call, outcome: one }) => readText(call, one) ?? [])
      .filter(({ kind, source }) => kind === "page" || !isProtected(source)),
    parts: done
      .flatMap(({ call, outcome: one }) => parseFileParts(call, one))
      .filter(({ source }) => !isProtected(source)),
    changed: done.flatMap(({ outcome: { files = [] } }) => files.map(({ file }) => file)),
  };
}

type Done = Extract<Outcome, { readonly status: "done" }>;

function readText(call: Call, { output, source, pages }: Done): ReadText | undefined {
  // A short text is complete in the step's episode.
  const isLong = output.length > MAX_OUTCOME;
  if (source?.kind === "agent" && isLong)
    return { kind: "page", source: formatSourceName(source), text: output, place: "answer" };
  const question = getQuestionText(call.args);
  const { reads, page: read } = findTraits(call.name) ?? {};
  if (reads === "file") return isLong && source === undefined ? parseFileAnswer(question, output) : undefined;
  if (source?.kind !== "web") return undefined;
  const page = { kind: "page", source: source.name, text: output } as const;
  if (read === "text" && question === "") return page;
  if (!read || !isLong) return undefined;
  const title = pages?.[0]?.title ?? "";
  const place = question === "" ? "summary" : formatAnswerPlace(question);
  return { ...page, place, ...(title === "" ? {} : { title }) };
}

/** Parses a model's answer about a file, which follows a line with the file's name. */
function parseFileAnswer(question: string, output: string): ReadText | undefined {
  const [header = ""] = output.split("\n", 1);
  const [, label] = header.startsWith(ANSWER) ? (HEADER.exec(header.slice(ANSWER.length)) ?? []) : [];
  if (question === "" || label === undefined || OUTPUT.test(label)) return undefined;
  const text = output.slice(header.length + 1);
  return { kind: "file", source: label.replace(MADE_OF, ""), text, place: formatAnswerPlace(question) };
}

const LONGEST_QUESTION = 120;

function getQuestionText({ question }: Call["args"]): string {
  return typeof question === "string" ? question.trim() : "";
}

function formatAnswerPlace(question: string): string {
  return `answer to "${question.slice(0, LONGEST_QUESTION)}"`;
}

/** The start of the line above a model's answer about a file. */
const ANSWER = "Answer from ";
/** The line above a file's lines: `src/app.ts, lines 1 to 40 of 120`, or `src/app.ts, 120 lines` for all of them. */
const HEADER = /^(.+), (?:([\d,]+) lines?|lines? ([\d,]+)(?: to ([\d,]+))? of [\d,]+)$/;
/** Text extracted from documents and notebooks counts as the files themselves. */
const MADE_OF = /^[Tt]he (?:text|cells) of /;
const OUTPUT = /^[Tt]he output of step \d+$/;

/**
 * Finds the lines of files in an outcome. A header gives the number of lines that follow, so a file's line is never mistaken for a header.
 * The rest is left out after a text without a valid header.
 */
function parseFileParts({ name, args }: Call, { output, source }: Done): readonly FilePart[] {
  if (findTraits(name)?.reads !== "file" || args.source === true || getQuestionText(args) !== "") return [];
  const ignored = new Set(source?.kind === "ignored-file" ? source.name.split(", ") : []);
  const lines = output.split("\n");
  const parts: FilePart[] = [];
  for (let at = 0; at < lines.length; ) {
    const [header, label = "", all, first, last = first] = HEADER.exec(lines[at] ?? "") ?? [];
    if (header === undefined) break;
    const fromLine = first === undefined ? 1 : parseLineNumber(first);
    const count = first === undefined ? parseLineNumber(all) : parseLineNumber(last) - fromLine + 1;
    const found = lines.slice(at + 1, at + 1 + count);
    if (!OUTPUT.test(label) && !ignored.has(label))
      parts.push({ source: label.replace(MADE_OF, ""), fromLine, lines: found });
    at += 1 + count;
    // Notes follow in brackets, each after an empty line.
    while (lines[at] === "" && /^\[.*\]$/.test(lines[at + 1] ?? "")) at += 2;
    if (lines[at] !== "") break;
    at += 1;
  }
  return parts;
}

function parseLineNumber(text = "0"): number {
  return Number(text.replaceAll(",", ""));
}
