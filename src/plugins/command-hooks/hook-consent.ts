import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, relative, resolve } from "node:path";
import { mapTexts } from "../../core/base/map-texts.ts";
import { plainlyVisible } from "../../core/base/text.ts";
import { isBelow } from "../../node/files/real-path.ts";
import { sha256 } from "../../sha256.ts";
import { HOOKS } from "../hooks.ts";
import { contentHash, manifestsOf } from "../named-files.ts";
import { HOOK_LIMIT_MS, type HookCommand } from "./hook-files.ts";

/** Where the commands of a file run, and whose files are theirs. */
export interface HookFolders {
  readonly folder: string;
  readonly home?: string;
  /** The folder that the texts name, if `folder` is a copy of it. */
  readonly origin?: string | undefined;
}

/** A command as it runs: in a copy, paths of the user's folder lead to the copy. */
export function commandIn(one: HookCommand, { folder, origin }: HookFolders): HookCommand {
  if (origin === undefined || origin === folder) return one;
  return {
    ...one,
    ...mapTexts({ command: one.command, cwd: one.cwd, env: one.env }, (text) =>
      text.replaceAll(origin, () => folder),
    ),
  };
}

/** The user's consent to the commands of a file. */
export interface HookConsent {
  readonly hash: string;
  readonly shown: string;
  /** Paths of the scripts outside of the workspace folder. */
  readonly outside: readonly string[];
}

/** The text and hash of the user's consent: the commands, and the script files that they name in the workspace or at home. */
export async function hookConsent(
  commands: readonly HookCommand[],
  folders: HookFolders,
): Promise<HookConsent> {
  const { folder, home = homedir() } = folders;
  const scripts = new Map<string, string>();
  const outside = new Set<string>();
  for (const one of commands)
    for (const { name, path } of await scriptsOf(commandIn(one, folders), folder, home)) {
      scripts.set(name, await contentHash(path));
      if (!isBelow(path, folder)) outside.add(path);
    }
  const files = [...scripts].sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = [...commands.map(commandText), ...files.map(([name]) => `file: ${plainlyVisible(name)}`)];
  return { hash: sha256(JSON.stringify([commands, files])), shown: lines.join("\n"), outside: [...outside] };
}

/** Everything about a command that decides what runs, in the words of its file. */
function commandText({ hook, matcher, command, cwd, env, limitMs }: HookCommand): string {
  const parts = [
    `${HOOKS[hook].event}${matcher === "" ? "" : ` (${matcher})`}: ${command}`,
    ...(cwd === "" ? [] : [`  cwd: ${cwd}`]),
    ...Object.entries(env).map(([name, value]) => `  env: ${name}=${value}`),
    ...(limitMs === HOOK_LIMIT_MS ? [] : [`  timeout: ${limitMs / 1000}`]),
  ];
  return plainlyVisible(parts.join("\n"));
}

interface Script {
  /** Its path in the workspace folder or at home, so that a copy of the folder has the same ones. */
  readonly name: string;
  readonly path: string;
}

const MOST_WORDS = 500;

const EXTENSIONS =
  /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|fish|ps1|bat|cmd|rb|pl|php|lua|jar|awk|sed|exe|com|wasm)$/i;

const INTERPRETERS =
  /(?:^|[\\/])(?:sh|bash|dash|zsh|fish|ksh|source|\.|exec|env|node|deno|bun|tsx|ts-node|python[\d.]*|pypy\d*|ruby|perl|php|lua|java|pwsh|powershell|osascript|awk|sed)(?:\.exe)?$/i;

/** The script files that a command names, in any of the folders that it changes to. */
async function scriptsOf(one: HookCommand, folder: string, home: string): Promise<readonly Script[]> {
  const words = [one.command, ...Object.values(one.env)].flatMap((text) => wordsOf(text, folder, home));
  const base = resolve(folder, one.cwd);
  const entered = words.flatMap(({ text }, at) =>
    words[at - 1]?.text === "cd" ? [resolve(base, text)] : [],
  );
  const found: Script[] = [];
  for (const [at, word] of words.slice(0, MOST_WORDS).entries()) {
    const manifests = manifestsOf(word.text);
    const isRun = word.begins || EXTENSIONS.test(word.text) || isOperand(words, at);
    for (const place of [base, ...entered])
      for (const name of [word.text, ...manifests]) {
        const path = isAbsolute(name) ? name : resolve(place, name);
        const isOurs = isBelow(path, folder) || isBelow(path, home);
        if (isOurs && (await isScript(path, isRun || name !== word.text)))
          found.push({
            name: isBelow(path, folder) ? relative(folder, path) : `~/${relative(home, path)}`,
            path,
          });
      }
  }
  return found;
}

/** True for the first word after an interpreter, or after its first flag. */
function isOperand(words: readonly Word[], at: number): boolean {
  const before = words[at - 1]?.text ?? "";
  return INTERPRETERS.test(before.startsWith("-") ? (words[at - 2]?.text ?? "") : before);
}

/** True for a file that a command runs: it says so, or the file may be run. */
async function isScript(path: string, isRun: boolean): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && (isRun || (found.mode & 0o111) !== 0);
}

interface Word {
  readonly text: string;
  /** It begins a command, so it names a program. */
  readonly begins: boolean;
}

/** The words of a command line, also of lines inside its quotes. Only names of files are looked for, so more words do no harm. */
function wordsOf(line: string, folder: string, home: string): readonly Word[] {
  const text = line
    .replaceAll(
      /\$\{?CLAUDE_PROJECT_DIR\}?|\$\{?PWD\}?|\$\((?:pwd|git rev-parse --show-toplevel)\)/g,
      () => folder,
    )
    .replaceAll(/\$\{?HOME\}?|(?<=^|[\s"'=:])~(?=[\\/])|%USERPROFILE%/g, () => home);
  const words: Word[] = [];
  let begins = true;
  for (const [token, , double, single] of text.matchAll(
    /("([^"]*)"|'([^']*)'|[^\s"'`;|&()<>=]+|[;|&()`\n]+)/g,
  )) {
    const quoted = double ?? single;
    if (quoted === undefined && /^[;|&()`\n]/.test(token)) begins = true;
    else {
      words.push({ text: quoted ?? token, begins });
      if (quoted !== undefined && /\s/.test(quoted)) words.push(...wordsOf(quoted, folder, home));
      begins = false;
    }
  }
  return words;
}
