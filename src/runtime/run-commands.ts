import { codeSearch } from "../code-search/run-search.ts";
import type { HiddenCommands } from "../commands/agent/find-tools.ts";
import { allCommands } from "../commands/all.ts";
import { isUriPath } from "../core/base/uri-path.ts";
import type { Command } from "../core/commands/command.ts";
import type { User } from "../core/ports/approver.ts";
import type { Model, ModelTraits } from "../core/ports/model.ts";
import type { PythonSyntax } from "../core/ports/programs.ts";
import type { Memory } from "../core/ports/storage.ts";
import type { Agents } from "../core/ports/sub-agents.ts";
import type { Problems } from "../core/ports/workspace.ts";
import { providerKeys } from "../models/providers.ts";
import { nodeGit } from "../node/git/git.ts";
import { nodeOutputs } from "../node/processes/outputs.ts";
import { nodePython } from "../node/python/python.ts";
import { pythonSyntax } from "../node/python/python-syntax.ts";
import { type RunShell, runShell } from "../node/sandbox/run-shell.ts";
import type { SandboxGuard } from "../node/sandbox/sandbox-guard.ts";
import { folderOutline } from "../node/search/folder-outline.ts";
import { nodeTestReports } from "../node/tests/test-reports.ts";
import { outputsOfRun } from "../runs/store/run-outputs.ts";
import { confinement } from "../safety/sandbox/confinement.ts";
import { watchedIn } from "../safety/sandbox/plan.ts";
import type { Call, Skill, WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import { createServices } from "../services/services.ts";
import { virtualOutline } from "../virtual/virtual-search.ts";
import type { Host } from "./host.ts";
import type { RunPrograms } from "./inert-programs.ts";
import { runReaders } from "./ingest/file-finder.ts";
import { runSkills } from "./instructions/run-instructions.ts";
import { type OpeningSources, openingCalls } from "./picture/opening-files.ts";
import { noPrograms, possibleCommands, virtualFilesOf } from "./run-files.ts";

/** Where a run works, and what its commands use beside the host. */
export interface RunCommandsOptions {
  /** The run's own folder, for what is kept beside its log. */
  readonly runHome: string;
  readonly folder: string;
  /** All that it works in now, its own first. */
  folders(): readonly WorkspaceFolder[];
  readonly settings: Settings;
  readonly user: User | undefined;
  readonly skills?: readonly Skill[] | undefined;
  readonly memory: Memory | undefined;
  readonly agents: Agents | undefined;
  /** The commands that prompts don't offer yet; absent where all are offered. */
  readonly offer: HiddenCommands | undefined;
  /** See `ModelTraits.edits`. */
  readonly edits?: ModelTraits["edits"] | undefined;
  /** The model that reads pages. */
  fast(): Promise<Model>;
  /** The sandbox's guard of the run that this one works for. */
  readonly guard: SandboxGuard | undefined;
  /** True while the user has approved calls in advance. */
  unattended(): boolean;
  /** Removes secrets from a text before it is kept. */
  redact(text: string): string;
}

/** The commands of a run over its folders. */
export interface RunCommands {
  readonly all: readonly Command[];
  /** Those that other extensions have added. */
  readonly extra: readonly Command[];
  /** See `openingCalls`. */
  opening(task: string, contextWindow: number): Promise<readonly Call[]>;
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
  readonly shell: RunShell;
  /** Names of those that an isolated run uses in its copy alone. */
  readonly inCopy: ReadonlySet<string>;
  readonly git: RunPrograms["git"];
  /** See `RunPrograms`. */
  readonly walls?: RunPrograms["walls"];
  /** See `RunPrograms`. */
  dispose?: RunPrograms["dispose"];
  /** Absent where no language service reports problems. */
  readonly problems?: Problems;
}

/** Makes the commands of a run, for the machine and with the services that its host has. */
export async function runCommands(host: Host, options: RunCommandsOptions): Promise<RunCommands> {
  const { runHome, folder, settings, user, memory, agents, offer, fast } = options;
  const { processes, secrets, editor } = host;
  const { disk, ...readers } = runReaders(host, options);
  const { workspace } = readers;
  const programs = isUriPath(folder)
    ? noPrograms(folder)
    : ((await processes.programs?.(options)) ?? (await machinePrograms(host, options, disk.folders)));
  const { python, git } = programs;
  const shell: RunShell = programs.shell;
  const services = await createServices({
    settings,
    allowHosts: () => host.settings(folder).web.allowHosts,
    files: workspace,
    worker: processes.pageWorker,
    keyFor: secrets.keyFor,
    host: host.kind,
    fast,
  });
  const problems = editor?.problems(workspace);
  const own = allCommands({
    ...readers,
    ...{ user, memory, agents, offer, edits: options.edits, services },
    outputs: outputsOfRun(runHome, nodeOutputs(runHome)),
    cells: editor?.cells,
    isSandboxed: shell.sandbox !== undefined,
    problems,
    symbols: editor?.symbols(workspace),
    code: searchOf(host, options),
    skills: runSkills(host, folder, options.skills),
    shell: shell.shell,
    processes: shell.processes,
    reports: nodeTestReports(disk.folders),
    ...taskParts(host, options, shell),
    python,
    pythonSyntax: syntaxOf(host, options, disk.folders),
    git,
    shellTimeoutSeconds: settings.shell.timeoutSeconds,
  });
  return {
    all: possibleCommands(host, folder, own),
    extra: possibleCommands(host, folder, host.extraCommands()),
    opening: (task, contextWindow) =>
      openingCalls(openingSources(host, options, workspace), { task, contextWindow }),
    inCopy: commandsOfCopy(own),
    folders: disk.folders,
    shell,
    git,
    ...("walls" in programs ? { walls: programs.walls } : {}),
    ...("dispose" in programs ? { dispose: programs.dispose } : {}),
    ...(problems ? { problems } : {}),
  };
}

function openingSources(
  host: Host,
  options: RunCommandsOptions,
  workspace: OpeningSources["workspace"],
): OpeningSources {
  const folders = options.folders();
  const virtual = virtualFilesOf(host, options.folder);
  const outline: OpeningSources["outline"] = async (limits) =>
    virtual ? virtualOutline(folders, virtual, limits) : folderOutline(folders, limits);
  return { workspace, code: searchOf(host, options), outline };
}

/** The search for code; undefined in a virtual folder, and where there are no indexes. */
function searchOf({ processes, workspace, isolated }: Host, { folder, folders }: RunCommandsOptions) {
  const { codeIndexes: indexes, files } = processes;
  if (isUriPath(folder) || !indexes) return undefined;
  const origin = (root: string) => isolated?.copy.folders.find(({ path }) => path === root)?.origin;
  return codeSearch({ indexes, folders, files, unsaved: workspace.unsaved, origin });
}

/** The parser of Python for changed files; undefined where no program may be started for the workspace. */
function syntaxOf(
  { workspace, isolated }: Host,
  { folder, folders, settings }: RunCommandsOptions,
  realFolders: () => readonly string[],
): PythonSyntax | undefined {
  if (isUriPath(folder) || !settings.shell.enabled || !workspace.isTrusted()) return undefined;
  const origins = isolated?.copy.folders.map(({ origin }) => origin) ?? [];
  return pythonSyntax(() => [...realFolders(), ...folders().map(({ path }) => path), ...origins]);
}

/** The categories of commands that work on files and run programs. */
const OF_THE_COPY: ReadonlySet<string> = new Set(["files", "code", "python", "shell", "git"]);

/** Names of our own commands that work on files and run programs. No other command gets one of these names. */
function commandsOfCopy(own: readonly Command[]): ReadonlySet<string> {
  return new Set(own.filter(({ category }) => OF_THE_COPY.has(category)).map(({ name }) => name));
}

/** The editor's tasks, tests and terminals, and what decides where a task may run. */
function taskParts(
  { editor }: Host,
  { runHome, settings, redact, unattended }: RunCommandsOptions,
  { sandbox }: RunShell,
) {
  return {
    tasks: editor?.tasks({ outputFolder: runHome, redact }),
    testExplorer: editor?.testExplorer,
    terminals: editor?.terminals,
    sandboxed: sandbox !== undefined,
    withoutTerminal: settings.shell.terminal === "background",
    unattended,
  };
}

/** The programs of this machine, as the settings want them. */
async function machinePrograms(
  { processes }: Host,
  { runHome, folder, settings, redact, guard }: RunCommandsOptions,
  folders: () => readonly string[],
): Promise<RunPrograms> {
  const shell = await runShell(settings.shell, {
    outputFolder: runHome,
    redact,
    secrets: providerKeys(settings).flatMap(({ variables }) => variables),
    folders,
    confine: confinement,
    watched: watchedIn,
    guard,
    terminals: processes.terminals,
  });
  const python = await nodePython({
    setting: settings.python.interpreter,
    useDocker: settings.python.useDocker,
    chosen: () => processes.pythonInterpreter(folder),
    folders,
    sandboxed: shell.sandbox !== undefined,
    runFolder: runHome,
  });
  return { shell, python, git: nodeGit(), walls: shell.walls };
}
