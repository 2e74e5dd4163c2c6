import { mapTexts } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { convertToStoredEvent } from "../../schema/readers.ts";
import { makeSecrets } from "../log/secrets.ts";
import { createRunReport } from "./account.ts";
import { renderRunHtml } from "./html.ts";
import { renderRunMarkdown } from "./markdown.ts";
import { createDebugLog, type ExportedFile, formatTrainingExamples } from "./prompt-exports.ts";
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
  const told = events.map((event) => hideMachine(mapTexts(event, redact)));
  const changes = new Map([...diffs].map(([step, texts]) => [step, texts.map(redact)] as const));
  switch (format) {
    case "markdown":
      return [{ name: "run.md", text: renderRunMarkdown(createRunReport(told, changes)) }];
    case "html":
      return [{ name: "run.html", text: renderRunHtml(createRunReport(told, changes)) }];
    case "json":
      return [{ name: "run.json", text: formatEventsJson(told) }];
    case "debugLog":
      return createDebugLog(told);
    case "fineTuning":
      return [{ name: "run.jsonl", text: formatTrainingExamples(told) }];
    case "fineTuningLasting":
      return [{ name: "run.jsonl", text: formatTrainingExamples(told, "lasting") }];
  }
}

/** A problem report: a whole run and its environment, without secrets, the user's name and folders. It can be imported like a run. */
export function createProblemReport(
  events: readonly AgentEvent[],
  about: Readonly<Record<string, unknown>>,
  hidden: { readonly keys: readonly string[]; readonly folder: string; readonly home: string },
): string {
  const { redact } = makeSecrets(hidden.keys);
  const hide = (text: string): string =>
    [
      ["[folder]", hidden.folder],
      ["[home]", hidden.home],
    ].reduce((told, [mark = "", path = ""]) => (path.length > 1 ? told.replaceAll(path, mark) : told), redact(text));
  const told = events.map((event) => hideMachine(mapTexts(event, hide)));
  return formatEventsJson(told, mapTexts(about, hide));
}

function formatEventsJson(events: readonly AgentEvent[], about?: object): string {
  const all = {
    format: "autogpt-run",
    version: VERSION,
    ...omitUndefined({ about }),
    events: events.map(convertToStoredEvent),
  };
  return `${JSON.stringify(all, null, 2)}\n`;
}

function hideMachine(event: AgentEvent): AgentEvent {
  return event.type === "started" ? { ...event, machine: "exported" } : event;
}
