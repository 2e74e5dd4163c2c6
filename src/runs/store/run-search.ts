import { join } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { openFile } from "../../disk/plain-file.ts";
import { Restorer } from "../log/deduplication.ts";
import { parseLineValue } from "../log/log-lines.ts";
import { LOG_FILE } from "../log/run-log.ts";

/** A place in a run that contains all words of a query. */
export interface RunSearchHit {
  readonly run: string;
  /** Absent for texts outside of steps. */
  readonly step?: number;
  readonly where: "task" | "thoughts and command" | "outcome" | "words of the user";
  /** One line around the first word. */
  readonly excerpt: string;
}

/** The maximum number of hits in one run. */
const PER_RUN = 5;
/** The number of logs that are read at a time. */
const AT_ONCE = 16;

/** A run to search. */
interface Searched {
  readonly id: string;
  readonly folder: string;
}

/**
 * Searches tasks, thoughts, commands, outcomes and the user's messages, run by run in the given order, and yields each hit immediately.
 * Reads the logs themselves, so nothing is out of date. Runs with a usual spelling of the words come first, because their bytes show it;
 * runs with unusual capitals follow.
 */
export async function* searchRuns(
  runs: readonly Searched[],
  query: string,
  signal: AbortSignal,
): AsyncGenerator<RunSearchHit> {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return;
  const spelt = words.map(listSpellings);
  const left: Searched[] = [];
  for await (const { run, bytes } of readLogs(runs, signal)) {
    if (spelt.every((ways) => ways.some((way) => bytes.includes(way)))) yield* searchLog(run.id, bytes, words);
    else left.push(run);
  }
  for await (const { run, bytes } of readLogs(left, signal)) yield* searchLog(run.id, bytes, words);
}

/** The usual spellings of a word in a log: as it is, with a capital, in capitals; escaped as in JSON. */
function listSpellings(word: string): readonly Buffer[] {
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  const ways = new Set([word, capital, word.toUpperCase()]);
  return [...ways].flatMap(listWrittenForms).map((way) => Buffer.from(way));
}

/** The logs in the order of the runs, some of them read ahead; bytes are valid until the next log is requested. An unreadable log is empty. */
async function* readLogs(
  runs: readonly Searched[],
  signal: AbortSignal,
): AsyncGenerator<{ readonly run: Searched; readonly bytes: Buffer }> {
  const rooms = Array.from({ length: AT_ONCE }, () => new ReadBudget());
  const read = (index: number): Promise<Buffer> | undefined => {
    const run = runs[index];
    return run && rooms[index % AT_ONCE]?.read(join(run.folder, LOG_FILE));
  };
  const ahead = Array.from({ length: AT_ONCE }, (_, index) => read(index));
  for (const [index, run] of runs.entries()) {
    if (signal.aborted) return;
    const bytes = await ahead.shift();
    if (bytes) yield { run, bytes };
    ahead.push(read(index + AT_ONCE));
  }
}

/** Larger logs get a separate buffer, which is freed after the search. */
const MOST_KEPT = 4_000_000;

/** Words in a larger log aren't found. */
const MOST_BYTES = 256 * 1024 * 1024;

/** A buffer for one file at a time. Reusing it saves most of the reading time. */
class ReadBudget {
  private buffer = Buffer.alloc(0);

  async read(path: string): Promise<Buffer> {
    try {
      await using file = await openFile(path);
      const { size } = await file.stat();
      if (size > MOST_BYTES) return Buffer.alloc(0);
      const buffer = this.ensureBuffer(size);
      const { bytesRead } = await file.read(buffer, 0, size, 0);
      return buffer.subarray(0, bytesRead);
    } catch {
      return Buffer.alloc(0);
    }
  }

  private ensureBuffer(size: number): Buffer {
    if (size > MOST_KEPT) return Buffer.allocUnsafeSlow(size);
    if (this.buffer.length < size) this.buffer = Buffer.allocUnsafeSlow(Math.min(size * 2, MOST_KEPT));
    return this.buffer;
  }
}

function* searchLog(run: string, bytes: Buffer, words: readonly string[]): Generator<RunSearchHit> {
  const written = words.map(listWrittenForms);
  const log = bytes.toString("utf8");
  if (!mayHold(log, written)) return;
  let left = PER_RUN;
  for (const line of log.split("\n")) {
    if (!mayHold(line, written)) continue;
    const told = extractEventText(new Restorer().unfold(parseLineValue(line)));
    if (!told || !hasAllWords(told.text, words)) continue;
    const { text, where, step } = told;
    yield { run, where, excerpt: cutExcerpt(text, words), ...omitUndefined({ step }) };
    left -= 1;
    if (left === 0) return;
  }
}

/** A word escaped as in JSON, and as in JSON within JSON, which is how calls contain their arguments. */
function listWrittenForms(word: string): readonly string[] {
  const once = JSON.stringify(word).slice(1, -1);
  return [once, JSON.stringify(once).slice(1, -1)];
}

function mayHold(text: string, words: readonly (readonly string[])[]): boolean {
  const lower = text.toLowerCase();
  return words.every((forms) => forms.some((form) => lower.includes(form)));
}

function hasAllWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

interface EventText extends Pick<RunSearchHit, "where" | "step"> {
  readonly text: string;
}

/** The searchable text of a line; undefined if it has none. Logs may come from anywhere, so nothing in them is trusted. */
function extractEventText(event: unknown): EventText | undefined {
  const step = getField(event, "step");
  const ofStep = typeof step === "number" ? { step } : {};
  switch (getField(event, "type")) {
    case "started": {
      const name = getField(getField(event, "profile"), "name");
      return { where: "task", text: collectTexts([`${name}:`, getField(event, "task")]).join(" ") };
    }
    case "replied": {
      const reply = getField(event, "reply");
      const isProposal = getField(reply, "kind") === "proposal";
      const parts = isProposal ? [getField(reply, "thoughts"), getField(reply, "call")] : getField(event, "text");
      return { where: "thoughts and command", text: collectTexts(parts).join("\n"), ...ofStep };
    }
    case "ended": {
      const { status: _status, source: _source, ...texts } = Object(getField(event, "outcome"));
      return { where: "outcome", text: collectTexts(texts).join("\n"), ...ofStep };
    }
    case "said":
      return getField(event, "by") === "user"
        ? { where: "words of the user", text: collectTexts(getField(event, "text")).join("") }
        : undefined;
    default:
      return undefined;
  }
}

function getField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** All non-empty texts in a JSON value. */
function collectTexts(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return value === "" ? [] : [String(value)];
  return Object.values(value).flatMap(collectTexts);
}

const BEFORE = 40;
const LONGEST = 160;

function cutExcerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)));
  const start = Math.max(0, first - BEFORE);
  const part = text
    .slice(start, start + LONGEST)
    .replace(/\s+/g, " ")
    .trim();
  return `${start > 0 ? "…" : ""}${part}${start + LONGEST < text.length ? "…" : ""}`;
}
