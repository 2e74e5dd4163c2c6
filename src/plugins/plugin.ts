import type { Command, Touch } from "../core/commands/command.ts";
import type { ApiResponse } from "../core/ports/services.ts";
import type { ProgramWalls } from "../node/processes/programs.ts";
import type { HookAnswer, HookName, HookPayloads, OfferedCommand } from "../schema/plugin-values.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import type { PluginConsent } from "../schema/stored-files.ts";
import type { Sentence } from "../texts/display-text.ts";
import type { RunChanges } from "./started/started-files.ts";

/** The kinds of plugins, in the order in which their hooks are called. */
export const PLUGIN_KINDS = ["extension", "own", "folder", "python", "hooks", "mcp", "tools"] as const;

type PluginKind = (typeof PLUGIN_KINDS)[number];

/** The origin of a plugin. Hooks of extensions are called first, those of the workspace last. */
export type PluginOrigin = "extension" | "user" | "workspace";

/** Passed to a plugin of another extension with each call. */
export interface HookContext {
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** The user's settings for it in `autogpt.plugins.config`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Writes a line to its log, which Tools and Plugins shows. */
  log(text: string): void;
  /** A secret that the user has entered for this plugin only; undefined if there is none. */
  secret(name: string): Promise<string | undefined>;
  /**
   * Sends a request like the agent's own commands: only to the public internet and the user's `web.allowHosts`, and never with a cookie.
   * Redirects are followed for GET and HEAD within the same site, and `headers` aren't sent to another origin. Throws a sentence.
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

/** A server's response with any status. A body longer than `web.maxBytes` is cut. */
export type PluginResponse = ApiResponse;

/** The context in which a plugin prepares a call. */
export interface PrepareCallContext extends HookContext {
  /** Reads a file of the workspace. The card then mentions it, and files with secrets require approval. Throws a sentence. */
  readFile(path: string): Promise<PluginFile>;
}

/** A file with its state when a call was prepared. If the file changes, the call is prepared and shown again. */
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

/** The result of a call: a text, or a text with its author. */
export type PluginResult = string | { readonly text: string; readonly source?: string };

/** A prepared call of a plugin's command, ready to show and run. */
export interface PluginCall {
  /** A description for people of everything that would happen. Arguments that it lacks are shown below it. */
  readonly text: string;
  /** Hosts that would receive requests, instead of the command's. */
  readonly hosts?: readonly string[];
  /** It publishes something in the user's name. */
  readonly publishes?: true;
  /** The reason why only the user can approve it, as a sentence. */
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
  run?(args: Readonly<Record<string, unknown>>, context: RunCallContext): PluginResult | Promise<PluginResult>;
  /** Checks a call and describes what it would do, without changing anything. Throws a sentence for an invalid call. */
  prepare?(args: Readonly<Record<string, unknown>>, context: PrepareCallContext): PluginCall | Promise<PluginCall>;
}

type Offer = Omit<HookAnswer<"offer">, "commands"> & { readonly commands?: readonly PluginCommand[] };

/** A plugin as registered by another extension. The classic names of hooks also work. */
export interface Plugin extends HookFunctions {
  /** Unique: letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The plugin checks commands: while it can't answer, the user is asked. */
  readonly guard?: boolean;
  /** Called once, at the start of a run. */
  offer?(payload: HookPayloads["offer"], context: HookContext): Answered<Offer>;
}

/** The run for which a plugin is loaded, with the parts that the plugin may know. */
export interface PluginRun {
  readonly id: string;
  /** Real path of the folder that the run works in. */
  readonly folder: string;
  /** Real path of the user's own folder; absent unless the run works in a copy. */
  readonly origin?: string | undefined;
  /** The folder that contains all runs' copies; absent unless the run works in one. */
  readonly copies?: string | undefined;
  /** Set if the run's command lines are confined. Files that the run can write aren't executed anywhere else. */
  readonly walls?: ProgramWalls | undefined;
  /** The user's current consent to the plugin. */
  consent?(): Promise<PluginConsent | undefined>;
  /** The changes that the run may have made in the user's own folder. */
  getChanges?(): RunChanges;
  listFolders(): readonly WorkspaceFolder[];
  /** The run's own folder, where it may store outputs. */
  readonly home: string;
  readonly settings: Settings;
  /** Shows the user a notice about it. */
  notice(text: Sentence): void;
  /** Stops the run, as the user can. Absent if the host can't do that. */
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
  /** Its hooks. No others are called. */
  readonly hooks: readonly HookName[];
  /** While it can't answer `beforeCommand`, the user is asked. */
  readonly isGuard: boolean;
  /** Milliseconds for each answer, instead of the table's limit. */
  readonly limitMs?: number;
  /** Prepares its commands. The run waits at most 3 seconds; `takeNews` reports later ones. */
  readonly open?: (signal: AbortSignal) => Promise<void>;
  /**
   * Commands that don't come from its hook `offer`, ready to be offered. Their previews are reliable, and their outcomes name the source.
   */
  listCommands?(): readonly Command[];
  /** Commands that prompts don't offer because they arrived after the start. `find_tools` finds them, and `call_tool` calls them. */
  listUnofferedCommands?(): readonly Command[];
  /**
   * Calls a hook with a payload that others receive as well. The answer is unchecked JSON. It may never settle, so the caller limits the
   * time.
   */
  call(hook: HookName, payload: unknown, signal: AbortSignal): Promise<unknown>;
  /** Runs a command of its hook `offer`. */
  run?(name: string, args: Readonly<Record<string, unknown>>, running: CommandRun): Promise<PluginResult>;
  /** Checks a call of such a command; undefined if the command's card shows its arguments. Throws a sentence. */
  prepare?(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<PreparedOffer | undefined>;
  /** Changes since the last call, for the next prompt, such as tools that arrived late. */
  takeNews?(): readonly string[];
  /** Ends its processes and connections. A later call restarts them. */
  close(): Promise<void>;
}

/** A running command of a plugin. */
export interface CommandRun {
  readonly signal: AbortSignal;
  output(chunk: string): void;
}

/** A prepared call of an offered command, ready to show. */
export interface PreparedOffer extends Omit<PluginCall, "run"> {
  /** The files read during the preparation. */
  readonly reads: readonly Touch[];
  /** False once one of them has changed. */
  isFresh(): Promise<boolean>;
  run(running: CommandRun): Promise<PluginResult>;
}

/** A plugin that was found but hasn't run. */
export interface FoundPlugin {
  /** Unique within its kind. */
  readonly id: string;
  readonly kind: PluginKind;
  readonly from: PluginOrigin;
  readonly name: string;
  readonly description: string;
  /** Names of its hooks and commands, as far as they're known before it runs. */
  readonly adds: readonly string[];
  /** How it's isolated from the rest of the machine. */
  readonly isolation: Sentence;
  /** The version that the user agrees to. Absent for plugins that the user has installed, such as extensions. */
  readonly consent?: {
    /** SHA-256 of all its parts. */
    readonly hash: string;
    /** Everything that the user has to see: command lines, names of files, texts of tools. */
    readonly shown: string;
  };
  /** Off unless the user turns it on, even without a consent. */
  readonly isOptional?: boolean;
  /** Why it can't be loaded, as a sentence that says what to do. */
  readonly problem?: Sentence;
  /** Texts that tasks can mention as `@id:uri`. */
  readonly resources?: PluginResources;
  /** Its task templates, once it's allowed. */
  readonly prompts?: PluginPrompts;
  /** The user's account on a server at an address. */
  readonly account?: PluginAccount;
  /** The state and the tools of a server. */
  readonly server?: PluginServer;
  /** A reason to look twice before allowing it. */
  readonly warning?: Sentence;
  /** The file that sets it up, if it's a plain one. */
  readonly file?: string;
  load(run: PluginRun): Promise<LoadedPlugin>;
}

/** A server as a list of plugins shows it. */
export interface PluginServer {
  /** The secrets that its entry names. */
  readonly inputs: readonly string[];
  getState(): ServerState;
  /** Its tools as far as they're known without starting it. */
  listTools(): Promise<readonly ServerTool[]>;
  /** Starts it, so that it names its tools. Only for one that the user has allowed. Throws a sentence. */
  start(): Promise<void>;
  /** Ends its process or its connection. */
  stop(): Promise<void>;
}

/** The state of the connection to a server. */
export type ServerState =
  | { readonly kind: "idle" | "starting" | "running" }
  | { readonly kind: "failed"; readonly why: Sentence };

/** A tool of a server, with the command that calls it. */
export interface ServerTool {
  readonly name: string;
  readonly command: string;
  /** The first line of its description, which isn't trusted. */
  readonly description: string;
}

/** A server's texts, each with its own address. */
interface PluginResources {
  /** Reads a text, and starts the server if needed. The text isn't trusted, and is cut. Throws a sentence. */
  read(uri: string, signal: AbortSignal): Promise<string>;
  /** The addresses that are known without starting a server. */
  listKnownAddresses(): Promise<readonly string[]>;
}

/** A sign-in that is stored for the user. */
interface PluginAccount {
  hasSignIn(): Promise<boolean>;
  /** Asks the user to sign in. Runs that wait for it get its tools. Throws a sentence. */
  signIn(): Promise<void>;
  /** Deletes the sign-in, and ends the connection that uses it. */
  signOut(): Promise<void>;
}

/** A task template. All of its text is the server's. */
export interface PluginPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly isRequired: boolean;
  }[];
}

/** Task templates. Both methods start the server if needed, and throw a sentence. */
interface PluginPrompts {
  list(signal: AbortSignal): Promise<readonly PluginPrompt[]>;
  fetchText(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>;
}

/** A place that provides plugins. */
export interface PluginSource {
  /** Finds its plugins for a folder, without running or changing anything. */
  find(place: PluginPlace): Promise<readonly FoundPlugin[]>;
  /** Releases resources that a host's runs share. */
  close?(): Promise<void>;
}

/** A workspace folder, as seen by sources of plugins. */
export interface PluginPlace {
  readonly folder: string;
  /** Until it's trusted, nothing from the repository is read. */
  readonly isTrusted: boolean;
  readonly settings: Settings;
}
