import type { Disposable, Event, Uri } from "vscode";
import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Command } from "../../core/commands/command.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import type { RunState } from "../../core/events/run-state.ts";
import type { Decision } from "../../core/ports/approver.ts";
import type { Model } from "../../core/ports/model.ts";
import { completeProfile, type Profile } from "../../core/prompt/profile.ts";
import type { HostedRun, HostedRuns, RunEvent } from "../../editor/panel/hosted-runs.ts";
import type { PluginMemoryStores } from "../../memory/shared/plugin-log.ts";
import type { PluginMemoryStore } from "../../memory/shared/shared-log.ts";
import type { ExtensionPlugins } from "../../plugins/extensions.ts";
import { wrapForeignCommand } from "../../plugins/foreign-command.ts";
import type { Plugin } from "../../plugins/plugin.ts";
import type { ModelProvider, PluginModels } from "../../plugins/plugin-models.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import type { Ways } from "../../runtime/isolated/ways.ts";
import { describeConflicts, undoSteps } from "../../runtime/run-undo.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import type { RunLibrary } from "./run-library.ts";
import type { Starter } from "./starter.ts";
import type { StoredRuns } from "./stored-runs.ts";

/** The value of `activate()`, for other extensions and for tests. */
export interface AutoGptApi {
  readonly version: 2;
  /**
   * Starts a run without showing the profile form. `ways` starts 2 to 8 isolated runs at once, which share one run's budget. Throws a
   * sentence when no run can start here.
   */
  readonly startRun: StartRun;
  /** The runs of the open folders, newest first. */
  runs(): Promise<readonly RunSummary[]>;
  /** Opens a stored run. `resume()` continues it, if it isn't read-only. */
  openRun(id: string): Promise<RunHandle>;
  readonly onEvent: Event<{ readonly runId: string; readonly event: AgentEvent }>;
  /** Adds a plugin to future runs: hooks, under current or classic names, and commands. Throws a sentence if the plugin can't be used. */
  registerPlugin(plugin: Plugin): Disposable;
  /** Adds models to those that the user can pick in *Select Model…*. Throws a sentence for a provider that can't be used. */
  registerModelProvider(provider: ModelProvider): Disposable;
  /** Adds a store for sharing a team's memory. Throws a sentence if the store can't be used. */
  registerMemoryStore(store: PluginMemoryStore): Disposable;
  /** Adds a command to future runs. It always needs approval, and its result is quoted as data. */
  registerCommand(command: Command): Disposable;
}

interface StartRun {
  (options: StartOptions): Promise<RunHandle>;
  (options: WaysOptions): Promise<Ways>;
}

interface StartOptions {
  readonly task: string;
  readonly profile?: Partial<Profile>;
  /** The workspace folder to work in; the first one if absent. */
  readonly folder?: Uri;
  /**
   * `plan`: the run only reads and plans until `autogpt.carryOut` lets it act. `isolated`: the run works in a sandboxed copy without
   * asking, and the user reviews its changes.
   */
  readonly approval?: "ask" | "continuous" | "plan" | "isolated";
  readonly maxSteps?: number;
  /** Replaces the configured models. */
  readonly model?: Model;
  readonly ways?: undefined;
}

/** A task to try in several ways, each in its own copy. */
interface WaysOptions extends Pick<StartOptions, "task" | "folder"> {
  readonly approval: "isolated";
  readonly ways: readonly {
    /** Its name in comparisons. */
    readonly label: string;
    /** Replaces the configured models. */
    readonly model?: Model;
    /** Text added to the task for this way only. */
    readonly instructions?: string;
  }[];
  /** A command line that runs in each copy at the end. */
  readonly check?: string;
}

/** A run that can be steered. */
export interface RunHandle {
  readonly id: string;
  readonly state: RunState;
  /** Decides on the proposal of a step, once. Throws, and executes nothing, when that step isn't pending. */
  decide(step: number, decision: Decision): Promise<void>;
  /** Answers a question, rejects a pending proposal with this feedback, or queues the text for the next prompt. */
  say(text: string): void;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
  /**
   * Undoes the file changes of a step, or of the whole run. Throws a sentence that names the files that were skipped because they have
   * changed since.
   */
  undo(step?: number): Promise<void>;
  readonly end: Promise<RunEnd>;
}

/** Dependencies of the API. */
export interface ApiDependencies {
  readonly runs: HostedRuns;
  readonly starter: Starter;
  readonly library: RunLibrary;
  readonly stored: StoredRuns;
  readonly extraCommands: Set<Command>;
  readonly extensionPlugins: ExtensionPlugins;
  readonly pluginModels: PluginModels;
  readonly memoryStores: PluginMemoryStores;
}

/** The API for other extensions. */
export function createExportedApi({
  runs,
  starter,
  library,
  stored,
  extraCommands,
  extensionPlugins,
  pluginModels,
  memoryStores,
}: ApiDependencies): AutoGptApi {
  const startOne = async (options: StartOptions): Promise<RunHandle> => {
    const { task, profile, folder, approval, maxSteps, model } = options;
    const hosted = await starter.start({
      task,
      profile: completeProfile(task, profile),
      ...omitUndefined({ folder, mode: approval }),
      ...(maxSteps ? { maxSteps } : {}),
      ...(model ? { models: { smart: model, fast: model } } : {}),
    });
    return createRunHandle(hosted);
  };
  const startWays = ({ approval: _approval, ways, ...request }: WaysOptions): Promise<Ways> => {
    const withModels = ways.map(({ model, ...way }) => ({
      ...way,
      ...(model ? { models: { smart: model, fast: model } } : {}),
    }));
    return starter.startWays({ ...request, ways: withModels });
  };
  function startRun(options: StartOptions): Promise<RunHandle>;
  function startRun(options: WaysOptions): Promise<Ways>;
  async function startRun(options: StartOptions | WaysOptions): Promise<RunHandle | Ways> {
    if (options.task.trim() === "") fail("actions.api.noTask");
    return options.ways ? startWays(options) : startOne(options);
  }
  return {
    version: 2,
    startRun,
    onEvent: (listener: (event: RunEvent) => unknown, self?: unknown, disposables?: vscode.Disposable[]) => {
      const subscription = runs.onEvent((event) => listener.call(self, event));
      const disposable = new vscode.Disposable(() => subscription.dispose());
      disposables?.push(disposable);
      return disposable;
    },
    runs: () => library.list(),
    openRun: async (id) => createRunHandle(await stored.open(id)),
    registerPlugin: (plugin) => new vscode.Disposable(extensionPlugins.register(plugin)),
    registerModelProvider: (provider) => new vscode.Disposable(pluginModels.register(provider)),
    registerMemoryStore: (store) => new vscode.Disposable(memoryStores.register(store)),
    registerCommand(command) {
      if (!/^[\w-]{1,64}$/.test(command.name)) fail("actions.api.commandName");
      const foreign = wrapForeignCommand(command);
      extraCommands.add(foreign);
      return new vscode.Disposable(() => extraCommands.delete(foreign));
    },
  };
}

function createRunHandle(hosted: HostedRun): RunHandle {
  const demandLive = () => {
    if (!hosted.live) throw new DisplayError(hosted.readOnly ?? displayText("actions.readOnly"));
    return hosted.live;
  };
  return {
    id: hosted.id,
    get state() {
      return hosted.run.state;
    },
    get end() {
      return demandLive().end;
    },
    decide: (step, decision) => demandLive().decide(step, decision),
    say: (text) => void demandLive().say(text),
    pause: () => demandLive().pause(),
    resume: () => demandLive().resume(),
    stop: () => demandLive().stop(),
    undo: (step) => undo(hosted, step),
  };
}

async function undo(hosted: HostedRun, step: number | undefined): Promise<void> {
  const left = describeConflicts(await undoSteps(hosted, step === undefined ? {} : { step }));
  if (left !== undefined) throw new DisplayError(left);
}
