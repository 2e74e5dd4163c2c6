import type { BackgroundProcess, ProcessOutput } from "../../core/ports/programs.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { formatByteSize } from "../units.ts";

/** The schema of an argument that names a background process. */
export const PROCESS = {
  type: "integer",
  minimum: 1,
  description: "Its number.",
} as const;

/** Older and other names of this argument. */
export const PROCESS_ALIASES: Readonly<Record<string, string>> = {
  id: "process",
  pid: "process",
  process_id: "process",
};

/** State of a process, as a clause without subject. */
export function describeProcessState({ state, code }: BackgroundProcess): string {
  if (state === "running") return "is running";
  if (state === "stopped") return "was stopped";
  return code === undefined ? "was killed" : `ended with exit code ${code}`;
}

/** State of a process and its new output. */
export function describeProcessNews({ process, text, skipped }: ProcessOutput): string {
  const left =
    skipped > 0
      ? `[${formatByteSize(skipped)} before this are left out. Read all of it with read_file, filename "output:${process.step}".]\n`
      : "";
  return `It ${describeProcessState(process)}.\n${left}${text.trimEnd() || "It printed nothing since it was last read."}`;
}

/** The port that a server says it listens on. */
const PORT = /\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})\b|\bport:? (\d{2,5})\b/i;

/** A process that was just started, for people. */
export function summarizeStartedProcess({ id, state, code }: BackgroundProcess, output: string): DisplayText {
  if (state !== "running") return summarizeEndedProcess(code);
  const [, first, port = first] = PORT.exec(output) ?? [];
  if (port === undefined) return displayText("timeline.process", { id: `${id}` });
  return displayText("results.processOnPort", { id: `${id}`, port });
}

/** How a process came to its end, for people. */
export function summarizeEndedProcess(code: number | undefined): DisplayText {
  return code === undefined ? displayText("timeline.killed") : displayText("results.processEnded", { code: `${code}` });
}

/** The new output of a process, for people. */
export function summarizeProcessNews({ process: { state, code }, text }: ProcessOutput): DisplayText {
  if (state === "stopped") return displayText("results.processStopped");
  if (state === "ended") return summarizeEndedProcess(code);
  const lines = text.trimEnd();
  if (lines === "") return displayText("results.processRunning");
  return displayText("results.processLines", { count: lines.split("\n").length });
}

/** The summary of a call about a process that doesn't exist. */
export const NO_PROCESS: DisplayText = displayText("results.noProcess");

/** A sentence for a process that doesn't exist. */
export function explainMissingProcess(id: number, all: readonly BackgroundProcess[]): string {
  const numbers = all.map((process) => process.id).join(", ");
  return `There is no process ${id}. ${numbers === "" ? "None was started since this run was last opened." : `There are: ${numbers}.`}`;
}

/** Reason why there are no background processes. */
export const NO_PROCESSES = "Shell commands are turned off (autogpt.shell.enabled).";
