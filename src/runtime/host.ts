import type { Command } from "../core/commands/command.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import type { CountTokens } from "../core/context/tokens.ts";
import type { ModelPair, Run } from "../core/events/run.ts";
import type { LiveRun } from "../core/loop/live-run.ts";
import type { UserRequests } from "../core/loop/user-requests.ts";
import type { Approver, User } from "../core/ports/approver.ts";
import type { Disk } from "../core/ports/disk.ts";
import type { FolderWatch } from "../core/ports/folder-watch.ts";
import type { Model, ModelDelta } from "../core/ports/model.ts";
import type { CellRunner, Notebooks, UnsavedNotebook } from "../core/ports/notebooks.ts";
import type { Tasks } from "../core/ports/tasks.ts";
import type { UserTerminals } from "../core/ports/terminals.ts";
import type { TestExplorer } from "../core/ports/tests.ts";
import type { UnsavedTexts } from "../core/ports/unsaved-texts.ts";
import type { VirtualFiles } from "../core/ports/virtual-files.ts";
import type { BinaryFiles, Problems, Symbols, Workspace } from "../core/ports/workspace.ts";
import type { Copy } from "../isolation/copy/copy.ts";
import type { Walls } from "../isolation/walls/walls.ts";
import type { WorkspaceMemory } from "../memory/workspace-memory.ts";
import type { FileIndexes } from "../node/search/file-index.ts";
import type { LineTerminals } from "../node/terminal/line-terminals.ts";
import type { PluginCatalog } from "../plugins/catalog.ts";
import type { Seal } from "../runs/log/log-seal.ts";
import type { CostLedger } from "../runs/store/cost-ledger.ts";
import type { RunSummary } from "../runs/store/run-summary.ts";
import type { RunTraces } from "../runs/traces/run-traces.ts";
import type { Grants } from "../safety/policy/grants.ts";
import type { Rule } from "../safety/policy/rules.ts";
import type { SavedRules } from "../safety/policy/saved-rules.ts";
import type { ShellLanguage } from "../safety/policy/shell-facts.ts";
import type { AgentEvent } from "../schema/events.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import type { Sentence } from "../texts/display-text.ts";
import type { CodeIndexes } from "./code-search/code-indexes.ts";
import type { ComposedRun } from "./composed-run.ts";
import type { ProgramsOptions, RunPrograms } from "./inert-programs.ts";
import type { HostIsolation } from "./isolated/isolated-run.ts";
import type { HostKind, KeyFor } from "./services/settings.ts";
import type { UnsavedChanges } from "./unsaved-changes.ts";

/** The folders that agents work in. */
interface HostWorkspace {
  isTrusted(): boolean;
  /** The folders that a run works in now, its own first; `named` are those that its prompt names. */
  listFolders(folder: string, named?: readonly WorkspaceFolder[]): readonly WorkspaceFolder[];
  /** Files that aren't on this machine's disk; absent where none can be used. */
  readonly virtualFiles?: VirtualFiles;
  /** Whether a folder is open now; absent where folders are never opened or closed. */
  isOpen?(folder: string): boolean;
  /** Adds the host's own protection of files, such as unsaved edits. */
  guard<W extends Workspace & BinaryFiles>(base: W): W;
  /** The unsaved texts in its editors; absent without editors. */
  readonly unsaved?: UnsavedTexts;
  /** Returns the notebook of a path if it's unsaved; absent without editors. */
  findUnsavedNotebook?(path: string): UnsavedNotebook | undefined;
  /** The changes that agents made in unsaved texts. */
  readonly unsavedChanges?: UnsavedChanges;
  /** Removes files to a place from which the user can restore them; `fallback` keeps them with the run. */
  createTrash(fallback: (path: string) => Promise<string>): (path: string) => Promise<string>;
  /** Why a file mustn't be undone now, as a sentence. */
  explainUndoProblem(path: string): Sentence | undefined;
  /** Real paths of the files that the user has saved since a time in milliseconds. Absent where that can't be known. */
  listSavedSince?(since: number): ReadonlySet<string>;
}

/** The programs of the machine, and our own that run beside the agent. */
interface HostProcesses {
  readonly disk: Disk;
  readonly folderWatch: FolderWatch;
  /** Lists of the files in workspace folders. Searches and listings are slower without it. */
  readonly files?: FileIndexes;
  /** Indexes of the code in workspace folders, for `search_code`. */
  readonly codeIndexes?: CodeIndexes;
  loadShellLanguage(): Promise<ShellLanguage>;
  readonly documentWorker: string | URL;
  readonly pageWorker: string | URL;
  /** The Python interpreter that the user has chosen in the host for a folder. */
  findPythonInterpreter(folder: string): Promise<string | undefined>;
  /** Terminals for lines that a person approved; absent where there are none. */
  readonly terminals?: LineTerminals;
  /** Makes programs in place of this machine's, for a host that runs nothing and for isolated runs. */
  createPrograms?(run: ProgramsOptions): Promise<RunPrograms>;
}

/** A run as the host's approver sees it. */
export interface AskingRun {
  readonly live: LiveRun;
  readonly run: Run;
  readonly grants: Grants;
  /** Its model for small tasks, which stays within its budget. */
  getFastModel(): Model;
}

/** The person at the other end. */
interface HostApprover {
  /** False if no one can answer, so that the agent isn't offered questions. */
  readonly isPresent: boolean;
  /** Problems pause a run instead of ending it, because a person can help. */
  readonly isPatient: boolean;
  /** Asks about anything that the policy doesn't decide. */
  createApprover(asking: AskingRun): Approver;
  findUser(requests: UserRequests): User | undefined;
  /** Rules that apply only to this start, before those of the settings. */
  listRules(commands: CommandSet): readonly Rule[];
}

/** The user's keys. */
interface HostSecrets {
  /** Lists all keys, to keep them out of logs and prompts. */
  listKeys(): Promise<readonly string[]>;
  readonly keyFor: KeyFor;
}

/** Where runs, memories and rules are kept. */
interface HostStorage {
  /** The home of runs whose workspace folder can't be written. */
  getFallbackFolder(folder: string): string;
  /** The folder for the copies of isolated runs, outside every workspace. */
  readonly copies: string;
  /** The mark in the log of one of this user's runs on this machine. */
  getMachineMark(run: string): Promise<string>;
  /** Seals the lines of a run's log. */
  seal(run: string): Promise<Seal>;
  /** All runs within reach. */
  listRuns(): Promise<readonly RunSummary[]>;
  /** The memory of a folder. Throws a sentence when it can't be used. */
  openMemory(folder: string): Promise<WorkspaceMemory>;
  readonly savedRules?: SavedRules;
  /** Called after an event was written, before the run continues. Absent for runs that don't move. Throws a sentence to end the run. */
  fence?(run: string, event: AgentEvent): Promise<void>;
  /** The user's costs over all folders; absent: costs count for their run alone. */
  readonly costs?: CostLedger;
}

/** Models as the settings name them. */
interface HostModels {
  /** `model` is the smart model of a profile, if it names one. Throws a sentence if no model is set up. */
  resolveModelPair(folder: string, model?: string): Promise<ModelPair>;
  countTokens(model: string, window: number): CountTokens;
}

/** Reports while a run works; none of them is an event. */
export interface HostLog {
  /** A warning stays until the user closes it; anything else until the next reply. */
  notice(run: string, text: Sentence, kind?: "info" | "warning"): void;
  reportDelta(run: string, step: number, delta: ModelDelta): void;
  /** The deltas of this step so far are void. */
  reportRestart(run: string, step: number): void;
  reportOutput(run: string, step: number, chunk: string): void;
  /** True while a person can help when the run's log can't be written; then the write is tried again. */
  shouldWaitForDisk(run: string): boolean;
  /** Reports why the log can't be written, as a sentence; undefined once it can. */
  reportDiskTrouble(run: string, trouble: Sentence | undefined): void;
}

/** The runs of sub-agents, for a host that lists them. */
interface HostAgents {
  addAgent(agent: ComposedRun): void;
  /** Releases an agent that has stopped. */
  releaseAgent(agent: ComposedRun): Promise<void>;
}

/** A file that is open in the editor. */
export interface OpenFile {
  readonly path: string;
  /** The user is looking at this file. */
  readonly isActive?: boolean;
  /** First and last selected line, counted from 1. */
  readonly selected?: readonly [number, number];
}

/** Services that only an editor has. */
interface EditorServices {
  listOpenFiles(): readonly OpenFile[];
  /** Wraps the notebooks of the disk; open ones come from the editor instead. */
  createNotebooks(disk: Notebooks): Notebooks;
  readonly cells: CellRunner;
  createProblems(workspace: Workspace): Problems;
  createSymbols(workspace: Workspace): Symbols;
  /** `place` is where the outputs of a run are kept, without secrets. */
  createTasks(place: { readonly outputFolder: string; redact(text: string): string }): Tasks;
  readonly testExplorer: TestExplorer;
  readonly terminals: UserTerminals;
}

/** The copy and the walls of one run, and the host of its workspace. */
export interface RunCopy {
  readonly copy: Copy;
  readonly walls: Walls;
  readonly host: Host;
  readonly parts: HostIsolation;
}

/** An environment that runs agents: the editor or the command line. It supplies parts and composes nothing. */
export interface Host {
  readonly kind: HostKind;
  readonly workspace: HostWorkspace;
  readonly processes: HostProcesses;
  /** Absent where isolated runs aren't offered. */
  readonly isolation?: HostIsolation;
  readonly approver: HostApprover;
  /** Current settings for a folder. */
  getSettings(folder: string): Settings;
  readonly secrets: HostSecrets;
  readonly storage: HostStorage;
  readonly models: HostModels;
  readonly clock: { getNow(): Date };
  readonly log: HostLog;
  /** Writes traces of runs where the user wants them; absent: none are written. */
  readonly traces?: RunTraces;
  readonly agents: HostAgents;
  /**
   * Called when another process takes over a run that works here: it has asked, or the lease was lost. Returns the text that the user has
   * typed for the run and not sent.
   */
  handOver?(run: string, why: "asked" | "lost"): string;
  /** Commands that others have added. */
  listExtraCommands(): readonly Command[];
  readonly editor?: EditorServices;
  /** Set for one isolated run: its folders and programs are those of the copy. */
  readonly isolated?: RunCopy;
  /** Plugins within reach; absent where there can be none. */
  readonly plugins?: PluginCatalog;
}
