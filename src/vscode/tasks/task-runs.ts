import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { waitOrAbort } from "../../core/base/async.ts";
import type { Shell, ShellResult } from "../../core/ports/programs.ts";
import type { TaskLine } from "../../core/ports/tasks.ts";
import { CapturedOutput } from "../../node/processes/captured-output.ts";
import { getOutputFile } from "../../node/processes/outputs.ts";
import {
  createProcessMark,
  createProcessTree,
  markEnvironment,
  type ProcessMark,
  type ProcessTree,
} from "../../node/processes/process-tree.ts";
import type { ShellProgram } from "../../node/processes/programs.ts";
import { selectDefinedVariables } from "../../node/processes/shell-environment.ts";

/** Where a run's outputs are stored. */
export interface RunningPlace {
  readonly outputFolder: string;
  /** Removes secrets before an output is saved. */
  redact(text: string): string;
}

type RunOptions = Parameters<Shell["run"]>[1];

/** Time for a task to end after a request, and for the rest of its output to arrive, in milliseconds. */
const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 10;

/** Keeps programs from waiting for a pager or an editor. */
const NO_PAGERS = { PAGER: "cat", GIT_PAGER: "cat", GIT_EDITOR: "false", GIT_TERMINAL_PROMPT: "0" };

/** Runs tasks, each in its own terminal. */
export class TaskRuns {
  private readonly program: ShellProgram;
  /** The terminals of earlier tasks; the next one closes them. */
  private readonly ended = new Set<vscode.Terminal>();

  constructor(program: ShellProgram) {
    this.program = program;
  }

  /** Runs a task to its end: exactly `line` if known, otherwise as VS Code resolves the task. */
  async run(
    found: vscode.Task,
    line: TaskLine | undefined,
    place: RunningPlace,
    options: RunOptions,
  ): Promise<ShellResult> {
    options.signal.throwIfAborted();
    for (const terminal of this.ended) terminal.dispose();
    this.ended.clear();
    const mark = createProcessMark();
    const task = line ? this.createLineTask(found, line, mark) : found;
    const running = new TaskRun(
      task,
      line && { mark, script: this.program.createArgs(line.text).at(-1) },
      place,
      options,
    );
    const startedAt = performance.now();
    try {
      const ended = await running.end(options);
      const leftBehind = await running.endProcesses(ended.ended === "exit");
      const read = await running.collectOutput();
      const seconds = (performance.now() - startedAt) / 1000;
      const notes = running.isRead ? [] : [UNREAD];
      return {
        ...ended,
        seconds,
        ...read,
        ...(leftBehind > 0 ? { leftBehind } : {}),
        ...(notes.length > 0 ? { notes } : {}),
      };
    } finally {
      if (line) for (const terminal of running.terminals) this.ended.add(terminal);
      running.dispose();
    }
  }

  /** Creates our own task, so that the displayed line runs: no variables, no other tasks, and always a new terminal to read. */
  private createLineTask(
    { name, scope, problemMatchers }: vscode.Task,
    line: TaskLine,
    mark: ProcessMark,
  ): vscode.Task {
    const { program } = this;
    // bash reads neither functions nor a start file from the environment with -p.
    const args = [...(program.name === "bash" ? ["-p"] : []), ...program.createArgs(line.text)];
    const env = { ...NO_PAGERS, ...selectDefinedVariables(markEnvironment({}, mark)) };
    const execution = new vscode.ProcessExecution(program.path, args, { cwd: line.cwd, env });
    const task = new vscode.Task(
      { type: "process" },
      scope ?? vscode.TaskScope.Workspace,
      name,
      "AutoGPT",
      execution,
      problemMatchers,
    );
    task.presentationOptions = {
      panel: vscode.TaskPanelKind.New,
      reveal: vscode.TaskRevealKind.Silent,
      focus: false,
      showReuseMessage: false,
    };
    return task;
  }
}

const UNREAD = "Its output can't be read, because VS Code showed it in a terminal that was open already.";

/** The shell's last argument for a task's line, and the mark of its processes. */
interface MarkedScript {
  readonly script: string | undefined;
  readonly mark: ProcessMark;
}

/** True for the terminal that VS Code created for our own task. */
function isTaskTerminal({ creationOptions }: vscode.Terminal, { script }: MarkedScript): boolean {
  const args = "shellArgs" in creationOptions ? creationOptions.shellArgs : undefined;
  return Array.isArray(args) && args.at(-1) === script;
}

/** One execution of a task. */
class TaskRun implements vscode.Disposable {
  readonly terminals = new Set<vscode.Terminal>();
  isRead = false;
  private readonly task: vscode.Task;
  private readonly captured: CapturedOutput;
  private readonly streams: Promise<void>[] = [];
  private readonly before = new Set(vscode.window.terminals);
  /** The processes of tasks that started during this run. */
  private readonly processes = new Set<number>();
  private readonly listeners: readonly vscode.Disposable[];
  private readonly over = Promise.withResolvers<void>();
  private execution: vscode.TaskExecution | undefined;
  private code: number | undefined;
  private tree: ProcessTree | undefined;
  private isClosed = false;

  /** If the task's line is known, its processes are marked, so that they can be found later. */
  constructor(
    task: vscode.Task,
    line: MarkedScript | undefined,
    { outputFolder, redact }: RunningPlace,
    { step, reportOutput }: RunOptions,
  ) {
    this.task = task;
    this.captured = new CapturedOutput(getOutputFile(outputFolder, step), redact);
    const isOwnExecution = (execution: vscode.TaskExecution): boolean =>
      execution === this.execution || execution.task === task;
    this.listeners = [
      vscode.tasks.onDidStartTaskProcess(({ execution, processId }) => {
        this.processes.add(processId);
        if (isOwnExecution(execution) && line) this.tree = createProcessTree(processId, line.mark);
      }),
      vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
        if (!isOwnExecution(execution)) return;
        this.code = exitCode;
        this.over.resolve();
      }),
      // Of a task whose other tasks failed, only this end is reported.
      vscode.tasks.onDidEndTask(({ execution }) => {
        if (isOwnExecution(execution)) setTimeout(() => this.over.resolve(), GRACE_MS / 4);
      }),
      vscode.window.onDidCloseTerminal((terminal) => {
        this.isClosed ||= this.terminals.has(terminal);
      }),
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        if (this.before.has(terminal) || (line && !isTaskTerminal(terminal, line))) return;
        this.streams.push(this.followTask(terminal, execution.read(), reportOutput));
      }),
    ];
  }

  /** Starts the task and waits until it ends, reaches the time limit, or is stopped. */
  async end({ signal, timeoutSeconds }: RunOptions): Promise<Pick<ShellResult, "code" | "ended">> {
    const timeout = AbortSignal.timeout(Math.round(timeoutSeconds * 1000));
    const cut = AbortSignal.any([signal, timeout]);
    const executing = Promise.resolve(vscode.tasks.executeTask(this.task)).then((execution) => {
      this.execution = execution;
      // It may have started only after it was given up, for example once the user had answered a question.
      if (cut.aborted) execution.terminate();
      return this.over.promise;
    });
    if ((await waitOrAbort(executing, cut)) !== "aborted") {
      if (this.code !== undefined) return { ended: "exit", code: this.code };
      return { ended: this.isClosed ? "closed" : "exit" };
    }
    this.execution?.terminate();
    await Promise.race([this.over.promise, wait(GRACE_MS)]);
    return { ended: signal.aborted ? "stopped" : "timeout" };
  }

  /** Ends the processes that the task has left running, and returns their number. */
  async endProcesses(mayEndThemselves: boolean): Promise<number> {
    if (mayEndThemselves) await this.tree?.settle(GRACE_MS / 8);
    return (await this.tree?.end()) ?? 0;
  }

  async collectOutput(): ReturnType<CapturedOutput["finish"]> {
    await Promise.race([Promise.all(this.streams), wait(GRACE_MS)]);
    return this.captured.finish();
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
  }

  /** Reads a new terminal, unless the user opened it meanwhile. */
  private async followTask(
    terminal: vscode.Terminal,
    stream: AsyncIterable<string>,
    output: (chunk: string) => void,
  ): Promise<void> {
    const pid = (await terminal.processId) ?? 0;
    const until = performance.now() + GRACE_MS;
    while (!this.processes.has(pid) && performance.now() < until) await wait(LOOK_EVERY_MS);
    if (!this.processes.has(pid)) return;
    this.isRead = true;
    this.terminals.add(terminal);
    await this.follow(stream, output);
  }

  private async follow(stream: AsyncIterable<string>, output: (chunk: string) => void): Promise<void> {
    for await (const chunk of stream) output(await this.captured.add(Buffer.from(chunk)));
  }
}
