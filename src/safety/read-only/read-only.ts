import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { HARMLESS_VARIABLES } from "../programs/readers.ts";
import { findReadCheck, getProgramFacts } from "../programs/table.ts";
import { HARMLESS_ASSIGNMENT } from "../shell/flow.ts";
import { isLiteral, isReason, type ShellDialect, type SimpleCommand, UNKNOWN, type Word } from "../shell/reading.ts";
import type { ShellScript } from "../shell/script.ts";
import type { Use } from "./check.ts";
import { expandIterations, findFolderChange, listStartFolders } from "./control-flow.ts";
import { listXargsUses } from "./find.ts";

/** A file that a line would access, with the folders in which it may be resolved. */
export interface FileAccess extends Use {
  /** Relative to the folder in which the line starts; "" is that folder. */
  readonly from: readonly string[];
}

/** File accesses and programs of a read-only line; or a sentence on why it isn't known to be read-only. */
export type ReadOnly =
  | { readonly kind: "reads"; readonly looks: readonly FileAccess[]; readonly programs: readonly string[] }
  | { readonly kind: "unknown"; readonly why: DisplayText };

interface CommandContext {
  readonly dialect: ShellDialect;
  /** The commands before it in the same pipe. */
  readonly pipe: readonly SimpleCommand[];
}

/** Checks a line against the table: every command must be in it, with its flags and arguments. */
export function readOnlyUse(script: ShellScript, dialect: ShellDialect): ReadOnly {
  const flow = script.flow ?? script.plain;
  if (!flow) return { kind: "unknown", why: displayText("safety.line.notSequence") };
  if (flow.length > MOST_COMMANDS) return { kind: "unknown", why: displayText("safety.line.tooManyCommands") };
  const looks: FileAccess[] = [];
  const commands = flow.filter(({ words }) => words.length > 0);
  const folders = listStartFolders(commands);
  let pipe: readonly SimpleCommand[] = [];
  for (const [index, command] of commands.entries()) {
    const folder = findFolderChange(command);
    if (!isPiped(command)) pipe = [];
    if (command.afterGroup) pipe = [SEVERAL];
    const uses = folder ? listFolderUses(folder) : listUsesInIterations(command, { dialect, pipe });
    if (isReason(uses)) return { kind: "unknown", why: uses };
    const from = folders?.[index];
    looks.push(...uses.map((use) => ({ ...use, from: from ?? [] })));
    pipe = [...pipe, command];
    const patterns = new Set(looks.flatMap(({ word }) => (word.isPattern ? [word.text] : [])));
    if (!from || looks.length > MOST_LOOKS || patterns.size > MOST_PATTERNS)
      return { kind: "unknown", why: displayText("safety.line.tooManyPlaces") };
  }
  return { kind: "reads", looks, programs: listProgramNames(flow) };
}

/** Commands that shells implement themselves. After a wrapper, and in some shells `time`, they are programs. */
const BUILT_IN = /^(?:cd|echo|printf|test|\[|true|false|:|pwd|type|command|jobs|exit)$/;

/** Bare program names in a line, including those after wrappers. */
function listProgramNames(commands: readonly SimpleCommand[]): readonly string[] {
  return commands.flatMap(({ words: [name, ...rest] }) => {
    const own = name?.text ?? "";
    const inner = /^(?:time|timeout|env|xargs|find)$/.test(own) ? rest.map(({ text }) => text) : [];
    return [...(BUILT_IN.test(own) ? [] : [own]), ...inner].filter((one) => /^[\w.+-]+$/.test(one));
  });
}

const MOST_COMMANDS = 50;
const MOST_LOOKS = 200;
const MOST_PATTERNS = 20;

/** True if the command reads from a pipe, and no file replaces the pipe. */
function isPiped({ input, redirects }: SimpleCommand): boolean {
  return input === "stream" && !redirects.some(({ operator }) => operator.includes("<"));
}

/** Placeholder in a pipe for a group of commands. */
const SEVERAL: SimpleCommand = { words: [], assignments: [], redirects: [] };

function listFolderUses(folder: Word): readonly Use[] | DisplayText {
  if (!isLiteral(folder) || folder.text.startsWith("-") || folder.text === "")
    return displayText("safety.line.changesToRuntimeFolder");
  return [{ word: folder, reveals: false }];
}

/** Files that a command uses in all iterations of its loops. */
function listUsesInIterations(command: SimpleCommand, place: CommandContext): readonly Use[] | DisplayText {
  const turns = expandIterations(command);
  if (!turns) return displayText("safety.line.unknownLoop");
  const uses: Use[] = [];
  for (const turn of turns) {
    const own = listCommandUses(turn, place);
    if (isReason(own)) return own;
    uses.push(...own);
  }
  return uses;
}

function listCommandUses(command: SimpleCommand, { dialect, pipe }: CommandContext): readonly Use[] | DisplayText {
  const redirected = redirectUses(command, dialect);
  if (isReason(redirected)) return redirected;
  const variable = command.words.flatMap(({ variables }) => variables).find((name) => !HARMLESS_VARIABLES.has(name));
  if (!command.assignments.every(({ text }) => HARMLESS_ASSIGNMENT.test(text)))
    return displayText("safety.line.unknownArguments");
  if (variable !== undefined) return displayText("safety.line.unknownVariable", { variable });
  if (command.words.some(({ isHome }) => isHome)) return displayText("safety.line.accessesHomeFolder");
  const inner = unwrapCommand(command);
  if (isReason(inner)) return inner;
  const [name, ...args] = inner.words;
  if (!name || !isLiteral(name)) return displayText("safety.line.runtimeCommandName");
  const known = getProgramName(name.text);
  const check =
    known === "xargs" && dialect !== "powershell"
      ? (words: readonly Word[]) => listXargsUses(words, pipe)
      : known === undefined
        ? undefined
        : findReadCheck(known, dialect);
  if (!check) return displayText("safety.line.unknownCommand", { command: JSON.stringify(name.text) });
  const piped = dialect === "powershell" ? explainPipeProblem(command, pipe) : undefined;
  const uses = piped ?? check(args, command.input);
  if (isReason(uses)) return uses;
  const opaque = uses.find(({ word }) => word.text.includes(UNKNOWN) || word.isBraced);
  return opaque ? displayText("safety.line.accessesRuntimeFile") : [...redirected, ...uses];
}

/** A bare name, or one in a folder that only the administrator can write to. */
function getProgramName(text: string): string | undefined {
  const bare = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(text)?.[1];
  if (bare !== undefined) return bare;
  return text.includes("/") || text.includes("\\") ? undefined : text;
}

function redirectUses({ redirects }: SimpleCommand, dialect: ShellDialect): readonly Use[] | DisplayText {
  const uses: Use[] = [];
  for (const { operator, target } of redirects) {
    if (operator === "<" || operator === "0<") uses.push({ word: target, reveals: true });
    else if (/^[12]?>&$/.test(operator) && /^[12]$/.test(target.text)) continue;
    else if (/^(?:[12&]?>>?)$/.test(operator) && target.text === "/dev/null") continue;
    else if (dialect === "powershell" && target.text === "$null") continue;
    else return displayText("safety.line.writesFile", { file: target.text.replaceAll(UNKNOWN, "…") });
  }
  return uses;
}

/** The command after `time`, `env` or `timeout`; a sentence if their arguments aren't known to be harmless. */
function unwrapCommand(command: SimpleCommand): SimpleCommand | DisplayText {
  const [name, ...rest] = command.words;
  if (name?.text === "time") return replaceCommandWords(command, rest[0]?.text === "-p" ? rest.slice(1) : rest);
  if (name?.text === "env") return unwrapEnv(command, rest);
  return name?.text === "timeout" ? unwrapTimeout(command, rest) : command;
}

/** Without a command, `env` shows the environment. */
function unwrapEnv(command: SimpleCommand, words: readonly Word[]): SimpleCommand | DisplayText {
  const at = words.findIndex((word) => !HARMLESS_ASSIGNMENT.test(word.text) || !isLiteral(word));
  const name = words[at]?.text ?? "";
  return at < 1 || name.startsWith("-") || name.includes("=")
    ? displayText("safety.line.unknownArguments")
    : replaceCommandWords(command, words.slice(at));
}

function replaceCommandWords(command: SimpleCommand, words: readonly Word[]): SimpleCommand | DisplayText {
  return words.length === 0 ? displayText("safety.line.noCommand") : { ...command, words };
}

function unwrapTimeout(command: SimpleCommand, [limit, ...rest]: readonly Word[]): SimpleCommand | DisplayText {
  if (!limit || !/^\d+(\.\d+)?[smhd]?$/.test(limit.text)) return displayText("safety.line.unknownFlags");
  return replaceCommandWords(command, rest);
}

/** Cmdlets that output files, and those whose objects hold the environment. */
const GIVES_FILES = /^(?:get-childitem|get-item|resolve-path)$/;
const GIVES_ENVIRONMENT = /^(?:get-process|get-host|get-command|get-location)$/;

/** Properties that are plain text or numbers. */
const PLAIN_PROPERTY =
  /^(?:name|fullname|basename|extension|length|count|path|id|line|linenumber|filename|hash|version|source|mode|lastwritetime|creationtime|cpu|ws|year|month|day|sum|average)$/i;

/** Explains why a command mustn't receive the objects of a PowerShell pipe: some open files or contain secrets. */
function explainPipeProblem(command: SimpleCommand, before: readonly SimpleCommand[]): DisplayText | undefined {
  const [name, ...args] = command.words.map(({ text }) => text);
  const own = getCmdletName(name);
  const given = before.map(({ words: [first] }) => getCmdletName(first?.text));
  if (own === "get-content" && given.length > 0) return displayText("safety.line.showsPipedFiles");
  if (own === "select-string" && given.some((one) => GIVES_FILES.test(one)))
    return displayText("safety.line.searchesPipedFiles");
  if (own === "convertto-json" && given.some((one) => GIVES_ENVIRONMENT.test(one)))
    return displayText("safety.line.showsProcessProperties");
  const expanded = args[args.findIndex((arg) => /^-expandproperty$/i.test(arg)) + 1];
  if (own === "select-object" && args.some((arg) => /^-e/i.test(arg)) && !PLAIN_PROPERTY.test(expanded ?? ""))
    return displayText("safety.line.expandsProperty");
  return undefined;
}

/** Full name of a cmdlet or its alias, in lower case; "" for anything else. */
function getCmdletName(name = ""): string {
  return getProgramFacts(name.toLowerCase()).cmdlet?.name ?? "";
}
