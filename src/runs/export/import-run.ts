import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { convertToStoredEvent, readEvent } from "../../schema/readers.ts";
import { fail } from "../../texts/display-text.ts";
import { isTooDeep } from "../log/log-lines.ts";
import { LOG_FILE } from "../log/run-log.ts";
import { createRunId, getRunsFolder, isRunId } from "../store/run-folder.ts";

/** The limit for an exported run. */
const MAX_BYTES = 200 * 1024 * 1024;

/** The events of an exported run, or of a problem report. Throws a sentence if the text is neither. */
export function readExported(text: string): readonly AgentEvent[] {
  if (text.length > MAX_BYTES) fail("trouble.importTooLarge");
  const value = tryJson(text);
  if (!isExport(value)) fail("trouble.importNoRun");
  if (value.version !== 1) fail("trouble.importFromNewerVersion");
  const events: AgentEvent[] = [];
  for (const found of value.events) {
    const event = isTooDeep(found) ? undefined : readEvent(found, events.length);
    if (!event) fail("trouble.importEventDamaged", { value: events.length + 1, length: value.events.length });
    events.push(event);
  }
  if (events[0]?.type !== "started") fail("trouble.importWithoutStart");
  return events;
}

function isExport(value: unknown): value is { readonly version: unknown; readonly events: readonly unknown[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "format" in value &&
    value.format === "autogpt-run" &&
    "version" in value &&
    "events" in value &&
    Array.isArray(value.events)
  );
}

/** The machine id of an imported run. */
const IMPORTED = "imported";

/** Stores an exported run in an `.autogpt` folder, and returns its id. An imported run can be read and forked. */
export async function importRun(home: string, text: string): Promise<string> {
  const [started, ...rest] = readExported(text);
  if (started?.type !== "started") fail("trouble.importWithoutStart");
  const known = await readdir(getRunsFolder(home)).catch((): string[] => []);
  const isFree = isRunId(started.id) && !known.includes(started.id);
  const id = isFree ? started.id : createRunId(started.profile.name, new Date(started.at));
  const folder = join(getRunsFolder(home), id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const events = [{ ...started, id, machine: IMPORTED }, ...rest];
  const lines = events.map((event) => `${JSON.stringify(convertToStoredEvent(event))}\n`).join("");
  await writeFile(join(folder, LOG_FILE), lines, { flag: "wx", mode: 0o600 });
  return id;
}
