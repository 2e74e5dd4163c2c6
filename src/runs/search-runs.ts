import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentEvent } from "../core/event.ts";
import { outcomeText } from "../core/outcome.ts";
import { isEvent, jsonOf } from "./read-event.ts";
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

/**
 * Looks through tasks, thoughts, commands, outcomes and what the user said, run after run in the order given, and yields what it finds at
 * once. The logs themselves are read, so that nothing can be out of date; only lines that can hold the words are parsed.
 */
export async function* searchRuns(
  runs: readonly { readonly id: string; readonly folder: string }[],
  query: string,
  signal: AbortSignal,
): AsyncGenerator<Found> {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return;
  for (const { id, folder } of runs) {
    if (signal.aborted) return;
    const log = await readFile(join(folder, LOG_FILE), "utf8").catch(() => "");
    let left = PER_RUN;
    for (const found of foundIn(id, log, words)) {
      yield found;
      left -= 1;
      if (left === 0) break;
    }
  }
}

function* foundIn(run: string, log: string, words: readonly string[]): Generator<Found> {
  const written = words.map((word) => JSON.stringify(word).slice(1, -1));
  if (!holdsAll(log, written)) return;
  for (const [seq, line] of log.split("\n").entries()) {
    if (!holdsAll(line, written)) continue;
    const event = jsonOf(line);
    if (!isEvent(event, seq)) continue;
    const told = textOf(event);
    if (!told || !holdsAll(told.text, words)) continue;
    const { text, where, step } = told;
    yield { run, where, excerpt: excerptOf(text, words), ...(step === undefined ? {} : { step }) };
  }
}

function holdsAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

interface Told extends Pick<Found, "where" | "step"> {
  readonly text: string;
}

/** What of an event is searched; undefined for those that say nothing. */
function textOf(event: AgentEvent): Told | undefined {
  switch (event.type) {
    case "started":
      return { where: "task", text: `${event.profile.name}: ${event.task}` };
    case "replied":
      return { where: "thoughts and command", text: replyText(event), step: event.step };
    case "ended":
      return { where: "outcome", text: outcomeText(event.outcome), step: event.step };
    case "said":
      return event.by === "user" ? { where: "words of the user", text: event.text } : undefined;
    default:
      return undefined;
  }
}

function replyText({ reply, text }: Extract<AgentEvent, { type: "replied" }>): string {
  if (reply.kind === "unreadable") return text;
  const { thoughts, call } = reply;
  return [...Object.values(thoughts), call.name, ...textsIn(call.args)]
    .filter((part) => part !== "")
    .join("\n");
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
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
