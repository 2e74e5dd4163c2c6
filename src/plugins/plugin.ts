import type { Command, Touch } from "../core/commands/command.ts";
import type { ApiResponse } from "../core/ports/services.ts";
import type { ProgramWalls } from "../node/processes/programs.ts";
import type { HookAnswer, HookName, HookPayloads, OfferedCommand } from "../schema/plugin-values.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import type { PluginConsent } from "../schema/stored-files.ts";
import type { Sentence } from "../texts/display-text.ts";
import type { RunChanges } from "./started/started-files.ts";

/** Names of the kinds of plugins, in the order in which their hooks are called. */
export const PLUGIN_KINDS = ["extension", "own", "folder", "python", "hooks", "mcp", "tools"] as const;

type PluginKind = (typeof PLUGIN_KINDS)[number];

/** Where a plugin comes from. Hooks of extensions are called first, those of the workspace last. */
export type PluginOrigin = "extension" | "user" | "workspace";

/** Passed to a plugin of another extension with each call. */
export interface HookContext {
  /** Aborted when the answer isn't needed any more. */
  readonly signal: AbortSignal;
  /** The user's `autogpt.plugins.config` for it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Writes a line to its log, which Manage Plugins… shows. */
  log(text: string): void;
  /** A secret that the user has entered for this plugin alone; undefined if there is none. */
  secret(name: string): Promise<string | undefined>;
  /**
   * Sends a request as the agent's own commands do: to the public internet and the user's `web.allowHosts` alone, never with a cookie.
   * Redirects are followed for GET and HEAD within the same site, without `headers` to another origin. Throws a sentence.
   */
  fetch(url: string, request?: PluginRequest): Promise<PluginResponse>;
}

/** A request of a plugin. */
export interface PluginRequest {
  /** GET if absent. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The run's signal if absent. */
  readonly signal?: AbortSignal;
}

/** A server's response with any status. Of a body longer than `web.maxBytes`, it has the beginning. */
export type PluginResponse = ApiResponse;

/** The context in which a plugin prepares a call. */
export interface PrepareCallContext extends HookContext {
  /** Reads a file of the workspace; the card then says so, and files with secrets ask. Throws a sentence. */
  readFile(path: string): Promise<PluginFile>;
}

/** A file as it was when a call was prepared. If it changes, the call is prepared and shown again. */
export interface PluginFile {
  /** Path for people, relative to the workspace folder. */
  readonly label: string;
  readonly bytes: Uint8Array;
}

/** The context in which a call runs. */
interface RunCallContext extends HookContext {
  /** Shows output as it arrives. */
  output(chunk: string): void;
}

/** The result of a call: a text, or one that names who wrote it. */
export type PluginResult = string | { readonly text: string; readonly source?: string };

/** A call of a plugin's command, ready to be shown and run. */
export interface PluginCall {
  /** All of what would happen, in words for people. Arguments that it doesn't contain are shown below it. */
  readonly text: string;
  /** Hosts that would receive requests, in place of those of the command. */
  readonly hosts?: readonly string[];
  /** It publishes something in the user's name. */
  readonly publishes?: true;
  /** Why nothing but the user's own decision allows it, as a sentence. */
  readonly asks?: string;
  run(context: RunCallContext): PluginResult | Promise<PluginResult>;
}

type Answered<Value> = Value | undefined | Promise<Value | undefined>;

type HookFunctions = {
  readonly [Name in Exclude<HookName, "offer">]?: (
    payload: HookPayloads[Name],
    context: HookContext,
  ) => Answered<HookAnswer<Name>> | void | Promise<void>;
};

/** A command that a plugin adds. Each call asks the user, and its result is quoted as data. */
export interface PluginCommand extends OfferedCommand {
  /** Runs a call whose card shows its arguments. Not needed with `prepare`. */
  run?(
    args: Readonly<Record<string, unknown>>,
    context: RunCallContext,
  ): PluginResult | Promise<PluginResult>;
  /** Checks a call and says what it would do. Changes nothing. Throws a sentence for a call that can't be made. */
  prepare?(
    args: Readonly<Record<string, unknown>>,
    context: PrepareCallContext,
  ): PluginCall | Promise<PluginCall>;
}

type Offer = Omit<HookAnswer<"offer">, "commands"> & { readonly commands?: readonly PluginCommand[] };

/** A plugin, as another extension registers it. The classic names of hooks work as well. */
export interface Plugin extends HookFunctions {
  /** Unique: letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** It checks commands: while it can't answer, the user is asked. */
  readonly guard?: boolean;
  /** Called once, at the start of a run. */
  offer?(payload: HookPayloads["offer"], context: HookContext): Answered<Offer>;
}

/** The run that a plugin is loaded for, as far as it may know it. */
export interface PluginRun {
  readonly id: string;
  /** Real path of the folder that the run works in. */
  readonly folder: string;
  /** Real path of the user's own folder; absent unless the run works in a copy. */
  readonly origin?: string | undefined;
  /** The folder of the copies of all runs; absent unless the run works in one. */
  readonly copies?: string | undefined;
  /** Set if the run's command lines are confined. What the run can write runs nowhere else. */
  readonly walls?: ProgramWalls | undefined;
  /** The user's consent to the plugin, as it is now. */
  consent?(): Promise<PluginConsent | undefined>;
  /** The changes that the run may have made in the user's own folder. */
  getChanges?(): RunChanges;
  listFolders(): readonly WorkspaceFolder[];
  /** Where it may keep outputs: the run's own folder. */
  readonly home: string;
  readonly settings: Settings;
  /** Shows the user a notice about it. */
  notice(text: Sentence): void;
  /** Stops the run, as the user can. A host that can't leaves it out. */
  stop?(why: Sentence): void;
  /** Removes secrets from a text. */
  redact(text: string): string;
}

/** A plugin that is loaded for a run. Its processes start with the first call. */
export interface LoadedPlugin {
  readonly id: string;
  readonly name: string;
  readonly from: PluginOrigin;
  readonly kind: PluginKind;
  /** The hooks that it has. No other is called. */
  readonly hooks: readonly HookName[];
  /** While it can't answer `beforeCommand`, the user is asked. */
  readonly isGuard: boolean;
  /** Milliseconds for each answer, in place of the table's. */
  readonly limitMs?: number;
  /** Makes its commands ready. The run waits for at most 3 seconds; later ones are reported by `news`. */
  readonly open?: (signal: AbortSignal) => Promise<void>;
  /** Commands that it has without its hook `offer`, ready to be offered. Their previews show the truth, and their outcomes name the source. */
  listCommands?(): readonly Command[];
  /** Commands that prompts don't offer, because they came after the start: `find_tools` finds them, and `call_tool` calls them. */
  listUnofferedCommands?(): readonly Command[];
  /** Calls a hook, whose payload others get as well. The answer is JSON that wasn't checked. It may never settle, so the caller limits the time. */
  call(hook: HookName, payload: unknown, signal: AbortSignal): Promise<unknown>;
  /** Runs a command of its hook `offer`. */
  run?(name: string, args: Readonly<Record<string, unknown>>, running: CommandRun): Promise<PluginResult>;
  /** Checks a call of such a command; undefined for a command whose card shows its arguments. Throws a sentence. */
  prepare?(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<PreparedOffer | undefined>;
  /** Changes since the last call, for the next prompt: for example tools that came late. */
  takeNews?(): readonly string[];
  /** Ends its processes and connections. A later call starts them again. */
  close(): Promise<void>;
}

/** A running command of a plugin. */
export interface CommandRun {
  readonly signal: AbortSignal;
  output(chunk: string): void;
}

/** A call of an offered command, ready to be shown. */
export interface PreparedOffer extends Omit<PluginCall, "run"> {
  /** The files that it has read. */
  readonly reads: readonly Touch[];
  /** False once one of them has changed. */
  isFresh(): Promise<boolean>;
  run(running: CommandRun): Promise<PluginResult>;
}

/** A plugin that was found, and of which nothing has run. */
export interface FoundPlugin {
  /** Unique within its kind. */
  readonly id: string;
  readonly kind: PluginKind;
  readonly from: PluginOrigin;
  readonly name: string;
  readonly description: string;
  /** Names of the hooks and commands that it adds, as far as that's known before it runs. */
  readonly adds: readonly string[];
  /** How it is kept apart from the rest of the machine. */
  readonly isolation: Sentence;
  /** The version that the user agrees to. Absent for plugins that the user has installed, such as extensions. */
  readonly consent?: {
    /** SHA-256 of everything that it consists of. */
    readonly hash: string;
    /** All of that the user has to see: command lines, names of files, texts of tools. */
    readonly shown: string;
  };
  /** Off unless the user turns it on, even without a consent. */
  readonly isOptional?: boolean;
  /** Why it can't be loaded, as a sentence that says what to do. */
  readonly problem?: Sentence;
  /** Texts that tasks can mention as `@id:uri`. */
  readonly resources?: PluginResources;
  /** Its templates of tasks, once it is allowed. */
  readonly prompts?: PluginPrompts;
  /** The user's account on it, for a server at an address. */
  readonly account?: PluginAccount;
  /** The file that sets it up, if it's a plain one. */
  readonly file?: string;
  load(run: PluginRun): Promise<LoadedPlugin>;
}

/** Texts that a server has under addresses of its own. */
interface PluginResources {
  /** Starts the server if needed. The text isn't trusted, and is cut. Throws a sentence. */
  read(uri: string, signal: AbortSignal): Promise<string>;
  /** Addresses of those that are known without starting anything. */
  listKnownAddresses(): Promise<readonly string[]>;
}

/** A sign-in that is kept for the user. */
interface PluginAccount {
  hasSignIn(): Promise<boolean>;
  /** Has the user sign in. Runs that wait for it get its tools. Throws a sentence. */
  signIn(): Promise<void>;
  /** Forgets the sign-in, and ends the connection that uses it. */
  signOut(): Promise<void>;
}

/** A template of a task. All of its words are the server's. */
export interface PluginPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly isRequired: boolean;
  }[];
}

/** Templates of tasks. Both start the server if needed, and throw a sentence. */
interface PluginPrompts {
  list(signal: AbortSignal): Promise<readonly PluginPrompt[]>;
  fetchText(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>;
}

/** A place where plugins are found. */
export interface PluginSource {
  /** Finds its plugins for a folder. Runs and changes nothing. */
  find(place: PluginPlace): Promise<readonly FoundPlugin[]>;
  /** Releases what the runs of a host have shared. */
  close?(): Promise<void>;
}

/** A workspace folder, as sources of plugins see it. */
export interface PluginPlace {
  readonly folder: string;
  /** Nothing that a repository ships is looked at before. */
  readonly isTrusted: boolean;
  readonly settings: Settings;
}
