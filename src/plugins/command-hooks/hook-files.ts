import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { isObject, type Json } from "../../core/base/json.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { HOOK_NAMES, type HookName } from "../../schema/plugin-values.ts";
import { displayText, getErrorText, type Sentence } from "../../texts/display-text.ts";
import { HOOKS } from "../hooks.ts";
import type { PluginOrigin, PluginPlace } from "../plugin.ts";
import { isMatcher } from "./tool-names.ts";

/** One command in a file of hooks, for this system. */
export interface HookCommand {
  readonly hook: HookName;
  /** The tools or occasions for which it runs, in Claude Code's form; "" for all. */
  readonly matcher: string;
  readonly command: string;
  /** Its working directory; relative to the workspace folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** A file of hooks. */
export interface HookFile {
  readonly path: string;
  /** For people: `.github/hooks/check.json` or `~/.claude/settings.json`. */
  readonly id: string;
  readonly from: PluginOrigin;
  /** True for Claude Code's own settings, whose commands expect its tool names. */
  readonly isClaudes: boolean;
  /** True if the user named it for this start, which counts as consent. */
  readonly isNamed: boolean;
  readonly commands: readonly HookCommand[];
  /** Its events and kinds of hooks that aren't supported. */
  readonly unused: readonly string[];
  readonly problem?: Sentence;
}

/** Time limit of a command in milliseconds, unless its own limit is shorter. */
export const HOOK_LIMIT_MS = 30_000;

const MAX_CHARS = 1_000_000;

/** Where to search for files of hooks. */
export interface HookPlaces {
  /** Paths that the user named for this start. */
  readonly named?: readonly string[];
  readonly home?: string;
  readonly platform?: NodeJS.Platform;
}

/** Finds the files of hooks for a folder. The workspace's files are used only if the workspace is trusted. */
export async function findHookFiles(
  { folder, isTrusted }: PluginPlace,
  { home = homedir(), named = [], platform = process.platform }: HookPlaces,
): Promise<readonly HookFile[]> {
  const user = [...(await listJsonFiles(home, ".copilot/hooks")), ".claude/settings.json"];
  const own = [".claude/settings.json", ".claude/settings.local.json"];
  const workspace = isTrusted && folder !== home ? [...(await listJsonFiles(folder, ".github/hooks")), ...own] : [];
  const given = named.filter((path) => path.endsWith(".json"));
  const found = await Promise.all([
    ...given.map(async (path) => {
      const file = await readHookFile(path, basename(path), "user", platform);
      return file && { ...file, isNamed: true };
    }),
    ...user.map((name) => readHookFile(join(home, name), `~/${name}`, "user", platform)),
    ...workspace.map((name) => readHookFile(join(folder, name), name, "workspace", platform)),
  ]);
  return found.filter((file) => file !== undefined);
}

async function listJsonFiles(root: string, folder: string): Promise<readonly string[]> {
  const names = await readdir(join(root, folder)).catch(() => []);
  return names.filter((name) => name.endsWith(".json")).map((name) => `${folder}/${name}`);
}

async function readHookFile(
  path: string,
  id: string,
  from: PluginOrigin,
  platform: NodeJS.Platform,
): Promise<HookFile | undefined> {
  const isClaudes = id.includes(".claude/");
  const file = { id, path, from, isClaudes, isNamed: false, commands: [], unused: [] };
  try {
    const text = await readFileText(path);
    if (text.length > MAX_CHARS) return { ...file, problem: displayText("plugins.hooksTooLong") };
    const value: unknown = JSON.parse(text);
    // Claude Code's settings are mostly about other things.
    if (isClaudes && !(isObject(value) && "hooks" in value)) return undefined;
    return { ...file, ...readHooks(value, platform) };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    const problem =
      error instanceof SyntaxError ? displayText("plugins.hooksNotJson", { why: error.message }) : getErrorText(error);
    return { ...file, problem };
  }
}

/** Parses a file of hooks in the formats of Claude Code, VS Code and Copilot. */
export function readHooks(
  value: unknown,
  platform: NodeJS.Platform = process.platform,
): Pick<HookFile, "commands" | "unused" | "problem"> {
  const hooks = isObject(value) ? value.hooks : undefined;
  if (!isObject(value) || !isObject(hooks))
    return { commands: [], unused: [], problem: displayText("plugins.hooksForm") };
  if (value.disableAllHooks === true) return { commands: [], unused: ["disableAllHooks"] };
  const commands: HookCommand[] = [];
  const unused = new Set<string>();
  for (const [key, groups] of Object.entries(hooks)) {
    const name = findHook(key);
    if (name === undefined) unused.add(key);
    else if (!Array.isArray(groups)) return { commands: [], unused: [], problem: displayText("plugins.hooksForm") };
    else
      for (const { matcher, hook } of groups.flatMap(listHooks)) {
        if (!isMatcher(matcher))
          return { commands: [], unused: [], problem: displayText("plugins.hooksMatcher", { matcher }) };
        const command = parseHookCommand(name, matcher, hook, platform);
        if (typeof command === "string") unused.add(`${key}: ${command}`);
        else commands.push(command);
      }
  }
  return { commands, unused: [...unused] };
}

/** The hook of an event. Copilot's names begin in lower case, and two differ. */
function findHook(key: string): HookName | undefined {
  const event = OTHER_NAMES[key] ?? `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`;
  return HOOK_NAMES.find((name) => HOOKS[name].event === event);
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  userPromptSubmitted: "UserPromptSubmit",
  agentStop: "Stop",
};

/** Lists the commands, which are in the list itself or in groups with a matcher. */
function listHooks(group: unknown): readonly { readonly matcher: string; readonly hook: Json }[] {
  if (!isObject(group)) return [];
  const matcher = typeof group.matcher === "string" ? group.matcher : "";
  const hooks: readonly unknown[] = Array.isArray(group.hooks) ? group.hooks : [group];
  return hooks.filter(isObject).map((hook) => ({ matcher, hook }));
}

const SYSTEM_COMMANDS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  win32: ["windows", "powershell"],
  darwin: ["osx", "bash"],
  linux: ["linux", "bash"],
};

/** The command for this system, or a word for why there is none. */
function parseHookCommand(
  hook: HookName,
  matcher: string,
  entry: Json,
  platform: NodeJS.Platform,
): HookCommand | string {
  const { type = "command" } = entry;
  if (type !== "command") return String(type);
  const names = [...(SYSTEM_COMMANDS[platform] ?? ["bash"]), "command"];
  const command = names.map((name) => entry[name]).find((text) => typeof text === "string" && text !== "");
  if (typeof command !== "string") return platform;
  const seconds = [entry.timeout, entry.timeoutSec].find((value) => typeof value === "number" && value > 0);
  const env = isObject(entry.env) ? Object.entries(entry.env) : [];
  return {
    hook,
    matcher,
    command,
    cwd: typeof entry.cwd === "string" ? entry.cwd : "",
    env: Object.fromEntries(env.filter((entry): entry is [string, string] => typeof entry[1] === "string")),
    limitMs: Math.min(HOOK_LIMIT_MS, typeof seconds === "number" ? seconds * 1000 : HOOK_LIMIT_MS),
  };
}
