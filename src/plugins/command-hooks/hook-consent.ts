import { homedir } from "node:os";
import { resolve } from "node:path";
import { mapTexts } from "../../core/base/map-texts.ts";
import { escapeForApproval } from "../../core/base/text.ts";
import { sha256 } from "../../sha256.ts";
import { HOOKS } from "../hooks.ts";
import { readStartedFiles, type StartedFiles, type StartPlace } from "../started/started-files.ts";
import { HOOK_LIMIT_MS, type HookCommand } from "./hook-files.ts";

/** Where the commands of a file run, and whose files are theirs. */
export interface HookFolders extends Pick<StartPlace, "loadLanguage"> {
  readonly folder: string;
  readonly home?: string;
  /** The folder that the texts name, if `folder` is a copy of it. */
  readonly origin?: string | undefined;
}

/** The user's consent to the commands of a file. */
export interface HookConsent {
  readonly hash: string;
  readonly shown: string;
  readonly started: StartedFiles;
}

/** Files that the user is shown by their names. */
const MOST_SHOWN = 40;

/** The text and hash of the user's consent: the commands, and the files of the workspace and the home that they may start or load. */
export async function buildHookConsent(
  commands: readonly HookCommand[],
  folders: HookFolders,
): Promise<HookConsent> {
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

/** A command as it runs: in a copy, paths of the user's folder lead to the copy. */
export function resolveHookCommand(one: HookCommand, { folder, origin }: HookFolders): HookCommand {
  if (origin === undefined || origin === folder) return one;
  const { command, cwd, env } = one;
  return { ...one, ...mapTexts({ command, cwd, env }, (text) => text.replaceAll(origin, () => folder)) };
}

/** Everything about a command that decides what runs, in the words of its file. */
function describeCommand({ hook, matcher, command, cwd, env, limitMs }: HookCommand): string {
  const parts = [
    `${HOOKS[hook].event}${matcher === "" ? "" : ` (${matcher})`}: ${command}`,
    ...(cwd === "" ? [] : [`  cwd: ${cwd}`]),
    ...Object.entries(env).map(([name, value]) => `  env: ${name}=${value}`),
    ...(limitMs === HOOK_LIMIT_MS ? [] : [`  timeout: ${limitMs / 1000}`]),
  ];
  return escapeForApproval(parts.join("\n"));
}
