import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { Queue } from "../../core/base/async.ts";
import type { EditorTask, Tasks } from "../../core/ports/tasks.ts";
import { WorkspaceError } from "../../core/ports/workspace.ts";
import { chooseShellProgram, type ShellProgram } from "../../node/processes/programs.ts";
import { findWorkspaceRemark } from "../terminal/editor-terminals.ts";
import { convertToEditorTask } from "./task-definitions.ts";
import { type RunningPlace, TaskRuns } from "./task-runs.ts";

/** Time for extensions to find tasks, in milliseconds. */
const LIST_MS = 20_000;

/** The editor's tasks, for each run. Tasks of all runs run one after the other, because VS Code mixes up parallel ones. */
export function createEditorTasks(program: ShellProgram = chooseShellProgram()): (place: RunningPlace) => Tasks {
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
