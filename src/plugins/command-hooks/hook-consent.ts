import { homedir } from "node:os";
import { resolve } from "node:path";
import { mapTexts } from "../../core/base/json.ts";
import { escapeForApproval } from "../../core/base/text.ts";
import { sha256 } from "../../disk/sha256.ts";
import { HOOKS } from "../hooks.ts";
import { readStartedFiles, type StartedFiles, type StartPlace } from "../started/started-files.ts";
import { HOOK_LIMIT_MS, type HookCommand } from "./hook-files.ts";

/** The folders in which a file's commands run, and whose files belong to them. */
export interface HookFolders extends Pick<StartPlace, "loadLanguage"> {
  readonly folder: string;
  readonly home?: string;
  /** The folder named in the texts, if `folder` is a copy of it. */
  readonly origin?: string | undefined;
}

/** The user's consent to the commands of a file. */
export interface HookConsent {
  readonly hash: string;
  readonly shown: string;
  readonly started: StartedFiles;
}

/** The most files to show to the user by name. */
const MOST_SHOWN = 40;

/** The text and hash for the user's consent: the commands, and the files in the workspace and home folder that they may start or load. */
export async function buildHookConsent(commands: readonly HookCommand[], folders: HookFolders): Promise<HookConsent> {
  const { folder, home = homedir(), loadLanguage } = folders;
  const programs = commands
    .map((one) => resolveHookCommand(one, folders))
    .map(({ command, cwd, env }) => ({ line: command, cwd: resolve(folder, cwd), env }));
  const started = await readStartedFiles(programs, { folder, home, loadLanguage });
  const files = [...started.contents].filter(([name, content]) => content !== "" && !name.endsWith("/"));
  const lines = [
    ...commands.map(describeCommand),
    ...files.slice(0, MOST_SHOWN).map(([name]) => `file: ${escapeForApproval(name)}`),
    ...(files.length > MOST_SHOWN ? [`and ${files.length - MOST_SHOWN} more files`] : []),
    ...(started.isAllKnown ? [] : ["These may load more files, which can't be known in advance."]),
  ];
  return {
    hash: sha256(JSON.stringify([commands, [...started.contents]])),
    shown: lines.join("\n"),
    started,
  };
}

/** A command in its final form: in a run's copy, paths of the user's folder refer to the copy. */
export function resolveHookCommand(one: HookCommand, { folder, origin }: HookFolders): HookCommand {
  if (origin === undefined || origin === folder) return one;
  const { command, cwd, env } = one;
  return { ...one, ...mapTexts({ command, cwd, env }, (text) => text.replaceAll(origin, () => folder)) };
}

/** All properties of a command that determine what runs, as written in its file. */
function describeCommand({ hook, matcher, command, cwd, env, limitMs }: HookCommand): string {
  const parts = [
    `${HOOKS[hook].event}${matcher === "" ? "" : ` (${matcher})`}: ${command}`,
    ...(cwd === "" ? [] : [`  cwd: ${cwd}`]),
    ...Object.entries(env).map(([name, value]) => `  env: ${name}=${value}`),
    ...(limitMs === HOOK_LIMIT_MS ? [] : [`  timeout: ${limitMs / 1000}`]),
  ];
  return escapeForApproval(parts.join("\n"));
}
