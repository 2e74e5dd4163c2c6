import { assertNever } from "../../core/base/errors.ts";
import { formatQuantity } from "../../core/base/text.ts";
import type { Caption, RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { type CommandOutputs, OLD_POWERSHELL, type Shell, type ShellResult } from "../../core/ports/programs.ts";
import type { TestReports } from "../../core/ports/tests.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { type DisplayText, displayText, writeInEnglish } from "../../texts/display-text.ts";
import type { TextParameter } from "../../texts/writer.ts";
import { type Args, FOLDER_ALIASES, getRequiredText } from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { describeFailedTests } from "../tests/failed-tests.ts";
import { formatByteSize } from "../units.ts";
import { type OutputText, shortenOutput, summarizeTests } from "./output-text.ts";

/** Dependencies of running command lines. */
export interface ShellDependencies {
  readonly workspace: Workspace;
  /** Absent when the user has turned the shell off. */
  readonly shell?: Shell | undefined;
  readonly outputs?: CommandOutputs | undefined;
  /** Default time limit. */
  readonly shellTimeoutSeconds?: number | undefined;
  readonly reports?: TestReports | undefined;
}

export const DEFAULT_SECONDS = 120;

/** The schema of an argument that limits the time. */
export const TIMEOUT_SECONDS = { type: "integer", minimum: 1, maximum: 3600 } as const;

/** A command line with its folder and time limit. */
export interface ShellLine {
  readonly text: string;
  /** Real path. */
  readonly cwd: string;
  /** Its name for people; absent for the workspace folder. */
  readonly folder?: string;
  readonly seconds: number;
}

/** True while the shown folder still exists. */
export async function isStillThere(workspace: Workspace, { path }: ResolvedPath): Promise<boolean> {
  const now = await workspace.locate(path).catch(() => undefined);
  return now?.path === path && now.kind === "folder";
}

/** In larger outputs, only the beginning and the end are searched for failures. */
const SEARCHED_BYTES = 5_000_000;

/** Describes an output in place of `shortenOutput`; undefined lets `shortenOutput` describe it. */
export type DescribeOutput = (output: string, hasFailed: boolean) => Promise<OutputText | undefined>;

/** In place of what PowerShell 5.1 lacks. */
export const WITHOUT_CHAINS =
  "This version has no && and ||: join commands with ; instead, or as a; if ($?) { b } where b needs a to succeed.";
/** The name of its error, in any language. */
const NO_CHAIN = /\bInvalidEndOfLine\b/;

/** Runs a command line to its end and returns its outcome. */
export async function runLine(
  { shell, outputs, reports }: Pick<ShellDependencies, "outputs" | "reports"> & { readonly shell: Shell },
  { text, cwd, seconds, folder = "." }: ShellLine,
  { step, signal, output, harmlessIn, approvedByUser }: RunContext,
  describe?: DescribeOutput,
): Promise<Outcome> {
  const options = {
    cwd,
    step,
    timeoutSeconds: seconds,
    signal,
    reportOutput: output,
    harmlessIn,
    approvedByUser,
  };
  const result = await shell.run(text, options);
  const isSearched = result.file !== undefined && result.bytes <= SEARCHED_BYTES;
  const whole = (isSearched ? await outputs?.read(step) : undefined) ?? result.output;
  const hasFailed = result.ended !== "exit" || result.code !== 0;
  const shown = (await describe?.(whole, hasFailed)) ?? shortenOutput(whole, hasFailed);
  const lacksChains = shell.version === OLD_POWERSHELL && result.code !== 0 && NO_CHAIN.test(result.output);
  const notes = [...(result.notes ?? []), ...(lacksChains ? [WITHOUT_CHAINS] : [])];
  const report = [shown.text, ...listResultNotes({ ...result, notes }, shown.isCut, step)]
    .filter((part) => part !== "")
    .join("\n");
  switch (result.ended) {
    case "exit": {
      const summary = shown.summary ?? summarizeTests(whole);
      const done = createSuccess(`${describeExit(result)}\n${report || "It printed nothing."}`, summary);
      if (result.code === 0) return done;
      const isOfTests = summary?.code === "timeline.testsFailed";
      const failures = shown.failures ?? (isOfTests ? await reports?.readFailures(whole).catch(() => []) : undefined);
      const failedTests = describeFailedTests(failures ?? [], { path: cwd, label: folder });
      return { ...done, exitCode: result.code ?? null, ...(failedTests.length > 0 ? { failedTests } : {}) };
    }
    case "timeout":
      return createFailure(
        `It was ended after ${formatQuantity(seconds, "second")} and may have done a part of its work. Give more timeout_seconds, run something shorter, or start it with execute_shell_popen.\n${report}`.trimEnd(),
        displayText("timeline.timedOut", { seconds }),
      );
    case "stopped":
      return createFailure(
        `The user stopped it; it may have done a part of its work.\n${report}`.trimEnd(),
        displayText("timeline.stoppedByUser"),
      );
    case "closed":
      return createFailure(
        `The terminal it ran in was closed, which ended it; it may have done a part of its work. Ask the user before you run it again.\n${report}`.trimEnd(),
        displayText("timeline.terminalClosed"),
      );
    case "failed":
      return createFailure(report);
    default:
      return assertNever(result.ended);
  }
}

/** How, where and for how long a line runs: in sentences, and for its card. */
export interface LinePlace {
  readonly text: string;
  readonly captions: readonly Caption[];
}

/** Where and for how long a line runs, for its card. `how` begins the sentence, and `by` names the program that runs the line. */
export function describeLinePlace(
  shell: Shell,
  line: string,
  { how, by, folder, seconds }: { how: string; by: TextParameter; folder: ResolvedPath; seconds: number },
): LinePlace {
  const limit: Caption = {
    sentence: `${how}, for ${formatQuantity(seconds, "second")} at most.`,
    shown: displayText("approval.place", { folder: formatFolderName(folder), by, seconds }),
  };
  const approved = shell.describeApprovedPlace?.(line);
  const captions = [
    limit,
    ...(approved ? [{ ...createCaption(approved.place), once: true } as const] : []),
    ...(approved?.remark ? [createCaption(approved.remark)] : []),
  ];
  return { text: captions.map(({ sentence }) => sentence).join(" "), captions };
}

function createCaption(shown: DisplayText): Caption {
  return { sentence: writeInEnglish(shown), shown };
}

/** Formats a folder for a card, quoted if its name could be mistaken for the caption's own words. */
export function formatFolderName({ label, path }: Pick<ResolvedPath, "label" | "path">): string {
  const name = label === "." ? (path.split(/[\\/]/).findLast((part) => part !== "") ?? path) : label;
  return /^[\p{L}\p{N}._~@+\\/:-]+$/u.test(name) ? name : JSON.stringify(name);
}

function describeExit({ code, seconds = 0 }: ShellResult): string {
  const time = seconds < 1 ? "" : ` after ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  return code === undefined ? `It was killed${time}.` : `Exit code ${code}${time}.`;
}

function listResultNotes(
  { file, bytes, leftBehind, notes: more = [] }: ShellResult,
  isCut: boolean,
  step: number,
): readonly string[] {
  return [
    file === undefined && !isCut
      ? ""
      : `[It printed ${formatByteSize(bytes)}. Read all of it with read_file, filename "output:${step}".]`,
    leftBehind === undefined
      ? ""
      : `[It left ${formatQuantity(leftBehind, "process", "processes")} running in the background; ${leftBehind === 1 ? "it was" : "they were"} ended.]`,
    ...more.map((note) => `[${note}]`),
  ];
}

/** The schemas of a command line and of the folder to run it in. */
export const LINE_ARGUMENTS = {
  command_line: { type: "string", minLength: 1 },
  folder: { type: "string" },
} as const;

/** Older and other names of these arguments. */
export const LINE_ALIASES: Readonly<Record<string, string>> = {
  ...FOLDER_ALIASES,
  command: "command_line",
  cmd: "command_line",
  cwd: "folder",
  working_directory: "folder",
};

/** Reads the command line, or returns an outcome if it isn't valid. */
export function readCommandLineArgument(args: Args): string | Outcome {
  const line = getRequiredText(args, "command_line");
  if (line.trim() === "") return createFailure("The command line is empty. Say what to run.");
  return line.includes("\0") ? createFailure("The command line contains a NUL character. Leave it out.") : line;
}
