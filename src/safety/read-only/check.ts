import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { expandBraces } from "../shell/reach.ts";
import { createLiteralWord, isReason, UNKNOWN, type Word } from "../shell/reading.ts";
import { type Arguments, type FlagSpec, parseArguments } from "./flags.ts";

/** A file or folder that a command would access. */
export interface Use {
  readonly word: Word;
  /** The command shows the content, not only the name or size. */
  readonly reveals: boolean;
  /** The command also accesses everything below, with or without hidden files. */
  readonly below?: "all" | "not-hidden";
  /** Of the files below, only those that match one of these patterns are accessed, hidden or not. */
  readonly only?: readonly string[];
  /** The names below are passed to another command, which follows links: as a whole, or split at blanks. */
  readonly handsOn?: "whole" | "pieces";
  /** The value of a flag, which another version of the command may read as a file. */
  readonly isValue?: true;
  /** Access by git: to the repository's settings, to the state of its files, or to the content of files that match the paths. */
  readonly repository?: { readonly at: "settings" | "state" | "contents"; readonly paths: readonly string[] };
}

/** The files that a command would access, or a sentence on why it isn't known to be read-only. */
export type Check = (args: readonly Word[], input?: "stream") => readonly Use[] | DisplayText;

export interface CommandShape {
  /** Kind of operands: files whose content is shown, files that are only named, plain text, or none at all. */
  readonly operands: "contents" | "names" | "text" | "none";
  /** Number of leading operands that are text, such as a search pattern. */
  readonly textFirst?: number;
  /** Flags that replace that text. */
  readonly textFlags?: readonly string[];
  /** Limit on operands, because a further one would be written to. */
  readonly most?: number;
  /** Flags whose value is a file that is read. */
  readonly fileFlags?: readonly string[];
  /** Flags that read everything below a folder; true for always. */
  readonly below?: readonly string[] | true;
  readonly skipsHidden?: boolean;
  /** Flags with patterns of the names that are read below a folder; a pattern that starts with `!` excludes. */
  readonly onlyFlags?: readonly string[];
  /** Without an operand, the command reads the folder: always, or unless it has standard input. */
  readonly without?: "folder" | "input-or-folder";
}

/** A check for a command that allows exactly these flags. */
export function createFlagCheck(spec: FlagSpec, shape: CommandShape): Check {
  return (args, input) => {
    const isOfFiles = shape.operands === "contents" || shape.operands === "names";
    const read = parseArguments(spec, args, isOfFiles && shape.most === undefined);
    if (isReason(read)) return read;
    const readsInput = input === "stream" && shape.without === "input-or-folder";
    return listOperandUses(read, readsInput ? { ...shape, below: [] } : shape);
  };
}

function listOperandUses(read: Arguments, shape: CommandShape): readonly Use[] | DisplayText {
  const hasTextFlag = shape.textFlags?.some((flag) => read.flags.has(flag)) ?? false;
  const texts = hasTextFlag ? 0 : (shape.textFirst ?? 0);
  if (read.operands.slice(0, texts).some(mayExpandToFlag)) return displayText("safety.line.expandsToFlag");
  const rest = read.operands.slice(texts);
  if (shape.operands === "none" && rest.length > 0) return displayText("safety.line.unknownArguments");
  if (shape.most !== undefined && (rest.length > shape.most || rest.some(isSeveral)))
    return displayText("safety.line.writtenArgument");
  if (shape.operands === "text")
    return rest.filter(({ isPattern }) => isPattern).map((word) => ({ word, reveals: false }));
  const isBelow = shape.below === true || (shape.below?.some((flag) => read.flags.has(flag)) ?? false);
  const reveals = shape.operands === "contents";
  const below = isBelow ? determineFilesBelow(read, shape) : {};
  const words = rest.length > 0 || !isBelow ? rest : shape.without ? [createLiteralWord(".")] : [];
  const files = (shape.fileFlags ?? []).flatMap((flag) => read.flags.get(flag) ?? []);
  const values = reveals ? [...read.flags.values()].flat() : [];
  const uses = words.filter(({ text }) => text !== "-").map((word) => ({ word, reveals, ...below }));
  return [
    ...uses,
    ...files.map((word) => ({ word, reveals: true })),
    ...values.filter(({ text }) => !/^[/~]?$/.test(text)).map((word) => ({ word, reveals, isValue: true as const })),
  ];
}

function mayExpandToFlag({ text, isPattern }: Word): boolean {
  return isPattern && /^[*?[]/.test(text);
}

/** True if the shell may expand the word to several words. */
function isSeveral({ isPattern, isBraced }: Word): boolean {
  return isPattern || isBraced;
}

/** A name pattern also covers hidden files; a pattern that is a path, or has more than stars and braces, counts as any file. */
function determineFilesBelow(
  read: Arguments,
  { onlyFlags = [], skipsHidden }: CommandShape,
): Pick<Use, "below" | "only"> {
  const wanted = onlyFlags.flatMap((flag) => read.flags.get(flag) ?? []).filter(({ text }) => !text.startsWith("!"));
  if (wanted.length === 0) return { below: skipsHidden ? "not-hidden" : "all" };
  const names = wanted.flatMap((word) => (word.text.includes("{") ? expandBraces(word.text) : [word.text]));
  const isPlain = names.length >= wanted.length && names.every((name) => /^[^/[\\{}]+$/.test(name));
  return { below: "all", ...(isPlain ? { only: names } : {}) };
}

/** A check for exactly these arguments, one line for each way to call the command; a final `*` means any plain words. */
export function createExactCheck(...lines: readonly string[]): Check {
  return (args) => {
    const words = args.map(({ text }) => text);
    if (words.some((word) => word.includes(UNKNOWN))) return displayText("safety.line.runtimeArgument");
    const fits = lines.some((line) => isMatchingLine(line === "" ? [] : line.split(" "), words));
    return fits ? [] : displayText("safety.line.unknownArguments");
  };
}

function isMatchingLine(line: readonly string[], words: readonly string[]): boolean {
  if (line.at(-1) !== "*") return line.length === words.length && line.every((word, index) => words[index] === word);
  const fixed = line.slice(0, -1);
  const rest = words.slice(fixed.length);
  return (
    fixed.every((word, index) => words[index] === word) &&
    rest.every((word) => /^[\w.@/+-]+$/.test(word) && !word.startsWith("-"))
  );
}

/** A check for a command whose flags can't be combined; only a number may be attached to some. */
export function createSingleFlagsCheck(withNumber: string, check: Check): Check {
  return (args, input) => {
    const joined = args.find(
      ({ text }) => /^-[^-]./.test(text) && !(withNumber.includes(text[1] ?? "") && /^-.\d+$/.test(text)),
    );
    return joined ? displayText("safety.line.possibleSeveralFlags", { flags: joined.text }) : check(args, input);
  };
}

/** A check for a command with subcommands: `git log`, `npm ls`. */
export function createSubcommandCheck(table: Readonly<Record<string, Check>>, before: readonly string[] = []): Check {
  return (args, input) => {
    const at = args.findIndex(({ text }) => !before.includes(text));
    const name = args[at]?.text ?? "";
    const check = Object.hasOwn(table, name) ? table[name] : undefined;
    return check
      ? check(args.slice(at + 1), input)
      : displayText("safety.line.unknownSubcommand", { command: JSON.stringify(name) });
  };
}

/** Creates a check that accepts anything that one of the checks accepts. */
export function createEitherCheck(...checks: readonly Check[]): Check {
  return (args, input) => {
    let problem: readonly Use[] | DisplayText = displayText("safety.line.notReadOnly");
    for (const check of checks) {
      problem = check(args, input);
      if (!isReason(problem)) return problem;
    }
    return problem;
  };
}
