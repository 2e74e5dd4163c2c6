import { isAscii } from "../../core/base/text.ts";
import { WorkspaceError } from "../../core/ports/workspace.ts";
import { JobThread, WorkerFailure } from "../processes/event-loop.ts";

/** A matching line; `column` starts at 0. */
export interface LineMatch {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Finds the matching lines of texts. `undefined`: matching took too long and was stopped for good. */
export interface LineMatcher {
  match(text: string, most: number): Promise<readonly LineMatch[] | undefined>;
  close(): Promise<void>;
}

/** For longer lines, each match is returned with its surrounding characters. */
export const LONG_LINE = 2000;

/** Creates a match in a long line with enough surrounding characters, and the position to continue from. */
export function createMatchAround(content: string, line: number, at: number): LineMatch & { readonly next: number } {
  const start = Math.max(0, at - 500);
  return { line, column: at - start, text: content.slice(start, at + 500), next: at + 250 };
}

/** Finds the first matching lines of a text. Its source also runs in a worker, so it must not use anything outside the function. */
function findMatchingLines(
  text: string,
  source: string,
  flags: string,
  most: number,
  longLine: number,
  around: typeof createMatchAround,
): LineMatch[] {
  const pattern = new RegExp(source, `${flags}g`);
  const found: LineMatch[] = [];
  let line = 1;
  for (let start = 0; start <= text.length && found.length < most; line++) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next;
    const content = text.slice(start, text[end - 1] === "\r" ? end - 1 : end);
    const isLong = content.length > longLine;
    for (let from = 0; found.length < most && from <= content.length; ) {
      pattern.lastIndex = from;
      const match = pattern.exec(content);
      if (!match) break;
      const { next: after = content.length + 1, ...matched } = isLong
        ? around(content, line, match.index)
        : { line, column: match.index, text: content, next: undefined };
      found.push(matched);
      from = after;
    }
    start = end + 1;
  }
  return found;
}

/** Time limits for one text, and for all texts together. */
const TEXT_MS = 1000;
const ALL_MS = 20_000;

/** The Unicode forms of a text, starting with the given one. */
export function listUnicodeForms(text: string): readonly string[] {
  return isAscii(text) ? [text] : [...new Set([text, text.normalize("NFC"), text.normalize("NFD")])];
}

/** Extends a regular expression to match a text's other Unicode forms too, unless that would change the meaning of its parts. */
export function addUnicodeForms(source: string): string {
  const forms = /\[|\\\d|\(\?P?</.test(source) ? [source] : listUnicodeForms(source);
  return forms.length === 1 ? source : forms.map((form) => `(?:${form})`).join("|");
}

/** Matches text literally, in any Unicode form. Ignores case if the text has no capitals. */
export function createTextMatcher(text: string): LineMatcher {
  const source = listUnicodeForms(text)
    .map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("|");
  const flags = text === text.toLowerCase() ? "iu" : "u";
  const anywhere = new RegExp(source, flags);
  return {
    match: async (content, most) =>
      anywhere.test(content) ? findMatchingLines(content, source, flags, most, LONG_LINE, createMatchAround) : [],
    close: async () => undefined,
  };
}

/** A text to match, and what its thread found in how long. */
type MatchJob = readonly [text: string, most: number];
type Matched = readonly [found: LineMatch[], ms: number];

/** Does in a thread what `answerJobs` does. */
const PROGRAM = `const { parentPort, workerData } = require("node:worker_threads");
    const matchingLines = ${findMatchingLines.toString()};
    const around = ${createMatchAround.toString()};
    parentPort.on("message", ([text, most]) => {
      parentPort.postMessage({ type: "loaded" });
      const since = performance.now();
      const found = matchingLines(text, workerData.source, workerData.flags, most, ${LONG_LINE}, around);
      parentPort.postMessage({ type: "answer", answer: [found, performance.now() - since] });
    });`;

/** Matches a regular expression in a separate thread, which is stopped if the expression takes too long. */
export function createRegexMatcher(source: string, signal: AbortSignal): LineMatcher {
  const workerData = { source, flags: chooseRegexFlags(source) };
  const thread = new JobThread<MatchJob, Matched>(PROGRAM, { eval: true, workerData });
  let left = ALL_MS;
  return {
    async match(text, most) {
      if (left <= 0) return undefined;
      try {
        const limits = { seconds: Math.min(left, TEXT_MS) / 1000, signal };
        const [found, ms] = await thread.run([text, most], limits);
        left -= ms;
        return found;
      } catch (error) {
        left = 0;
        if (error instanceof WorkerFailure && error.isLate) return undefined;
        throw error;
      }
    },
    close: () => thread.close(),
  };
}

/** True for a valid JavaScript regular expression. */
export function isRegex(source: string): boolean {
  return findValidFlags(source) !== undefined;
}

/** Chooses Unicode mode if the expression is valid in it. Throws a `WorkspaceError` for an invalid expression. */
function chooseRegexFlags(source: string): string {
  const flags = findValidFlags(source);
  if (flags !== undefined) return flags;
  throw new WorkspaceError(
    `${JSON.stringify(source)} is not a regular expression. Correct it, or search for it as text by leaving "regex" out.`,
  );
}

function findValidFlags(source: string): string | undefined {
  return ["u", ""].find((flags) => {
    try {
      return new RegExp(source, flags);
    } catch {
      return false;
    }
  });
}
