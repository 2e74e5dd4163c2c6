import { tryJson } from "../../core/base/json.ts";
import { findNearestName, formatQuantity } from "../../core/base/text.ts";
import { sha256 } from "../../disk/sha256.ts";
import { selectSentSettings } from "../../fleet/parcel.ts";
import { type BatchTask, BatchTaskSchema, MOST_WAYS } from "../../schema/fleet/batches.ts";
import { isBatchTask } from "../../schema/host-validators.ts";
import { explainInvalidSetting, isSettingName } from "../../schema/read-settings.ts";
import { UsageError } from "../usage-error.ts";

/** One way to do one task. */
export interface BatchAttempt {
  /** The line of its task, and its number among the ways: `12.1`. */
  readonly key: string;
  readonly line: number;
  readonly way: number;
  readonly name: string;
  readonly task: string;
  /** Real path of the folder that is sent. */
  readonly folder: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Values for tasks that don't say otherwise. */
export interface TaskDefaults {
  readonly ways: number | undefined;
  readonly models: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** The real path of a folder that can be sent; undefined: the usual one. Throws a sentence. */
  resolveFolder(path: string | undefined): Promise<string>;
}

const MOST_BYTES = 64_000_000;
/** Bad lines that are named. */
const MOST_NAMED = 10;

/** Reads the tasks of a file, one JSON object a line. Throws a `UsageError` that names the bad lines. */
export async function readAttempts(
  source: string,
  stream: AsyncIterable<Buffer | string>,
  defaults: TaskDefaults,
): Promise<readonly BatchAttempt[]> {
  const attempts: BatchAttempt[] = [];
  const bad: string[] = [];
  const [tasks, names] = [new Map<string, number>(), new Map<string, number>()];
  let number = 0;
  for await (const text of readTextLines(source, stream)) {
    number += 1;
    if (text.trim() === "") continue;
    try {
      const line = parseTaskLine(text);
      const folder = await defaults.resolveFolder(line.repository);
      const made = expandTask(line, number, folder, defaults);
      demandNew(tasks, sha256(JSON.stringify(made.map(({ task, settings }) => [task, folder, settings]))), number);
      demandNew(names, line.name ?? `line ${number}`, number);
      attempts.push(...made);
    } catch (error) {
      bad.push(`  line ${number}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (bad.length > 0) throw new UsageError(describeBadLines(source, bad));
  if (attempts.length === 0)
    throw new UsageError(`${source} has no task. Write one JSON object a line, as in {"task": "Update the license."}.`);
  return attempts;
}

/** The hash of all tasks, by which a batch is recognized when it's continued. */
export function hashAttempts(attempts: readonly BatchAttempt[]): string {
  return sha256(
    attempts.map(({ key, task, folder, settings }) => JSON.stringify([key, task, folder, settings])).join("\n"),
  );
}

function describeBadLines(source: string, bad: readonly string[]): string {
  const more = bad.length - MOST_NAMED;
  return [
    `${source} can't be used, so nothing was sent:`,
    ...bad.slice(0, MOST_NAMED),
    ...(more > 0 ? [`  and ${formatQuantity(more, "more line")}`] : []),
  ].join("\n");
}

function demandNew(known: Map<string, number>, key: string, number: number): void {
  const before = known.get(key);
  known.set(key, before ?? number);
  if (before !== undefined)
    throw new Error(`it has the task or the name of line ${before}. For several attempts at one task, write "ways".`);
}

/** The lines of a stream, without a byte order mark and carriage returns. */
async function* readTextLines(source: string, stream: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let bytes = 0;
  let rest = "";
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new UsageError(`${source} has more than 64 MB. Split it into several batches.`);
    // An older PowerShell writes UTF-16.
    if (typeof chunk !== "string")
      decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? "utf-16le" : "utf-8");
    const text = typeof chunk === "string" ? chunk : (decoder?.decode(chunk, { stream: true }) ?? "");
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.replace(/\r$/, "");
  }
  if (rest !== "") yield rest.replace(/\r$/, "");
}

/** Throws a sentence that goes on after the number of the line. */
function parseTaskLine(text: string): BatchTask {
  const line = tryJson(text.replace(/^\uFEFF/, ""));
  if (typeof line !== "object" || line === null || Array.isArray(line))
    throw new Error('it isn\'t a JSON object. Write it like {"task": "Update the license."}.');
  const names = Object.keys(BatchTaskSchema.properties);
  const stranger = Object.keys(line).find((name) => !names.includes(name));
  if (stranger !== undefined) {
    const near = findNearestName(stranger, names);
    throw new Error(
      `"${stranger}" means nothing here. ${near ? `Did you mean "${near}"?` : `Known are: ${names.join(", ")}.`}`,
    );
  }
  if (!isBatchTask(line))
    throw new Error(
      `"task" and "name" (one line, at most 80 characters) are texts, "repository" is the path of a folder, "ways" is a number from 1 to ${MOST_WAYS}, "models" is a list of names, and "settings" is an object.`,
    );
  for (const [name, value] of Object.entries(line.settings ?? {})) checkSetting(name, value);
  return line;
}

function checkSetting(name: string, value: unknown): void {
  if (!isSettingName(name)) throw new Error(`there is no setting ${name}.`);
  if (Object.keys(selectSentSettings([[name, value]])).length === 0)
    throw new Error(
      `the setting ${name} isn't sent: the machine that works has its own. A task takes the model and limits.`,
    );
  const why = explainInvalidSetting(name, value);
  if (why !== undefined) throw new Error(why);
}

function expandTask(line: BatchTask, number: number, folder: string, defaults: TaskDefaults): readonly BatchAttempt[] {
  const { task, name = `line ${number}` } = line;
  const models = line.models ?? (line.settings?.["model.smart"] === undefined ? defaults.models : []);
  const ways = line.ways ?? defaults.ways ?? Math.max(1, models.length);
  return Array.from({ length: ways }, (_, at): BatchAttempt => {
    const model = models[at % models.length];
    const ofWay = model === undefined ? {} : { "model.smart": model };
    const settings = { ...defaults.settings, ...line.settings, ...ofWay };
    return { key: `${number}.${at + 1}`, line: number, way: at + 1, name, task: task.trim(), folder, settings };
  });
}
