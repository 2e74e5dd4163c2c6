import type { HiddenCommands } from "../commands/agent/find-tools.ts";
import { createAllCommands } from "../commands/all.ts";
import { isMissing } from "../commands/web/services.ts";
import { omitUndefined } from "../core/base/objects.ts";
import { isUriPath } from "../core/base/uri-path.ts";
import type { Command } from "../core/commands/command.ts";
import type { User } from "../core/ports/approver.ts";
import type { Model, ModelTraits } from "../core/ports/model.ts";
import type { PythonSyntax } from "../core/ports/programs.ts";
import type { Memory } from "../core/ports/storage.ts";
import type { Agents } from "../core/ports/sub-agents.ts";
import type { Problems } from "../core/ports/workspace.ts";
import { listProviderKeys } from "../models/providers.ts";
import { findNodeGit } from "../node/git/git.ts";
import { createNodeOutputs } from "../node/processes/outputs.ts";
import { createNodePython } from "../node/python/python.ts";
import { createNodePythonSyntax } from "../node/python/python-syntax.ts";
import { createRunShell, type RunShell } from "../node/sandbox/run-shell.ts";
import type { SandboxGuard } from "../node/sandbox/sandbox-guard.ts";
import { loadFolderOutline } from "../node/search/folder-outline.ts";
import { createNodeTestReports } from "../node/tests/test-reports.ts";
import { createRunOutputs } from "../runs/store/run-outputs.ts";
import type { Call, Skill, WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import { createCodeSearch } from "./code-search/run-search.ts";
import type { Host } from "./host.ts";
import type { RunPrograms } from "./inert-programs.ts";
import { createRunReaders } from "./ingest/file-finder.ts";
import { createRunSkills } from "./instructions/run-instructions.ts";
import { type OpeningSources, selectOpeningCalls } from "./picture/opening-files.ts";
import { createNoPrograms, filterPossibleCommands, findVirtualFiles } from "./run-files.ts";
import { createServices } from "./services/services.ts";
import { listVirtualOutline } from "./virtual/virtual-search.ts";

/** Where a run works. */
interface WorkPlace {
  /** The run's own folder, for what is kept beside its log. */
  readonly runHome: string;
  readonly folder: string;
  /** All folders that the run works in now, its own first. */
  listFolders(): readonly WorkspaceFolder[];
  readonly settings: Settings;
  /** Removes secrets from a text before it is kept. */
  redact(text: string): string;
}

/** The place of a run, and the ports that its commands use beside the host. */
interface RunCommandsOptions extends WorkPlace {
  readonly programs: Programs;
  readonly user: User | undefined;
  readonly skills?: readonly Skill[] | undefined;
  readonly memory: Memory | undefined;
  readonly agents: Agents | undefined;
  /** The commands that prompts don't offer yet; absent where all are offered. */
  readonly offer: HiddenCommands | undefined;
  /** See `ModelTraits.edits`. */
  readonly edits?: ModelTraits["edits"] | undefined;
  /** The model that reads pages. */
  getFastModel(): Promise<Model>;
  /** True while the user has approved calls in advance. */
  isUnattended(): boolean;
}

/** The programs of a run; none in a virtual folder. */
type Programs = Omit<RunPrograms, "python"> & { readonly python: RunPrograms["python"] | undefined };

/** The commands of a run over its folders. */
export interface RunCommands {
  readonly own: readonly Command[];
  /** Commands that other extensions have added. */
  readonly extra: readonly Command[];
  /** See `openingCalls`. */
  selectOpeningCalls(task: string, contextWindow: number): Promise<readonly Call[]>;
  /** Real paths of the folders it may work in. */
  listFolders(): readonly string[];
  /** Names of the commands that an isolated run uses only in its copy. */
  readonly inCopy: ReadonlySet<string>;
  /** Ends the browser that commands may have started. */
  closeBrowser(): Promise<void>;
  /** Absent if no language service reports problems. */
  readonly problems?: Problems;
}

/** The programs of a run; `guard` is the sandbox's of the run that it works for. */
export async function createRunPrograms(
  host: Host,
  place: WorkPlace,
  guard: SandboxGuard | undefined,
): Promise<Programs> {
  if (isUriPath(place.folder)) return createNoPrograms(place.folder);
  return (await host.processes.createPrograms?.(place)) ?? createMachinePrograms(host, place, guard);
}

/** Creates the commands of a run, for the machine and the services of its host. */
export async function createRunCommands(host: Host, options: RunCommandsOptions): Promise<RunCommands> {
  const { runHome, folder, settings, programs, user, memory, agents, offer, getFastModel } = options;
  const { processes, secrets, editor } = host;
  const { disk, ...readers } = createRunReaders(host, options);
  const { workspace } = readers;
  const { shell, python, git } = programs;
  const services = await createServices({
    settings,
    allowHosts: () => host.getSettings(folder).web.allowHosts,
    isBrowserVisible: () => host.getSettings(folder).browser.visible,
    files: workspace,
    worker: processes.pageWorker,
    keyFor: secrets.keyFor,
    host: host.kind,
    getFastModel,
  });
  const problems = editor?.createProblems(workspace);
  const all = createAllCommands({
    ...readers,
    user,
    memory,
    agents,
    offer,
    edits: options.edits,
    services,
    outputs: createRunOutputs(runHome, createNodeOutputs(runHome)),
    cells: editor?.cells,
    isSandboxed: shell.sandbox !== undefined,
    problems,
    symbols: editor?.createSymbols(workspace),
    code: createRunCodeSearch(host, options),
    skills: createRunSkills(host, folder, options.skills),
    shell: shell.shell,
    processes: shell.processes,
    reports: createNodeTestReports(disk.listFolders),
    ...createTaskParts(host, options, shell),
    python,
    pythonSyntax: createSyntaxParser(host, options, disk.listFolders),
    git,
    shellTimeoutSeconds: settings.shell.timeoutSeconds,
  });
  return {
    own: filterPossibleCommands(host, folder, all),
    extra: filterPossibleCommands(host, folder, host.listExtraCommands()),
    selectOpeningCalls: (task, contextWindow) =>
      selectOpeningCalls(createOpeningSources(host, options, workspace), { task, contextWindow }),
    inCopy: listCopyCommands(all),
    listFolders: disk.listFolders,
    closeBrowser: async () => (isMissing(services.browser) ? undefined : services.browser.close()),
    ...omitUndefined({ problems }),
  };
}

function createOpeningSources(
  host: Host,
  options: RunCommandsOptions,
  workspace: OpeningSources["workspace"],
): OpeningSources {
  const folders = options.listFolders();
  const virtual = findVirtualFiles(host, options.folder);
  const buildOutline: OpeningSources["buildOutline"] = async (limits) =>
    virtual ? listVirtualOutline(folders, virtual, limits) : loadFolderOutline(folders, limits);
  return { workspace, code: createRunCodeSearch(host, options), buildOutline };
}

/** The search for code; undefined in a virtual folder, and where there are no indexes. */
function createRunCodeSearch({ processes, workspace, isolated }: Host, { folder, listFolders }: RunCommandsOptions) {
  const { codeIndexes: indexes, files } = processes;
  if (isUriPath(folder) || !indexes) return undefined;
  const findOrigin = (root: string) => isolated?.copy.folders.find(({ path }) => path === root)?.origin;
  return createCodeSearch({ indexes, listFolders, files, unsaved: workspace.unsaved, findOrigin });
}

/** The parser of Python for changed files; undefined where no program may be started for the workspace. */
function createSyntaxParser(
  { workspace, isolated }: Host,
  { folder, listFolders, settings }: RunCommandsOptions,
  realFolders: () => readonly string[],
): PythonSyntax | undefined {
  if (isUriPath(folder) || !settings.shell.enabled || !workspace.isTrusted()) return undefined;
  const origins = isolated?.copy.folders.map(({ origin }) => origin) ?? [];
  return createNodePythonSyntax(() => [...realFolders(), ...listFolders().map(({ path }) => path), ...origins]);
}

/** The categories of commands that work on files and run programs. */
const OF_THE_COPY: ReadonlySet<string> = new Set(["files", "code", "python", "shell", "git"]);

/** Names of our own commands that work on files and run programs. No other command gets one of these names. */
function listCopyCommands(own: readonly Command[]): ReadonlySet<string> {
  return new Set(own.filter(({ category }) => OF_THE_COPY.has(category)).map(({ name }) => name));
}

/** The editor's tasks, tests and terminals, and the facts that decide where a task may run. */
function createTaskParts(
  { editor }: Host,
  { runHome, settings, redact, isUnattended }: RunCommandsOptions,
  { sandbox }: RunShell,
) {
  return {
    tasks: editor?.createTasks({ outputFolder: runHome, redact }),
    testExplorer: editor?.testExplorer,
    terminals: editor?.terminals,
    sandboxed: sandbox !== undefined,
    withoutTerminal: settings.shell.terminal === "background",
    isUnattended,
  };
}

/** Creates the programs of this machine as the settings specify. */
async function createMachinePrograms(
  host: Host,
  place: WorkPlace,
  guard: SandboxGuard | undefined,
): Promise<RunPrograms> {
  const { runHome, folder, settings, redact } = place;
  const { processes } = host;
  const folders = createRunReaders(host, place).disk.listFolders;
  const shell = await createRunShell(settings.shell, {
    outputFolder: runHome,
    redact,
    secrets: listProviderKeys(settings).flatMap(({ variables }) => variables),
    listFolders: folders,
    guard,
    terminals: processes.terminals,
  });
  const python = await createNodePython({
    setting: settings.python.interpreter,
    useDocker: settings.python.useDocker,
    findChosenInterpreter: () => processes.findPythonInterpreter(folder),
    listFolders: folders,
    sandboxed: shell.sandbox !== undefined,
    runFolder: runHome,
  });
  return { shell, python, git: findNodeGit(), walls: shell.walls };
}
