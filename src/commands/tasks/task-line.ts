import { assertNever } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { TaskLine } from "../../core/ports/tasks.ts";

/** A word of a task's command line, with the quoting that its definition asks for. */
type TaskWord = string | { readonly value: string; readonly quoting: "escape" | "strong" | "weak" };

/** A task's definition, as far as it decides what runs. */
export interface TaskDefinition {
  /** A line, or its words; absent for a task that is a program of an extension. */
  readonly command?: string | readonly TaskWord[];
  readonly cwd?: string;
  /** It defines environment variables. */
  readonly hasVariables: boolean;
  /** The definition names its own shell. */
  readonly hasShell: boolean;
  /** Other tasks run before it, or may run, so its line isn't all that runs. */
  readonly hasOthers: boolean;
}

/** Where a task would run. */
export interface TaskPlace {
  /** Path of its workspace folder; absent if it belongs to none. */
  readonly folder?: string;
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  /** Name of the shell that runs command lines. */
  readonly shell: string;
}

/** Finds the only command line that a task runs, or a sentence that explains why it can't be known in advance. */
export function findTaskLine(task: TaskDefinition, place: TaskPlace): TaskLine | { readonly why: string } {
  const { command, cwd: named = ".", hasVariables, hasShell, hasOthers } = task;
  if (hasOthers) return { why: "It runs other tasks first." };
  if (command === undefined) return { why: "It's a program of an extension." };
  if (hasShell) return { why: "It runs in a shell of its own." };
  if (hasVariables) return { why: "It sets environment variables." };
  const texts = typeof command === "string" ? [command] : command.map(getWordText);
  const resolved = [named, ...texts].map((text) => replaceFolderVariables(text, place));
  const unknown = resolved.find(({ rest }) => rest !== undefined)?.rest;
  if (unknown !== undefined) return { why: `VS Code fills in ${unknown} when it runs.` };
  const [cwd = "", ...words] = resolved.map(({ text }) => text);
  const text =
    typeof command === "string"
      ? (words[0] ?? "")
      : command.map((word, at) => quoteTaskWord(word, words[at] ?? "", place.shell)).join(" ");
  const folder = place.folder ?? place.folders[0]?.path;
  if (text.trim() === "" || /[\0\r]/.test(text)) return { why: "Its command line can't be read." };
  if (isAbsolute(cwd)) return { text, cwd };
  return folder === undefined
    ? { why: "It belongs to no folder." }
    : { text, cwd: cwd === "." ? folder : `${folder.replace(/[\\/]$/, "")}/${cwd}` };
}

function getWordText(word: TaskWord): string {
  return typeof word === "string" ? word : word.value;
}

/** Replaces the variables for workspace folders in a text; `rest` is the first unknown variable. */
function replaceFolderVariables(
  text: string,
  { folder, folders }: TaskPlace,
): { readonly text: string; readonly rest?: string } {
  const own = folder ?? folders[0]?.path;
  const replaced = text.replace(/\$\{(?:workspaceFolder|workspaceRoot)(?::([^}]*))?\}/g, (variable, name) => {
    const path = name === undefined ? own : folders.find((one) => one.name === name)?.path;
    return path ?? variable;
  });
  const rest = /\$\{[^}]*\}?/.exec(replaced)?.[0];
  return { text: replaced, ...omitUndefined({ rest }) };
}

/** Quotes a word as VS Code does: as its definition asks, or if it contains a space. */
function quoteTaskWord(word: TaskWord, text: string, shell: string): string {
  const isPowerShell = shell === "PowerShell";
  const quoting = typeof word === "string" ? (/\s/.test(text) && !isQuoted(text) ? "strong" : "none") : word.quoting;
  switch (quoting) {
    case "none":
      return text;
    case "strong":
      return `'${text.replaceAll("'", isPowerShell ? "''" : `'\\''`)}'`;
    case "weak":
      return `"${text.replaceAll('"', isPowerShell ? '`"' : '\\"')}"`;
    case "escape":
      return text.replace(/[\s"'$&*;<>()|`\\]/g, isPowerShell ? "`$&" : "\\$&");
    default:
      return assertNever(quoting);
  }
}

function isQuoted(text: string): boolean {
  return /^(["']).*\1$/s.test(text);
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|\\\\|[a-z]:[\\/])/i.test(path);
}
