import { omitUndefined } from "../../core/base/objects.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { indexByName, type ProgramFacts } from "../programs/program.ts";
import { READERS } from "../programs/readers.ts";
import { createLiteralWord, isLiteral, isReason, type SimpleCommand, UNKNOWN, type Word } from "../shell/reading.ts";
import type { Check, Use } from "./check.ts";
import { parseArguments } from "./flags.ts";

/** Files that a command like `find` finds. */
interface FoundFiles {
  /** Folders that it searches; every name that it prints starts with one of them. */
  readonly roots: readonly Word[];
  /** Patterns for the last name of each file; absent: any name. */
  readonly only?: readonly string[];
}

const findReaders = indexByName(READERS.flatMap((rows) => Object.entries(rows)));

/** Facts about a program as far as they concern what it reads. The whole table has this file's own row, so it can't be asked here. */
function getReaderFacts(name: string): ProgramFacts {
  return Object.assign({}, ...findReaders(name));
}

/** Placeholder for found files among the arguments; no file of a workspace has this name. */
const ANY_FOUND = "\u{1}found";

/** Files that a command with found names among its arguments accesses, or a sentence that explains why it isn't known to be read-only. */
function checkHandedOn(
  name: string,
  before: readonly Word[],
  after: readonly Word[],
  { roots, only, comesAs }: FoundFiles & { readonly comesAs: "whole" | "pieces" },
): readonly Use[] | DisplayText {
  if (name === "echo") return [...before, ...after].every(isLiteral) ? [] : UNKNOWN_NAMES;
  const { getsFound, reads: check } = getReaderFacts(name);
  if (!getsFound || !check) return displayText("safety.line.mayNotReceiveFiles", { command: JSON.stringify(name) });
  const uses = check([...before, createLiteralWord(ANY_FOUND), createLiteralWord(ANY_FOUND), ...after]);
  if (isReason(uses)) return uses;
  const files = uses.filter(({ word }) => word.text === ANY_FOUND);
  if (files.length === 0) return /^(?:base|dir)name$/.test(name) ? uses : displayText("safety.line.namesNotFiles");
  const [{ reveals } = { reveals: true }] = files;
  const below = reveals ? ({ below: "all", handsOn: comesAs } as const) : {};
  return [
    ...uses.filter((use) => !files.includes(use)),
    ...roots.map((word) => ({ word, reveals, ...below, ...omitUndefined({ only }) })),
  ];
}

/** Tests and actions of `find`: without a value, and with one. */
const ALONE = new Set(
  "-depth -d -mount -xdev -noleaf -daystart -empty -true -false -readable -writable -executable -nouser -nogroup -print -print0 -ls -prune -quit ! -not -a -and -o -or ( ) , -E".split(
    " ",
  ),
);
const WITH_VALUE = new Set(
  "-newerat -newerct -newermt -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -amin -atime -cmin -ctime -mmin -mtime -perm -user -group -uid -gid -links -inum -printf -used -fstype".split(
    " ",
  ),
);
const WITH_FILE = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);
const WITH_COMMAND = new Set(["-exec", "-execdir"]);

/** `find` with tests, and with actions that only print or show files. */
export const find: Check = (args) => {
  const { roots, expression } = splitFindArguments(args);
  const found = describeFoundFiles(args);
  const files = readExpression(expression, found);
  if (isReason(files)) return files;
  return roots.some((root) => /^[*?[\0]/.test(root.text) && !isLiteral(root))
    ? displayText("safety.line.expandsToAction")
    : [...found.roots.map(createNameOnlyUse), ...files];
};

/** Files that `find` with these arguments passes to its first action; later tests don't count. */
function describeFoundFiles(args: readonly Word[]): FoundFiles {
  const { roots, expression } = splitFindArguments(args);
  const all = expression.map(({ text }) => text);
  const does = all.findIndex((word) => /^-(?:print|exec|ls)/.test(word));
  const words = does === -1 ? all : all.slice(0, does);
  const isOneTest = !all.some((word) => /^(?:!|-not|-o|-or|,|\()$/.test(word));
  const name = words.find((_, at) => /^-i?name$/.test(words[at - 1] ?? ""));
  const only = isOneTest && name !== undefined && !/[[\\]/.test(name) ? { only: [name] } : {};
  return { roots: roots.length > 0 ? roots : [createLiteralWord(".")], ...only };
}

function splitFindArguments(args: readonly Word[]): {
  readonly roots: readonly Word[];
  readonly expression: readonly Word[];
} {
  const first = args.findIndex(
    ({ text, isQuoted }) => text.startsWith("-") || text === "!" || (text === "(" && isQuoted),
  );
  const at = first === -1 ? args.length : first;
  return { roots: args.slice(0, at), expression: args.slice(at) };
}

function readExpression(words: readonly Word[], found: FoundFiles): readonly Use[] | DisplayText {
  const files: Use[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    if (ALONE.has(word.text) && isLiteral(word)) continue;
    if (WITH_COMMAND.has(word.text) && isLiteral(word)) {
      const end = words.findIndex(({ text }, index) => index > at && /^[;+]$/.test(text));
      const uses = listExecUses(words.slice(at + 1, end), words[end], found);
      if (isReason(uses)) return uses;
      files.push(...uses);
      at = end;
      continue;
    }
    const takesFile = WITH_FILE.has(word.text);
    if (!takesFile && !WITH_VALUE.has(word.text))
      return displayText("safety.line.unknownFindTest", { test: JSON.stringify(word.text) });
    const value = words[++at];
    // A pattern that begins with a letter expands to names, which are no action.
    const isOpen = value?.isPattern && !/^\w/.test(value.text);
    if (!value || isOpen || value.isBraced || value.text.includes(UNKNOWN))
      return displayText("safety.line.runtimeTestValue");
    if (takesFile) files.push(createNameOnlyUse(value));
  }
  return files;
}

/** Files shown by a command that receives each name, or all of them, in place of `{}`. */
function listExecUses(words: readonly Word[], end: Word | undefined, found: FoundFiles): readonly Use[] | DisplayText {
  const [name, ...args] = words;
  const at = args.findIndex(({ text }) => text === "{}");
  const isPlain = name !== undefined && words.every(isLiteral) && end !== undefined;
  if (!isPlain || at === -1 || args.filter(({ text }) => text.includes("{}")).length > 1)
    return displayText("safety.line.passesFoundFiles");
  if (end.text === "+" && at !== args.length - 1) return displayText("safety.line.misplacedPlus");
  return checkHandedOn(name.text, args.slice(0, at), args.slice(at + 1), { ...found, comesAs: "whole" });
}

function createNameOnlyUse(word: Word): Use {
  return { word, reveals: false };
}

/** Files that a command behind `xargs` accesses; a sentence if they can't be determined. `before` is the pipe up to the command. */
export function listXargsUses(words: readonly Word[], before: readonly SimpleCommand[]): readonly Use[] | DisplayText {
  const at = words.findIndex(
    ({ text }, index) => !text.startsWith("-") && !/^-[nLPdI]$/.test(words[index - 1]?.text ?? ""),
  );
  if (at === -1) return displayText("safety.line.noCommand");
  const flags = parseArguments(
    "-0 -r -t -n: -L: -P: -d: -I: --null --no-run-if-empty --max-args= --max-procs= --delimiter=",
    words.slice(0, at),
  );
  if (isReason(flags)) return flags;
  const [name, ...args] = words.slice(at);
  const mark = flags.flags.get("-I")?.at(-1)?.text;
  const isPrinted = name?.text === "echo" && args.every(isLiteral);
  if (isPrinted && !name.text.includes(mark ?? " ")) return [];
  if (mark !== undefined) return UNKNOWN_NAMES;
  const [source, ...filters] = before;
  if (!name || !source || !filters.every(canPassNamesOn)) return UNKNOWN_NAMES;
  if (source.words[0]?.text !== "find")
    return getReaderFacts(name.text).takesAnyName && canPrintFileNames(source)
      ? checkHandedOn(name.text, args, [], { roots: [], comesAs: "pieces" })
      : UNKNOWN_NAMES;
  const comesAs = flags.flags.has("-0") || flags.flags.has("--null") ? "whole" : "pieces";
  const found = describeFoundFiles(source.words.slice(1));
  if (comesAs === "pieces" && found.roots.some(({ text }) => /[\s'"\\]/.test(text))) return UNKNOWN_NAMES;
  return checkHandedOn(name.text, args, [], { ...found, comesAs });
}

const UNKNOWN_NAMES = displayText("safety.line.passesUnknownNames");

function canPassNamesOn({ words: [name, ...args] }: SimpleCommand): boolean {
  const { passesOn } = getReaderFacts(name?.text ?? "");
  return passesOn?.test(args.map(({ text }) => text).join(" ")) ?? false;
}

function canPrintFileNames({ words }: SimpleCommand): boolean {
  const [name, command] = words;
  return /^(?:ls|fd)$/.test(name?.text ?? "") || (name?.text === "git" && command?.text === "ls-files");
}
