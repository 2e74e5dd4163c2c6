import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { buildShellCommandLine } from "../../commands/shell/run-python.ts";
import { findTaskLine, type TaskDefinition } from "../../commands/tasks/task-line.ts";
import { Queue } from "../../core/base/async.ts";
import { isObject, type Json } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { EditorTask, Tasks } from "../../core/ports/tasks.ts";
import { WorkspaceError } from "../../core/ports/workspace.ts";
import { createEnvironmentOutside } from "../../node/processes/program-versions.ts";
import { chooseShellProgram, type ShellProgram } from "../../node/processes/programs.ts";
import { findWorkspaceRemark } from "../terminal/editor-terminals.ts";
import { openFolders } from "../workspace/folders.ts";
import { type RunningPlace, TaskRuns } from "./task-runs.ts";

/** Time for extensions to find tasks, in milliseconds. */
const LIST_MS = 20_000;

/** The editor's tasks, for each run. Tasks of all runs run one after the other, because VS Code mixes up parallel ones. */
export function createEditorTasks(
  program: ShellProgram = chooseShellProgram(createEnvironmentOutside(openFolders().map(({ path }) => path))),
): (place: RunningPlace) => Tasks {
  const queue = new Queue();
  const runs = new TaskRuns(program);
  const known = new WeakMap<EditorTask, vscode.Task>();
  return (place) => ({
    async list() {
      const found = await fetchTasks();
      return found.map((task) => {
        const shown = convertToEditorTask(task, program.name);
        known.set(shown, task);
        return shown;
      });
    },
    describeEnvironment: findWorkspaceRemark,
    run: (shown, options) =>
      queue.add(async () => {
        const task = known.get(shown);
        if (!task) throw new Error("Only a task that was listed can run.");
        return runs.run(task, "why" in shown.runs ? undefined : shown.runs, place, options);
      }),
  });
}

/** The tasks of the workspace. Throws a sentence when they can't be read. */
async function fetchTasks(): Promise<readonly vscode.Task[]> {
  if (!vscode.workspace.isTrusted) throw new WorkspaceError("This workspace isn't trusted, so its tasks aren't read.");
  const found = await Promise.race([vscode.tasks.fetchTasks(), wait(LIST_MS)]);
  if (found) return found;
  throw new WorkspaceError("VS Code didn't list its tasks in time. Try again, or use execute_shell.");
}

const QUOTING = {
  [vscode.ShellQuoting.Escape]: "escape",
  [vscode.ShellQuoting.Strong]: "strong",
  [vscode.ShellQuoting.Weak]: "weak",
} as const;

/** A task as the agent sees it; `shell` is the name of the shell that runs command lines. */
function convertToEditorTask(task: vscode.Task, shell: string): EditorTask {
  const folder = typeof task.scope === "object" ? task.scope : undefined;
  const entries = collectTaskEntries(task, folder);
  const definition = buildTaskDefinition(task, shell, entries.own.some(hasOthers));
  const { group } = task;
  return {
    name: task.name,
    source: task.source,
    folder: folder?.name ?? "",
    runs: findTaskLine(definition, {
      ...(folder?.uri.scheme === "file" ? { folder: folder.uri.fsPath } : {}),
      folders: openFolders(),
      shell,
    }),
    definition: JSON.stringify(buildShownDefinition(task, entries), undefined, 2),
    ...(group?.id === vscode.TaskGroup.Test.id ? { tests: group.isDefault ? "default" : "some" } : {}),
    isBackground: task.isBackground,
  };
}

function buildTaskDefinition(task: vscode.Task, shell: string, runsOthers: boolean): TaskDefinition {
  const { execution } = task;
  const plain = { hasVariables: false, hasShell: false, hasOthers: runsOthers };
  if (execution instanceof vscode.ProcessExecution) {
    const { process, args, options } = execution;
    return {
      ...plain,
      ...getExecutionPlace(options),
      command: buildShellCommandLine([process, ...args], shell),
    };
  }
  if (!(execution instanceof vscode.ShellExecution)) return plain;
  const { commandLine, command, args = [], options } = execution;
  return {
    ...plain,
    ...getExecutionPlace(options),
    hasShell: options?.executable !== undefined || (options?.shellArgs?.length ?? 0) > 0,
    command: commandLine ?? [command, ...args].filter((word) => word !== undefined).map(convertWord),
  };
}

function convertWord(word: string | vscode.ShellQuotedString) {
  return typeof word === "string" ? word : { value: word.value, quoting: QUOTING[word.quoting] };
}

function getExecutionPlace(options: vscode.ShellExecutionOptions | vscode.ProcessExecutionOptions | undefined) {
  const hasVariables = Object.keys(options?.env ?? {}).length > 0;
  return { hasVariables, ...(options?.cwd === undefined ? {} : { cwd: options.cwd }) };
}

/** Entries of tasks.json, the workspace file and the user's own tasks. */
interface TaskEntries {
  /** Entries for this task, or for all tasks of its kind. */
  readonly own: readonly Json[];
  readonly all: readonly Json[];
  readonly inputs: readonly Json[];
}

function collectTaskEntries(task: vscode.Task, folder: vscode.WorkspaceFolder | undefined): TaskEntries {
  const found = vscode.workspace.getConfiguration("tasks", folder ?? null).inspect<unknown>("tasks");
  const all = collectObjects(found);
  const own = all.filter((entry) =>
    findTaskLabel(entry) === undefined ? entry.type === task.definition.type : findTaskLabel(entry) === task.name,
  );
  return { own, all, inputs: collectInputs(folder) };
}

/** Inputs whose questions and commands supply the values of `${input:…}`. */
function collectInputs(folder: vscode.WorkspaceFolder | undefined): readonly Json[] {
  const found = vscode.workspace.getConfiguration("tasks", folder ?? null).inspect<unknown>("inputs");
  return collectObjects(found);
}

type Inspected = ReturnType<typeof vscode.workspace.getConfiguration>["inspect"];

/** Collects the objects of a list from all settings files. With one folder, its own are the workspace's, too. */
function collectObjects(found: ReturnType<Inspected>): readonly Json[] {
  const entries = [found?.workspaceFolderValue, found?.workspaceValue, found?.globalValue]
    .flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []))
    .filter(isObject);
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()];
}

function findTaskLabel({ label, taskName }: Json): string | undefined {
  return [label, taskName].find((name) => typeof name === "string");
}

function hasOthers(entry: Json): boolean {
  return entry.dependsOn !== undefined;
}

/** The task's entries, with those of tasks that it runs first and of its inputs; without any, the definition from its provider. */
function buildShownDefinition({ definition, detail }: vscode.Task, { own, all, inputs }: TaskEntries): unknown {
  const shown = new Set(own);
  for (const entry of shown)
    for (const name of [entry.dependsOn].flat())
      for (const other of all) if (typeof name === "string" && findTaskLabel(other) === name) shown.add(other);
  const text = JSON.stringify([...shown]);
  for (const input of inputs) if (text.includes(`\${input:${String(input.id)}}`)) shown.add(input);
  return shown.size > 0 ? [...shown] : { ...definition, ...omitUndefined({ detail }) };
}
