import { basename, join } from "node:path";
import { isObject, type Json, tryJson } from "../../core/base/json.ts";
import { readFileBytes } from "../../disk/plain-file.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { LOG_VERSION } from "../../schema/formats.ts";
import { readEvent } from "../../schema/readers.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { Restorer, replaceReferences } from "./deduplication.ts";
import {
  decodeLines,
  isTornLine,
  MOST_LOG_BYTES,
  parseDamagedLine,
  parseLineValue,
  readWholeLines,
} from "./log-lines.ts";
import { LOG_FILE } from "./run-log.ts";

/** Converts an event of one schema to the next. An event that needs no change is returned as it is. */
type Migration = (event: Json) => Json;

/**
 * The conversions of older events, by the schema they come from. Logs are migrated when they are read. The file is rewritten
 * only when the run is resumed, and the old one is kept next to it. The first schema is 1, so there is nothing older yet.
 */
const MIGRATIONS: ReadonlyMap<number, Migration> = new Map();

/** The migrations that a reader applies, and the resulting schema. */
export interface Migrations {
  readonly to: number;
  readonly steps: ReadonlyMap<number, Migration>;
}

export const TODAY: Migrations = { to: LOG_VERSION, steps: MIGRATIONS };

/** The schema in a log's first line; undefined if that line isn't the start of a run. */
export function findLogSchema(first: unknown): number | undefined {
  if (!isObject(first) || first.type !== "started") return undefined;
  return typeof first.schema === "number" && Number.isSafeInteger(first.schema) ? first.schema : undefined;
}

/** Converts an event of schema `from` to the current one. A value that can't be migrated is returned as it is. */
export function migrateEvent(value: unknown, from: number | undefined, { to, steps }: Migrations): unknown {
  if (from === undefined || from >= to || !isObject(value)) return value;
  let event: Json = value;
  for (let schema = from; schema < to; schema++) {
    const step = steps.get(schema);
    if (!step) return value;
    event = step(event);
  }
  return event.type === "started" ? { ...event, schema: to } : event;
}

/** The readable part of a log. */
export interface StoredLog {
  /** Numbered from 0 without gaps. A `lost` event marks missing ones. */
  readonly events: readonly AgentEvent[];
  /** Why nothing can be added to the log, as a sentence; undefined if the run can be resumed. */
  readonly readOnly?: Sentence;
  /** The log has an older schema and must be rewritten before anything is added. */
  readonly older: boolean;
  /** The last line is unfinished, because the program ended while it wrote. It's skipped, and nothing else is missing. */
  readonly torn: boolean;
}

/** The text of the log in a run's folder. Bytes that aren't valid UTF-8 mark their line as damaged. */
export async function readLogText(folder: string): Promise<string> {
  return decodeLines(await readFileBytes(join(folder, LOG_FILE), MOST_LOG_BYTES));
}

/** Reads the readable part of a run's log. Nothing is ever changed or deleted. */
export async function readLog(folder: string): Promise<StoredLog> {
  return parseLog(await readLogText(folder), TODAY, basename(folder));
}

/**
 * Parses the events in a log's text and skips damaged ones; an event of an unknown type isn't damaged. `id`: of the run, in case its start
 * is.
 */
export function parseLog(text: string, migrations: Migrations = TODAY, id = ""): StoredLog {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const torn = isTornLine(last);
  if (!torn && last !== "") lines.push(last);
  const schema = findLogSchema(parseLineValue(lines[0] ?? ""));
  const about = { older: schema !== undefined && schema < migrations.to, torn };
  const events: AgentEvent[] = [];
  const restorer = new Restorer();
  for (const line of lines) {
    const value = migrateEvent(restorer.unfold(parseLineValue(line)), schema, migrations);
    const event = readEvent(value, events.length);
    if (!event) {
      const readable = recoverEvents(lines, migrations, id);
      const readOnly = readable.length === 0 ? NO_START : explainDamage(value, events, lines.length);
      return { events: readable, readOnly, ...about };
    }
    events.push(event);
  }
  const newer = explainNewerSchema(events[0]);
  if (newer !== undefined) return { events, readOnly: newer, ...about };
  return events[0]?.type === "started" ? { events, ...about } : { events, readOnly: NO_START, ...about };
}

/** An object of a log that may be an event. */
interface Candidate {
  readonly value: Json;
  readonly seq: number;
  readonly line: number;
}

/** Higher numbers count as damaged. */
const MOST_EVENTS = 10_000_000;

/** Replaces a text whose first mention was in a damaged line. */
const LOST_TEXT = "(lost: the log is damaged)";

/** All events of a damaged log that can be read, in their order, with a `lost` event at each gap. */
function recoverEvents(lines: readonly string[], migrations: Migrations, id: string): readonly AgentEvent[] {
  const found = lines.flatMap(findCandidates);
  const schema = findLogSchema(found.find(({ seq }) => seq === 0)?.value);
  const events: AgentEvent[] = [];
  const addLostEvent = (count: number): void => {
    const at = events.at(-1)?.at;
    if (at !== undefined && count > 0) events.push({ seq: events.length, at, type: "lost", events: count });
  };
  const restorer = new Restorer();
  const read = (value: unknown, seq: number) => readEvent(migrateEvent(value, schema, migrations), seq);
  let next = 0;
  let lastLine = -1;
  for (const [index, { value, seq, line }] of found.entries()) {
    if (seq < next || (seq > next && (found[index + 1]?.seq ?? seq + 1) <= seq)) continue;
    if (seq > next) restorer.skip();
    const whole = restorer.unfold(value);
    const { folded } = value;
    const event = read(folded === true ? replaceReferences({ ...Object(whole), folded }, LOST_TEXT) : whole, seq);
    if (!event) continue;
    if (events.length === 0 && event.type !== "started") events.push(startInPlace(lines[0] ?? "", id, event.at));
    addLostEvent(seq - next);
    events.push({ ...event, seq: events.length });
    next = seq + 1;
    lastLine = line;
  }
  const known = new Set(["", ...lines.slice(0, lastLine + 1)]);
  addLostEvent(lines.slice(lastLine + 1).filter((line) => !known.has(line.trim())).length);
  return events;
}

function findCandidates(line: string, index: number): readonly Candidate[] {
  const whole = parseLineValue(line);
  const values = isObject(whole) ? [whole] : parseDamagedLine(line);
  return values.flatMap((value) =>
    typeof value.seq === "number" && Number.isSafeInteger(value.seq) && value.seq <= MOST_EVENTS
      ? [{ value, seq: value.seq, line: index }]
      : [],
  );
}

/** Replaces a start that is lost. It makes the run one that can be read and forked, and proves nothing. */
function startInPlace(line: string, id: string, at: string): AgentEvent {
  const [, task = '"The task was lost with a part of the log. Ask the user for it."'] =
    /"task":("(?:[^"\\]|\\.){1,20000}")/.exec(line) ?? [];
  return {
    seq: 0,
    at,
    type: "started",
    schema: LOG_VERSION,
    id,
    task: String(tryJson(task) ?? ""),
    profile: { name: "AutoGPT", role: "", goals: [] },
    directives: { constraints: [], resources: [], bestPractices: [] },
    rules: [],
    commands: [],
    mode: "ask",
    folder: "",
    os: "",
    machine: "",
    model: { smart: "", fast: "", contextWindow: 0 },
    limits: { steps: 0, tokens: 0, minutes: 0, usd: 0 },
  };
}

const NO_START = displayText("trouble.logWithoutStart");

function explainNewerSchema(first: AgentEvent | undefined): Sentence | undefined {
  return first?.type === "started" && first.schema > LOG_VERSION
    ? displayText("trouble.runFromNewerVersion")
    : undefined;
}

function explainDamage(value: unknown, events: readonly AgentEvent[], lines: number): Sentence {
  const newer = explainNewerSchema(events[0]);
  if (newer !== undefined) return newer;
  const what = value === undefined ? displayText("trouble.lineDamaged") : displayText("trouble.lineUnconnected");
  return displayText("trouble.logLineDamaged", { value: events.length + 1, lines, what });
}

/** Returns a reader for the lines of a log from its first one on. It returns undefined for a line that isn't the next event. */
export function createLineReader(): (line: string) => AgentEvent | undefined {
  const restorer = new Restorer();
  let count = 0;
  let schema: number | undefined;
  return (line) => {
    const value = parseLineValue(line);
    if (count === 0) schema = findLogSchema(value);
    const event = readEvent(migrateEvent(restorer.unfold(value), schema, TODAY), count);
    if (event) count += 1;
    return event;
  };
}

/** Returns the events that were added to the log of the run in a folder since the last call; the first call returns all. */
export function createLogFollower(folder: string): () => Promise<readonly AgentEvent[]> {
  const readLine = createLineReader();
  let bytes = 0;
  return async () => {
    const found: AgentEvent[] = [];
    for await (const { lines, bytes: end } of readWholeLines(join(folder, LOG_FILE), bytes)) {
      for (const line of lines) {
        const event = readLine(line);
        if (!event) return found;
        found.push(event);
      }
      bytes = end;
    }
    return found;
  };
}
