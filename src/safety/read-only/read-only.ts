import {
  isLiteral,
  type ShellDialect,
  type ShellScript,
  type SimpleCommand,
  UNKNOWN,
  type Word,
} from "../shell/reading.ts";
import type { Use } from "./check.ts";
import { folderChange, foldersOf, iterationsOf } from "./control-flow.ts";
import { xargsUses } from "./find.ts";
import { pipeProblem } from "./powershell.ts";
import { HARMLESS_VARIABLES } from "./system.ts";
import { checkFor } from "./table.ts";

/** A file that a line would look at, with the folders it may be looked for in. */
export interface FileAccess extends Use {
  /** Relative to the folder the line starts in; "" is that folder. */
  readonly from: readonly string[];
}

/** A line that reads only, with what it looks at; or why it is not known to, as a sentence. */
export type ReadOnly =
  | { readonly kind: "reads"; readonly looks: readonly FileAccess[]; readonly programs: readonly string[] }
  | { readonly kind: "unknown"; readonly why: string };

interface CommandContext {
  readonly dialect: ShellDialect;
  /** The commands before it in the same pipe. */
  readonly pipe: readonly SimpleCommand[];
}

/** Judges by the table: every command must be in it, with no flag or argument that is not. */
export function readOnlyUse(script: ShellScript, dialect: ShellDialect): ReadOnly {
  const flow = script.flow ?? script.plain;
  if (!flow)
    return { kind: "unknown", why: "It is more than simple commands, one after the other or in loops." };
  if (flow.length > MOST_COMMANDS) return { kind: "unknown", why: "It is more commands than are checked." };
  const looks: FileAccess[] = [];
  const commands = flow.filter(({ words }) => words.length > 0);
  const folders = foldersOf(commands);
  let pipe: readonly SimpleCommand[] = [];
  for (const [index, command] of commands.entries()) {
    const folder = folderChange(command);
    if (!isPiped(command)) pipe = [];
    if (command.afterGroup) pipe = [SEVERAL];
    const uses = folder ? inFolder(folder) : usesInTurns(command, { dialect, pipe });
    if (typeof uses === "string") return { kind: "unknown", why: uses };
    const from = folders?.[index];
    looks.push(...uses.map((use) => ({ ...use, from: from ?? [] })));
    pipe = [...pipe, command];
    const patterns = new Set(looks.flatMap(({ word }) => (word.isPattern ? [word.text] : [])));
    if (!from || looks.length > MOST_LOOKS || patterns.size > MOST_PATTERNS)
      return { kind: "unknown", why: "It looks at more places than are checked." };
  }
  return { kind: "reads", looks, programs: programsIn(flow) };
}

/** What a shell does by itself. */
const BUILT_IN = /^(?:cd|echo|printf|test|\[|true|false|:|pwd|type|command|jobs|exit|time)$/;

/** The bare names that programs are called by, those behind wrappers among them. */
function programsIn(commands: readonly SimpleCommand[]): readonly string[] {
  return commands.flatMap(({ words: [name, ...rest] }) => {
    const own = name?.text ?? "";
    const inner = /^(?:time|timeout|xargs|find)$/.test(own) ? rest.map(({ text }) => text) : [];
    return [own, ...inner].filter((one) => /^[\w.+-]+$/.test(one) && !BUILT_IN.test(one));
  });
}

const MOST_COMMANDS = 50;
const MOST_LOOKS = 200;
const MOST_PATTERNS = 20;

/** A pipe ends in it, and no file takes the pipe's place. */
function isPiped({ input, redirects }: SimpleCommand): boolean {
  return input === "stream" && !redirects.some(({ operator }) => operator.includes("<"));
}

/** Stands in a pipe for a group of commands. */
const SEVERAL: SimpleCommand = { words: [], assignments: [], redirects: [] };

function inFolder(folder: Word): readonly Use[] | string {
  if (!isLiteral(folder) || folder.text.startsWith("-") || folder.text === "")
    return "It goes to a folder that is only known then.";
  return [{ word: folder, reveals: false }];
}

/** What a command uses in every turn of the loops around it. */
function usesInTurns(command: SimpleCommand, place: CommandContext): readonly Use[] | string {
  const turns = iterationsOf(command);
  if (!turns) return "It goes through a loop in a way that is not known to be harmless.";
  const uses: Use[] = [];
  for (const turn of turns) {
    const own = usesOf(turn, place);
    if (typeof own === "string") return own;
    uses.push(...own);
  }
  return uses;
}

function usesOf(command: SimpleCommand, { dialect, pipe }: CommandContext): readonly Use[] | string {
  const redirected = redirectUses(command, dialect);
  if (typeof redirected === "string") return redirected;
  const variable = command.words
    .flatMap(({ variables }) => variables)
    .find((name) => !HARMLESS_VARIABLES.has(name));
  if (variable !== undefined) return `It uses the variable ${variable}, which may hold anything.`;
  if (command.words.some(({ isHome }) => isHome)) return "It looks into a home folder.";
  const inner = wrappedCommand(command);
  if (typeof inner === "string") return inner;
  const [name, ...args] = inner.words;
  if (!name || !isLiteral(name)) return "The name of a command is only known once it runs.";
  const known = programName(name.text);
  const check =
    known === "xargs" && dialect !== "powershell"
      ? (words: readonly Word[]) => xargsUses(words, pipe)
      : known === undefined
        ? undefined
        : checkFor(known, dialect);
  if (!check) return `${JSON.stringify(name.text)} is not among the commands that are known to read only.`;
  const piped = dialect === "powershell" ? pipeProblem(command, pipe) : undefined;
  const uses = piped ?? check(args, command.input);
  if (typeof uses === "string") return uses;
  const opaque = uses.find(({ word }) => word.text.includes(UNKNOWN) || word.isBraced);
  return opaque ? "It looks at a file that is only known once it runs." : [...redirected, ...uses];
}

/** A bare name, or one in a folder that only the system's owner can write to. */
function programName(text: string): string | undefined {
  const bare = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(text)?.[1];
  if (bare !== undefined) return bare;
  return text.includes("/") || text.includes("\\") ? undefined : text;
}

function redirectUses({ redirects }: SimpleCommand, dialect: ShellDialect): readonly Use[] | string {
  const uses: Use[] = [];
  for (const { operator, target } of redirects) {
    if (operator === "<" || operator === "0<") uses.push({ word: target, reveals: true });
    else if (/^[12]?>&$/.test(operator) && /^[12]$/.test(target.text)) continue;
    else if (/^(?:[12&]?>>?)$/.test(operator) && target.text === "/dev/null") continue;
    else if (dialect === "powershell" && target.text === "$null") continue;
    else return `It writes to ${target.text.replaceAll(UNKNOWN, "…")}.`;
  }
  return uses;
}

/** The command that really does something, behind `time` or `timeout`; a sentence when these are not harmless as they stand. */
function wrappedCommand(command: SimpleCommand): SimpleCommand | string {
  const [name, ...rest] = command.words;
  if (name?.text === "time") return behind(command, rest[0]?.text === "-p" ? rest.slice(1) : rest);
  return name?.text === "timeout" ? timeLimited(command, rest) : command;
}

function behind(command: SimpleCommand, words: readonly Word[]): SimpleCommand | string {
  return words.length === 0 ? "There is no command in it." : { ...command, words };
}

function timeLimited(command: SimpleCommand, [limit, ...rest]: readonly Word[]): SimpleCommand | string {
  if (!limit || !/^\d+(\.\d+)?[smhd]?$/.test(limit.text))
    return "timeout is not known to be harmless with these flags.";
  return behind(command, rest);
}
