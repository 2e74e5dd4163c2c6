import { resolve } from "node:path";
import { omitUndefined } from "../core/base/objects.ts";
import type { SharedAmount } from "../memory/shared/sharing.ts";
import type { StrategyName } from "../schema/run-values.ts";
import type { SettingName } from "../schema/settings.ts";
import { collectFlagSettings, type FlagName, type Flags, listFlagRemarks, readFlags } from "./flags.ts";
import type { Environment, SettingSources } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

/** The agent's profile, as far as the command line specifies it. */
export interface ProfileOptions {
  /** Absolute path of a profile. */
  readonly file?: string;
  readonly name?: string;
  readonly role?: string;
  readonly goals: readonly string[];
  /** How prompts become steps, in place of the profile's. */
  readonly strategy?: StrategyName;
  /** Use the profile that was used last. */
  readonly reuse: boolean;
  /** Have a model draft it. */
  readonly draft: boolean;
  /** The name of an agent of the user or the repository. */
  readonly agent?: string;
}

/** Another machine, as the command line names it. */
export interface OtherPlace {
  /** Such as `ssh:box`. */
  readonly name: string;
  /** Absolute path of a configuration of ssh. */
  readonly sshConfig?: string;
  /** Address of the repository through which runs travel. */
  readonly repository?: string;
  /** Don't ask before something is sent. */
  readonly isAgreed: boolean;
}

/** A run that the command line asks for. */
export interface RunOptions {
  readonly task?: string;
  /** Values for the inputs of the command that the task begins with. */
  readonly inputs?: ReadonlyMap<string, string>;
  /** An issue that the task is about, as the command line names it. */
  readonly issue?: string;
  /** Absolute paths of pictures for the task. */
  readonly pictures: readonly string[];
  /** Absolute paths of plugins to use. */
  readonly plugins: readonly string[];
  /** Absolute. */
  readonly workspace: string;
  readonly profile: ProfileOptions;
  /** Absolute path of a file with lists for the prompt. */
  readonly promptSettings?: string;
  /** The id of a stored run to continue. */
  readonly resume?: string;
  /** Take that run over from the process that works on it. */
  readonly takeOver: boolean;
  readonly yesTo: readonly string[];
  /** How much of the memory the user agrees to share; absent: nothing. */
  readonly sharesMemory?: SharedAmount;
  /** Make a plan first. */
  readonly plan: boolean;
  /** Work in a sandboxed copy. */
  readonly isolated: boolean;
  /** Accept the changes of an isolated run at its end. */
  readonly accept: boolean;
  /** Read thoughts aloud. */
  readonly speak: boolean;
  /** One model for everything. */
  readonly onlyModel?: "smart" | "fast";
  readonly json: boolean;
  /** Another machine to work on, and how to get there. */
  readonly on?: OtherPlace;
  readonly sources: SettingSources;
  readonly env: Environment;
  /** Sentences about flags that do nothing here. */
  readonly remarks: readonly string[];
}

/** Reads the command line of a run; `help` when that was asked for. Throws `UsageError`. */
export function readOptions(argv: readonly string[], env: Environment): RunOptions | "help" {
  const flags = readFlags(argv);
  if (flags.has("help")) return "help";
  const [stranger] = flags.rest;
  if (stranger === undefined) return createRunOptions(flags, env);
  const isCommand = stranger.startsWith("/") && !flags.has("task");
  if (isCommand) return createRunOptions(flags, env, "new run", flags.rest.join(" "));
  throw new UsageError(`"${stranger}" is no command. The task follows --task, in quotation marks.`);
}

/**
 * The options of a run, from its flags. A stored run needs no task, and is searched for where the program was called; a served run gets its
 * task later, and a session its folder, too. Throws `UsageError`.
 */
export function createRunOptions(
  flags: Flags,
  env: Environment,
  of: "new run" | "stored run" | "served run" | "session" = "new run",
  task = flags.findValue("task"),
): RunOptions {
  const base = getBaseFolder(env);
  const issue = flags.findValue("issue")?.trim();
  const resume = flags.findValue("resume");
  const file = flags.findValue("profile");
  const workspace = flags.findValue("workspace") ?? (of === "stored run" || of === "session" ? base : undefined);
  const promptSettings = flags.findValue("prompt-settings");
  const profile = parseProfileOptions(flags, base);
  if (of === "new run" && (task ?? issue ?? resume) === undefined && !hasGoals(profile, flags))
    throw new UsageError("Say what the agent should do with --task, or name a run to continue with --resume.");
  if (task?.trim() === "") throw new UsageError("The task is empty. Say what the agent should do.");
  if (workspace === undefined) throw new UsageError("Name the folder the agent should work in with --workspace.");
  if (flags.has("picture") && resume !== undefined && task === undefined)
    throw new UsageError("Pictures belong to a message. Give one with --task.");
  if (file !== undefined && resume !== undefined)
    throw new UsageError("A stored run keeps its profile. Leave out --profile, or start a new run.");
  if (profile.agent !== undefined && (file !== undefined || resume !== undefined))
    throw new UsageError("--agent is for a new run without --profile. Leave one of them out.");
  if (flags.has("gpt3only") && flags.has("gpt4only"))
    throw new UsageError("--gpt3only and --gpt4only contradict each other. Give one of them.");
  demandIsolation(flags);
  return {
    workspace: resolve(base, workspace),
    profile,
    pictures: flags.listValues("picture").map((path) => resolve(base, path)),
    plugins: flags.listValues("plugin").map((path) => resolve(base, path)),
    yesTo: flags.listValues("yes-to").flatMap(parseCommandNames),
    plan: flags.has("plan"),
    isolated: flags.has("isolated"),
    accept: flags.has("accept"),
    takeOver: flags.has("take-over"),
    json: flags.has("json"),
    speak: flags.has("speak"),
    sources: collectSettingSources(flags, env),
    env,
    remarks: listFlagRemarks(flags),
    ...(task === undefined ? {} : { task: task.trim() }),
    ...(flags.has("input") ? { inputs: new Map(flags.listValues("input").map(parseInput)) } : {}),
    ...omitUndefined({ resume, issue, on: parseOtherPlace(flags, base) }),
    ...(promptSettings === undefined ? {} : { promptSettings: resolve(base, promptSettings) }),
    ...(flags.has("share-memory") ? { sharesMemory: parseSharedAmount(flags) } : {}),
    ...(flags.has("gpt3only") ? { onlyModel: "fast" as const } : {}),
    ...(flags.has("gpt4only") ? { onlyModel: "smart" as const } : {}),
  };
}

/** The machine of `--on`; undefined without it. */
export function parseOtherPlace(flags: Flags, base: string): OtherPlace | undefined {
  const name = flags.findValue("on");
  const config = flags.findValue("ssh-config");
  if (name === undefined) return undefined;
  const sshConfig = config === undefined ? undefined : resolve(base, config);
  const repository = flags.findValue("repository");
  return { name, isAgreed: flags.has("yes"), ...omitUndefined({ sshConfig, repository }) };
}

/** Throws `UsageError`. */
function parseInput(text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--input takes a name and a value, as in --input module=sum.js, not "${text}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Throws `UsageError`. */
function parseSharedAmount(flags: Flags): SharedAmount {
  const what = flags.findValue("share-memory");
  if (what === "notes" || what === "all") return what;
  throw new UsageError("Say what --share-memory shares: notes, or all for the steps as well.");
}

/** Throws `UsageError` for flags that an isolated run can't have. */
function demandIsolation(flags: Flags): void {
  if (flags.has("isolated") && flags.has("plan"))
    throw new UsageError("--isolated and --plan contradict each other. Give one of them.");
  if (flags.has("accept") && !flags.has("isolated") && !flags.has("resume"))
    throw new UsageError("--accept can only be used with --isolated.");
}

/** Paths are relative to where npm was called, if it was. */
export function getBaseFolder(env: Environment): string {
  return env.INIT_CWD ?? process.cwd();
}

/** The sources of a start's settings. Throws `UsageError`. */
export function collectSettingSources(flags: Flags, env: Environment): SettingSources {
  const file = flags.findValue("settings");
  const envFile = flags.findValue("env-file");
  return {
    env,
    set: flags.listValues("set"),
    flags: { ...collectFlagSettings(flags), ...parseContinuousSettings(flags) },
    ...(file === undefined ? {} : { file: resolve(getBaseFolder(env), file) }),
    ...(envFile === undefined ? {} : { envFile: resolve(getBaseFolder(env), envFile) }),
  };
}

function parseProfileOptions(flags: Flags, base: string): ProfileOptions {
  const file = flags.findValue("profile");
  const name = flags.findValue("ai-name");
  const role = flags.findValue("ai-role");
  const agent = flags.findValue("agent");
  return {
    goals: flags.listValues("ai-goal"),
    reuse: flags.has("skip-reprompt"),
    draft: flags.has("draft"),
    ...(file === undefined ? {} : { file: resolve(base, file) }),
    ...omitUndefined({ name, role, agent }),
  };
}

/** True if a profile's goals can replace a task, as in classic AutoGPT. */
function hasGoals({ file, goals, reuse }: ProfileOptions, flags: Flags): boolean {
  return file !== undefined || goals.length > 0 || reuse || flags.has("env-file");
}

function parseContinuousSettings(flags: Flags): Readonly<Partial<Record<SettingName, unknown>>> {
  if (!flags.has("continuous")) {
    if (flags.has("continuous-limit")) throw new UsageError("--continuous-limit can only be used with --continuous.");
    return {};
  }
  const own = flags.findValue("continuous") ?? "";
  const limit = flags.findValue("continuous-limit");
  if (own !== "" && limit !== undefined)
    throw new UsageError("--continuous has a number already. Leave out --continuous-limit.");
  const name: FlagName = own === "" ? "continuous-limit" : "continuous";
  const text = own === "" ? limit : own;
  return {
    "run.continuous": true,
    ...(text === undefined ? {} : { "run.continuousLimit": parseWholeNumber(name, text) }),
  };
}

/** The number of a flag; undefined without it. Throws a `UsageError` unless it's a whole one within the limits. */
export function parseCountFlag<Name extends string>(
  flags: Flags<Name>,
  name: Name,
  { least = 1, most, unit = "" }: { readonly least?: number; readonly most: number; readonly unit?: string },
): number | undefined {
  const text = flags.findValue(name);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new UsageError(`--${name} takes a number${unit} from ${least} to ${most}, not "${text}".`);
}

function parseWholeNumber(name: FlagName, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--${name} takes a number of commands above 0, not "${text}".`);
  return Number(text);
}

function parseCommandNames(list: string): readonly string[] {
  return list
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
}
