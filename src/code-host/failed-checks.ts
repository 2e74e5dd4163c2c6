import { join } from "node:path";
import { parse } from "yaml";
import { shortenOutput } from "../commands/shell/output-text.ts";
import { isObject } from "../core/base/json.ts";
import { cutText, quoteAsData } from "../core/base/text.ts";
import { readFileText } from "../disk/plain-file.ts";
import type { CodeHost, FailedCheck } from "./code-host.ts";
import { cutEnd } from "./issue-text.ts";

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
  const isWorkflow = /^\.github\/workflows\/[\w.-]+\.ya?ml$/.test(job.workflow);
  const workflow = isWorkflow ? await readFileText(join(root, job.workflow), MOST_WORKFLOW_BYTES).catch(() => "") : "";
  return {
    check,
    text: log === undefined ? check.summary : shortenOutput(selectFailedPart(log), true).text,
    commands: findStepCommands(workflow, job.failedSteps),
    workflow: job.workflow,
  };
}

const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ?/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colors of terminals begin with this character
const COLOR = /\u001b\[[\d;]*m/g;

/** The part of a job's log around its first error: the group of the step that failed, without times and colors. */
export function selectFailedPart(log: string): string {
  const lines = log.split(/\r?\n/).map((line) => line.replace(TIME, "").replace(COLOR, ""));
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

/** The `run:` lines of a workflow's steps with these names. A step without a name is called after its first line. */
export function findStepCommands(workflow: string, names: readonly string[]): readonly string[] {
  const wanted = new Set(names);
  const found = listSteps(workflow).flatMap(({ name, run }) => {
    if (typeof run !== "string") return [];
    const called = typeof name === "string" ? name : `Run ${run.trim().split("\n")[0] ?? ""}`;
    return wanted.has(called) ? [run.trim()] : [];
  });
  return [...new Set(found)];
}

/** The steps of all jobs; none if it isn't a workflow. */
function listSteps(workflow: string): readonly { readonly name?: unknown; readonly run?: unknown }[] {
  const read = parseWorkflow(workflow);
  const jobs = isObject(read) && isObject(read.jobs) ? Object.values(read.jobs) : [];
  return jobs.flatMap((job) => (isObject(job) && Array.isArray(job.steps) ? job.steps.filter(isObject) : []));
}

function parseWorkflow(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch {
    return undefined;
  }
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
      ? "The commands that failed there are quoted below, too. Run the same commands here until they pass. Values that only the server has, in ${{ … }}, may need something in their place."
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
