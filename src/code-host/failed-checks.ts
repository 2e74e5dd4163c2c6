import { join } from "node:path";
import { shortenOutput } from "../commands/shell/output-text.ts";
import { cutText, quoteAsData } from "../core/base/text.ts";
import { readFileText } from "../disk/plain-file.ts";
import type { CodeHost, FailedCheck, WorkflowJob } from "./code-host.ts";
import { cutEnd } from "./issue-text.ts";
import { findScriptLines, findStepCommands } from "./workflow-commands.ts";

/** A failed check with all that is known about its failure. */
export interface CheckFailure {
  readonly check: FailedCheck;
  /** The end of its log, or its service's own words; "" if there are none. */
  readonly text: string;
  /** The command lines of its failed steps, as the workflow in the workspace has them. */
  readonly commands: readonly string[];
  /** The file with the workflow, relative to the repository's root; "" if there is none. */
  readonly workflow: string;
}

const LONGEST_NAME = 100;
const MOST_WORKFLOW_BYTES = 500_000;

/** Reads what a failed check has printed, and finds the commands that failed. A check without a log has its service's words. */
export async function readCheckFailure(
  host: CodeHost,
  root: string,
  check: FailedCheck,
  signal: AbortSignal,
): Promise<CheckFailure> {
  if (check.job === undefined) return { check, text: check.summary, commands: [], workflow: "" };
  const job = await host.readJob(check.job, signal);
  const log = await host.readLog(check.job, signal);
  const isWorkflow = WORKFLOWS[job.kind].test(job.workflow);
  const workflow = isWorkflow ? await readFileText(join(root, job.workflow), MOST_WORKFLOW_BYTES).catch(() => "") : "";
  return {
    check,
    text: log === undefined ? check.summary : shortenOutput(selectFailedPart(log), true).text,
    commands: (job.kind === "gitlab" ? findScriptLines : findStepCommands)(workflow, job.failedSteps),
    workflow: job.workflow,
  };
}

/** Paths of the files with workflows, relative to the repository's root. GitLab's project names its own. */
const WORKFLOWS: Readonly<Record<WorkflowJob["kind"], RegExp>> = {
  github: /^\.github\/workflows\/[\w.-]+\.ya?ml$/,
  gitlab: /^(?:(?!\.\.?\/)[\w.-]+\/){0,9}[\w.-]+\.ya?ml$/,
};

/** A time at the beginning of a line; on GitLab with the line's stream. */
const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z(?: \d\d[OE]\+?)? ?/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colors of terminals begin with this character
const COLOR = /\u001b\[[\d;]*[mK]/g;
/** GitLab's marks at the beginning and the end of a part. */
const SECTION = /section_(?:start|end):\d+:[\w.-]+(?:\[[^\]\r]*\])?\r?/g;

/** The part of a job's log around its first error: the group of the step that failed, without times and colors. */
export function selectFailedPart(log: string): string {
  const lines = log.split(/\r?\n/).map((line) => line.replace(TIME, "").replace(COLOR, ""));
  const script = lines.findIndex((line) => /section_start:\d+:(?:step|build)_script\b/.test(line));
  if (script !== -1) return selectScriptPart(lines.slice(script));
  const error = lines.findIndex((line) => line.startsWith("##[error]"));
  if (error === -1) return lines.join("\n").trim();
  const start = lines.findLastIndex((line, at) => at < error && line.startsWith("##[group]Run "));
  const after = lines.findIndex((line, at) => at > error && /^(?:##\[group\]|Post job cleanup\.)/.test(line));
  const part = lines.slice(Math.max(0, start), after === -1 ? undefined : after);
  return part
    .filter((line) => !line.startsWith("##[endgroup]"))
    .map((line) => line.replace(/^##\[(?:group|error)\]/, ""))
    .join("\n")
    .trim();
}

/** The output of GitLab's script, and the runner's last word. */
function selectScriptPart(lines: readonly string[]): string {
  const end = lines.findIndex((line) => /section_end:\d+:(?:step|build)_script\b/.test(line));
  const last = lines.findLast((line) => line.startsWith("ERROR: ")) ?? "";
  const part = [...lines.slice(0, end === -1 ? undefined : end), last];
  return part
    .map((line) => line.replace(SECTION, ""))
    .join("\n")
    .trim();
}

const LONGEST_COMMANDS = 4_000;

/**
 * The task of a run that repairs failed checks. Logs and commands are others' text: they are quoted, logs with the check's address as the
 * source.
 */
export function composeRepairTask(failures: readonly CheckFailure[]): string {
  const commands = [...new Set(failures.flatMap((failure) => failure.commands))];
  const ask =
    commands.length > 0
      ? "The commands that failed there are quoted below, too. Run the same commands here until they pass. Values that only the server has, in ${{ … }} or $CI_…, may need something in their place."
      : "Find the command that failed in the log or in the workflow, and run it here until it passes.";
  const workflows = [...new Set(failures.filter((one) => one.commands.length > 0).map(({ workflow }) => workflow))];
  const quoted = quoteAsData(cutEnd(commands.join("\n\n"), LONGEST_COMMANDS), workflows.join(", "));
  const blocks = failures.map(({ check, text }, at) => {
    const shown = text === "" ? "It has no log that can be read." : text;
    const named = `Check: ${cutText(check.name, LONGEST_NAME)}\n\n${shown}`;
    return `@check:${at + 1}:\n${quoteAsData(named, check.address.replace(/\s/g, ""))}`;
  });
  return [
    `Repair the failed ${failures.length === 1 ? "check" : "checks"} of the last commit, quoted below.`,
    ask,
    "Repair the cause: don't skip or weaken tests, and don't change the workflow unless it's the cause. Don't commit or push.",
    ...(commands.length > 0 ? [`@workflow:commands:\n${quoted}`] : []),
    ...blocks,
  ].join("\n\n");
}
