import { findNearestName, formatQuantity } from "../../core/base/text.ts";
import { type Caption, type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Shell } from "../../core/ports/programs.ts";
import type { EditorTask, TaskLine, Tasks } from "../../core/ports/tasks.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import { type DisplayText, displayText, writeInEnglish } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, FILENAME, FOLDER, getNumberArgument, getTextArgument } from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import {
  type DescribeOutput,
  formatFolderName,
  runLine,
  type ShellDependencies,
  TIMEOUT_SECONDS,
} from "../shell/run-line.ts";

/** Dependencies of running the editor's tasks. */
export interface TaskDependencies extends ShellDependencies {
  readonly tasks?: Tasks | undefined;
  /** A sandbox confines command lines. */
  readonly sandboxed?: boolean | undefined;
  /** The user doesn't want command lines in a terminal. */
  readonly withoutTerminal?: boolean | undefined;
}

/** The same with the parts that run a task. */
export interface ReadyTasks extends TaskDependencies {
  readonly shell: Shell;
  readonly tasks: Tasks;
}

/** Default time limit, unless the user's for command lines is longer. */
const TASK_SECONDS = 600;

const OFF = "Shell commands are turned off (autogpt.shell.enabled).";
const NO_TASKS = "Tasks are VS Code's, and this run isn't in VS Code. Use execute_shell.";

/** Runs one of the editor's tasks to its end. */
export function runTask(parts: TaskDependencies): Command {
  return {
    name: "run_task",
    aliases: ["execute_task", "vscode_task", "run_vscode_task"],
    category: "shell",
    effect: "run",
    traits: {
      titles: [{ code: "RunTask", text: "name" }, { code: "ListTasks" }],
      question: { code: "runTask" },
      rank: 130,
      keepsOutput: true,
      needsEditor: true,
      mayRunExtensions: true,
      runsTypedLine: true,
    },
    description: "Runs a VS Code task (tasks.json, npm scripts) to its end. Without a name it lists the tasks.",
    parameters: createObjectSchema({ name: FILENAME, folder: FOLDER, timeout_seconds: TIMEOUT_SECONDS }),
    argumentAliases: {
      task: "name",
      task_name: "name",
      label: "name",
      input: "name",
      directory: "folder",
      workspace_folder: "folder",
      timeout: "timeout_seconds",
    },
    withheld: () => (parts.shell ? (parts.tasks ? undefined : NO_TASKS) : OFF),
    prepare: (args) => prepare(parts, args),
  };
}

async function prepare(parts: TaskDependencies, args: Args): Promise<PreparedCall | Outcome> {
  const { shell, tasks, shellTimeoutSeconds = 0 } = parts;
  if (!shell || !tasks) return createFailure(shell ? NO_TASKS : OFF);
  const name = getTextArgument(args, "name");
  const all = await tasks.list();
  if (name === undefined)
    return createPreparedCall("none", "List the tasks.", async () =>
      createSuccess(renderTasks(all), summarizeTaskCount(all)),
    );
  const task = findTaskByName(name, getTextArgument(args, "folder"), all);
  if (typeof task === "string") return createFailure(task);
  const seconds = getNumberArgument(args, "timeout_seconds") ?? Math.max(shellTimeoutSeconds, TASK_SECONDS);
  return prepareTaskCall({ ...parts, shell, tasks }, task, seconds);
}

/** A call that runs a task; `describe` reads its output. */
export async function prepareTaskCall(
  parts: ReadyTasks,
  task: EditorTask,
  seconds: number,
  describe?: (cwd: string) => Promise<DescribeOutput>,
): Promise<PreparedCall | Outcome> {
  if (task.isBackground) return createFailure(explainBackgroundTask(task));
  const { runs } = task;
  return "why" in runs
    ? prepareHiddenTask(parts, task, runs.why, seconds, describe)
    : prepareLineTask(parts, task, runs, seconds, describe);
}

/** A task whose line is known is judged as if the line were typed. */
async function prepareLineTask(
  { workspace, shell, outputs, tasks, sandboxed = false, withoutTerminal = false }: ReadyTasks,
  task: EditorTask,
  { text: line, cwd }: TaskLine,
  seconds: number,
  describe: ((cwd: string) => Promise<DescribeOutput>) | undefined,
): Promise<PreparedCall | Outcome> {
  const place = await workspace.locate(cwd);
  if (place.kind !== "folder")
    return createFailure(`The task "${task.name}" runs in "${place.label}", and there is no such folder.`);
  const isClean = sandboxed || withoutTerminal;
  const captions = createTaskCaptions(
    { task, shell, place, seconds, isClean },
    isClean ? undefined : tasks.describeEnvironment?.(),
  );
  return createPreparedCall(
    "run",
    `${line}\n\n${captions.map(({ sentence }) => sentence).join(" ")}`,
    async (running) => {
      // Only what a person approved by hand gets the environment of the user's terminals.
      const isShown = running.approvedByUser === true && !isClean;
      const runner: Shell = isShown ? { name: shell.name, run: (_line, options) => tasks.run(task, options) } : shell;
      const shown = { text: line, cwd: place.path, seconds };
      return runLine({ shell: runner, outputs }, shown, running, await describe?.(place.path));
    },
    { shell: line, captions, cwd: place.path, fresh: () => isUnchanged(tasks, task) },
  );
}

/** Describes which task it is, how it runs, and anything else that the user should know. */
function createTaskCaptions(
  {
    task,
    shell,
    place,
    seconds,
    isClean,
  }: {
    readonly task: EditorTask;
    readonly shell: Shell;
    readonly place: ResolvedPath;
    readonly seconds: number;
    readonly isClean: boolean;
  },
  remark: DisplayText | undefined,
): readonly Caption[] {
  const terminal = isClean ? "" : ", in a terminal whose environment it sees";
  const facts = { folder: formatFolderName(place), by: shell.name, seconds };
  return [
    {
      sentence: `Task ${formatTaskName(task)}.`,
      shown: displayText("approval.taskNamed", { task: formatTaskName(task) }),
    },
    {
      sentence: `Runs with ${shell.name} in ${place.path}${terminal}, for ${formatQuantity(seconds, "second")} at most.`,
      shown: displayText(isClean ? "approval.place" : "approval.placeTerminal", facts),
    },
    ...(remark ? [{ sentence: writeInEnglish(remark), shown: remark }] : []),
  ];
}

/** If the line of a task isn't known, VS Code runs the task in its own way, once a person agrees. */
async function prepareHiddenTask(
  { workspace, shell, outputs, tasks, sandboxed = false }: ReadyTasks,
  task: EditorTask,
  why: string,
  seconds: number,
  describe: ((cwd: string) => Promise<DescribeOutput>) | undefined,
): Promise<PreparedCall | Outcome> {
  if (sandboxed)
    return createFailure(
      `The task "${task.name}" can't run in the sandbox (autogpt.shell.sandbox). ${why} Run its command line with execute_shell, or ask the user to run the task.`,
    );
  const { path } = await workspace.locate(".");
  return createPreparedCall(
    "run",
    `Task ${formatTaskName(task)}:\n${task.definition}\n\n${why} VS Code runs it in a terminal whose environment it sees, for ${formatQuantity(seconds, "second")} at most.${getTasksRemark(tasks)}`,
    async (running) => {
      const runner: Shell = { name: shell.name, run: (_line, options) => tasks.run(task, options) };
      const shown = { text: task.name, cwd: path, seconds };
      return runLine({ shell: runner, outputs }, shown, running, await describe?.(path));
    },
    {
      cwd: path,
      onlyByUser: { rule: "unknown-line", reason: `Its command line can't be known in advance. ${why}` },
      fresh: () => isUnchanged(tasks, task),
    },
  );
}

function getTasksRemark(tasks: Tasks): string {
  const remark = tasks.describeEnvironment?.();
  return remark === undefined ? "" : ` ${writeInEnglish(remark)}`;
}

/** True while the editor has exactly this task. */
async function isUnchanged(tasks: Tasks, task: EditorTask): Promise<boolean> {
  const wanted = JSON.stringify(task);
  return (await tasks.list()).some((one) => JSON.stringify(one) === wanted);
}

function explainBackgroundTask({ name, runs }: EditorTask): string {
  return "why" in runs
    ? `The task "${name}" runs in the background and doesn't end. Ask the user to start it.`
    : `The task "${name}" runs in the background and doesn't end. Start its command line with execute_shell_popen: ${runs.text}`;
}

/** Finds the task with a name, or explains what to call instead. */
function findTaskByName(name: string, folder: string | undefined, all: readonly EditorTask[]): EditorTask | string {
  const isCalled = (task: EditorTask, wanted: string): boolean =>
    [task.name, `${task.source}: ${task.name}`].some((one) => one.toLowerCase() === wanted);
  const inFolder = folder === undefined ? all : all.filter((task) => task.folder === folder);
  const found = inFolder.filter((task) => isCalled(task, name.trim().toLowerCase()));
  const exact = found.filter((task) => [task.name, `${task.source}: ${task.name}`].includes(name));
  const [first, second] = exact.length > 0 ? exact : found;
  if (first && !second) return first;
  if (first)
    return `There are several tasks "${name}": ${found.map(formatTask).join(", ")}. Name its folder, or its source as in "${first.source}: ${first.name}".`;
  if (all.length === 0) return "There are no tasks here. Use execute_shell.";
  const near = findNearestName(
    name,
    all.map((task) => task.name),
  );
  return `There is no task "${name}". ${near === undefined ? "Call run_task without a name for a list." : `Nearest: "${near}".`}`;
}

function formatTask({ name, source, folder }: Pick<EditorTask, "name" | "source" | "folder">): string {
  return `${JSON.stringify(name)} (${[source, folder].filter((part) => part !== "").join(", ")})`;
}

/** Quotes a task's name. It may contain anything, and mustn't read like a sentence of the card. */
function formatTaskName({ name, source }: EditorTask): string {
  return formatTask({ name, source, folder: "" });
}

function renderTasks(all: readonly EditorTask[]): string {
  if (all.length === 0) return "There are no tasks here. Use execute_shell.";
  return all
    .map((task) => {
      const notes = [task.tests === undefined ? "" : "tests", task.isBackground ? "in the background" : ""];
      const told = notes.filter((note) => note !== "").join(", ");
      return `${formatTask(task)}${told === "" ? "" : ` [${told}]`}: ${"why" in task.runs ? task.runs.why : task.runs.text}`;
    })
    .join("\n");
}

function summarizeTaskCount({ length }: readonly EditorTask[]): DisplayText {
  return length === 0 ? displayText("results.noTasks") : displayText("results.tasks", { count: length });
}
