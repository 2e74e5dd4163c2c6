import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { jsonOf } from "./read-event.ts";
import { LOG_FILE } from "./run-log.ts";

/** A place in a run where all words of a query stand. */
export interface Found {
  readonly run: string;
  /** Absent for what belongs to no step. */
  readonly step?: number;
  readonly where: "task" | "thoughts and command" | "outcome" | "words of the user";
  /** One line around the first of the words. */
  readonly excerpt: string;
}

/** How many places of one run are given. */
const PER_RUN = 5;
/** So many logs are read at a time. */
const AT_ONCE = 16;

/** A run whose log is searched. */
interface Searched {
  readonly id: string;
  readonly folder: string;
}

/**
 * Looks through tasks, thoughts, commands, outcomes and what the user said, run after run in the order given, and yields what it finds at
 * once. The logs themselves are read, so that nothing can be out of date. Runs in which the words stand in a usual spelling come first, for
 * that can be told from the bytes alone; then those in which capitals stand elsewhere.
 */
export async function* searchRuns(
  runs: readonly Searched[],
  query: string,
  signal: AbortSignal,
): AsyncGenerator<Found> {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return;
  const spelt = words.map(spellings);
  const left: Searched[] = [];
  for await (const { run, bytes } of logsOf(runs, signal)) {
    if (spelt.every((ways) => ways.some((way) => bytes.includes(way)))) yield* foundIn(run.id, bytes, words);
    else left.push(run);
  }
  for await (const { run, bytes } of logsOf(left, signal)) yield* foundIn(run.id, bytes, words);
}

/** How a word may stand in a log: as it is, with a capital, in capitals; written as JSON writes it. */
function spellings(word: string): readonly Buffer[] {
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  const ways = new Set([word, capital, word.toUpperCase()]);
  return [...ways].map((way) => Buffer.from(JSON.stringify(way).slice(1, -1)));
}

/** The logs in the order of the runs, some of them read ahead. One that cannot be read is empty. */
async function* logsOf(
  runs: readonly Searched[],
  signal: AbortSignal,
): AsyncGenerator<{ readonly run: Searched; readonly bytes: Buffer }> {
  const read = ({ folder }: Searched) => readFile(join(folder, LOG_FILE)).catch(() => Buffer.alloc(0));
  const ahead = runs.slice(0, AT_ONCE).map(read);
  for (const [index, run] of runs.entries()) {
    if (signal.aborted) return;
    const bytes = await ahead.shift();
    const next = runs[index + AT_ONCE];
    if (next) ahead.push(read(next));
    if (bytes) yield { run, bytes };
  }
}

function* foundIn(run: string, bytes: Buffer, words: readonly string[]): Generator<Found> {
  const written = words.map((word) => JSON.stringify(word).slice(1, -1));
  const log = bytes.toString("utf8");
  if (!holdsAll(log, written)) return;
  let left = PER_RUN;
  for (const line of log.split("\n")) {
    if (!holdsAll(line, written)) continue;
    const told = textOf(jsonOf(line));
    if (!told || !holdsAll(told.text, words)) continue;
    const { text, where, step } = told;
    yield { run, where, excerpt: excerptOf(text, words), ...(step === undefined ? {} : { step }) };
    left -= 1;
    if (left === 0) return;
  }
}

function holdsAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

interface Told extends Pick<Found, "where" | "step"> {
  readonly text: string;
}

/** What of a line is searched; undefined for one that says nothing. Any log may be read, so nothing is taken on trust. */
function textOf(event: unknown): Told | undefined {
  const step = field(event, "step");
  const ofStep = typeof step === "number" ? { step } : {};
  switch (field(event, "type")) {
    case "started": {
      const name = field(field(event, "profile"), "name");
      return { where: "task", text: textsIn([`${name}:`, field(event, "task")]).join(" ") };
    }
    case "replied": {
      const reply = field(event, "reply");
      const isProposal = field(reply, "kind") === "proposal";
      const parts = isProposal ? [field(reply, "thoughts"), field(reply, "call")] : field(event, "text");
      return { where: "thoughts and command", text: textsIn(parts).join("\n"), ...ofStep };
    }
    case "ended": {
      const { status: _status, source: _source, ...texts } = Object(field(event, "outcome"));
      return { where: "outcome", text: textsIn(texts).join("\n"), ...ofStep };
    }
    case "said":
      return field(event, "by") === "user"
        ? { where: "words of the user", text: textsIn(field(event, "text")).join("") }
        : undefined;
    default:
      return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** All texts in a JSON value, the empty ones left out. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return value === "" ? [] : [String(value)];
  return Object.values(value).flatMap(textsIn);
}

const BEFORE = 40;
const LONGEST = 160;

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)));
  const start = Math.max(0, first - BEFORE);
  const part = text
    .slice(start, start + LONGEST)
    .replace(/\s+/g, " ")
    .trim();
  return `${start > 0 ? "…" : ""}${part}${start + LONGEST < text.length ? "…" : ""}`;
}
