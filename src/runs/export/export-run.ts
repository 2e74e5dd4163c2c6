import { mapTexts } from "../../core/base/map-texts.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { storedEvent } from "../../schema/readers.ts";
import { makeSecrets } from "../log/secrets.ts";
import { runReport } from "./account.ts";
import { htmlOf } from "./html.ts";
import { markdownOf } from "./markdown.ts";
import { debugLogOf, type ExportedFile, fineTuningOf } from "./prompt-exports.ts";
import type { StepDiffs } from "./step-diffs.ts";

export type ExportFormat = "markdown" | "html" | "json" | "debugLog" | "fineTuning" | "fineTuningLasting";

/** The version of the JSON form. */
const VERSION = 1;

/** A run for others to read, without the user's keys, anything that looks like a secret, and the id of this machine. */
export function exportRun(
  events: readonly AgentEvent[],
  format: ExportFormat,
  keys: readonly string[] = [],
  diffs: StepDiffs = new Map(),
): readonly ExportedFile[] {
  const { redact } = makeSecrets(keys);
  const told = events.map((event) => withoutMachine(mapTexts(event, redact)));
  const changes = new Map([...diffs].map(([step, texts]) => [step, texts.map(redact)] as const));
  switch (format) {
    case "markdown":
      return [{ name: "run.md", text: markdownOf(runReport(told, changes)) }];
    case "html":
      return [{ name: "run.html", text: htmlOf(runReport(told, changes)) }];
    case "json":
      return [{ name: "run.json", text: jsonOf(told) }];
    case "debugLog":
      return debugLogOf(told);
    case "fineTuning":
      return [{ name: "run.jsonl", text: fineTuningOf(told) }];
    case "fineTuningLasting":
      return [{ name: "run.jsonl", text: fineTuningOf(told, "lasting") }];
  }
}

/** A problem report: a whole run and its environment, without secrets, the user's name and folders. It can be imported like a run. */
export function problemReport(
  events: readonly AgentEvent[],
  about: Readonly<Record<string, unknown>>,
  hidden: { readonly keys: readonly string[]; readonly folder: string; readonly home: string },
): string {
  const { redact } = makeSecrets(hidden.keys);
  const hide = (text: string): string =>
    [
      ["[folder]", hidden.folder],
      ["[home]", hidden.home],
    ].reduce(
      (told, [mark = "", path = ""]) => (path.length > 1 ? told.replaceAll(path, mark) : told),
      redact(text),
    );
  const told = events.map((event) => withoutMachine(mapTexts(event, hide)));
  return jsonOf(told, mapTexts(about, hide));
}

function jsonOf(events: readonly AgentEvent[], about?: object): string {
  const all = {
    format: "autogpt-run",
    version: VERSION,
    ...(about ? { about } : {}),
    events: events.map(storedEvent),
  };
  return `${JSON.stringify(all, null, 2)}\n`;
}

function withoutMachine(event: AgentEvent): AgentEvent {
  return event.type === "started" ? { ...event, machine: "exported" } : event;
}
