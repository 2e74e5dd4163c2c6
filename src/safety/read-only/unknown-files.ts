import type { Disk } from "../../core/ports/disk.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { splitPathSegments } from "../paths/paths.ts";
import { findSecretReason } from "../paths/sensitive.ts";
import { getProgramFacts } from "../programs/table.ts";
import { listCommandWords } from "../shell/mentions.ts";
import {
  createLiteralWord,
  getCommandName,
  type Hole,
  isReason,
  listEveryCommand,
  type ShellScript,
  type SimpleCommand,
  UNKNOWN,
  type Word,
} from "../shell/reading.ts";
import { isLister } from "../shell/recursive-readers.ts";
import type { CwdContext } from "./file-access.ts";
import { HARMLESS_VARIABLES } from "./system.ts";
import { checkFor } from "./table.ts";

/** Placeholder for a name that is only known at run time; no file of a workspace has it. */
const ANY = "\u{1}any";
const WHY = displayText("safety.line.accessesRuntimeFile");

/**
 * Explains that a line of bash shows files whose names another program prints or the shell assembles. Undefined if all names are known, or
 * come from commands that list them. Listed names are checked like anything that the line reads as a whole.
 */
export async function findUnknownFiles(
  script: ShellScript,
  { folder, folders }: CwdContext,
  disk: Disk,
): Promise<DisplayText | undefined> {
  const origins = new Origins(script);
  const seesHidden = listEveryCommand(script).some((command) =>
    listCommandWords(command).some(({ text }) => HIDDEN_TOO.test(text)),
  );
  const isUnknown = listEveryCommand(script).some((command) => {
    if (
      canReadFileList(command) ||
      (seesHidden && findShownArguments(command, ({ isPattern }) => isPattern).length > 0)
    )
      return true;
    const words = findShownWords(command);
    return (
      words.some((word) => origins.mayBeAny(word)) || (canShowNamesFromInput(command) && origins.mayFeedAny(command))
    );
  });
  if (isUnknown) return WHY;
  if (!origins.listsTracked) return undefined;
  const found = await disk.findRepository(folder, folders);
  if (found === undefined || typeof found === "string") return found === undefined ? undefined : WHY;
  const secret = found.tracked.find(({ name }) => findSecretReason(splitPathSegments(name)) !== undefined);
  return secret && displayText("safety.line.mayShowProtected", { file: secret.name });
}

/** Settings of shells that make wildcards match more than they seem to. */
const HIDDEN_TOO = /^(?:dotglob|globdots|nocaseglob|extglob|GLOBIGNORE=.*)$/i;

/** Flags of any program with a file that lists files. */
const LIST_FLAG = /^--(?:files0?-from|stdin-paths|batch(?:=|$)|arg-file)/;

/** True if a file or the input lists what a command reads, or if the command's own code names it. */
function canReadFileList(command: SimpleCommand): boolean {
  const name = getCommandName(command) ?? "";
  const args = command.words.slice(1).map(({ text }) => text);
  const { listFlag } = getProgramFacts(name);
  const isCode = /awk$/.test(name) && args.some((text) => AWK_READS.test(text));
  return isCode || args.some((text) => LIST_FLAG.test(text) || listFlag?.test(text));
}

/** awk's own ways of reading files, unless the name is written out. */
const AWK_READS = /\bgetline\b[^;}|]*<(?!\s*"[^"]*"\s*[);}])|\bARGV\b/;

/** Flags that name a file to send or encode, and values that mean such a file. */
const FILE_FLAG = /^(?:-in|-T|-K|--upload-file|--config|--post-file|--body-file)$/;
const FILE_VALUE = /(?:^|=)[@<][^@]*\0|^file:/;
/** Git commands that read files themselves. */
const GIT_READS = /\bhash-object\b|--no-i|\badd\b.* -(?:\w*f|-forc?e?)/;

/** Arguments and redirections of a command that name unknown files whose content it shows. */
function findShownWords(command: SimpleCommand): readonly Word[] {
  const targets = command.redirects.flatMap(({ operator, target }) => (/^\d*<$/.test(operator) ? [target] : []));
  return [...findShownArguments(command), ...targets.filter(isUnknownWord)];
}

const isUnknownWord = ({ text }: Word): boolean => text.includes(UNKNOWN);

/** Matching arguments that name files whose content a command shows. */
function findShownArguments(command: SimpleCommand, fits: (word: Word) => boolean = isUnknownWord): readonly Word[] {
  const name = getCommandName(command) ?? "";
  const args = command.words.slice(1);
  if (!args.some(fits)) return [];
  const check = checkFor(name, "bash");
  const marked = args.map((word, at) => (fits(word) ? createLiteralWord(`${ANY}${at}`) : word));
  const uses = check?.(marked, command.input);
  if (uses && !isReason(uses))
    return uses.flatMap(({ word, reveals, isValue }) => {
      const at = word.text.startsWith(ANY) ? Number(word.text.slice(ANY.length)) : -1;
      return reveals && !isValue && args[at] ? [args[at]] : [];
    });
  const isGit = name === "git" && GIT_READS.test(args.map(({ text }) => text).join(" "));
  const { shows, textFirst, copies } = getProgramFacts(name);
  if (!isGit && shows !== "files")
    return args.filter(
      (word, at) => fits(word) && (FILE_VALUE.test(word.text) || FILE_FLAG.test(args[at - 1]?.text ?? "")),
    );
  const operands = args.filter(
    ({ text }, at) => !/^-./.test(text) && !/^-\w*[ev]$|^--arg/.test(args[at - 1]?.text ?? ""),
  );
  const first = textFirst && !args.some(({ text }) => /^-[ef]$/.test(text)) ? 1 : 0;
  return operands.slice(first, copies ? -1 : undefined).filter(fits);
}

/** True for a command that shows the files that its input names. */
function canShowNamesFromInput(command: SimpleCommand): boolean {
  const name = getCommandName(command) ?? "";
  if (name === "cpio" || name === "pax") return true;
  return (name === "xargs" || name === "parallel") && findInnerWords(command).length > 0;
}

/** Names that `xargs` passes to the command that it runs; none if that command doesn't show files. */
function findInnerWords({ words }: SimpleCommand): readonly Word[] {
  const tails = words.slice(1, MOST_TAILS).map((_, at) => words.slice(at + 1));
  return tails.flatMap(([name, ...args]) => {
    if (!name || name.text.startsWith("-")) return [];
    if (getProgramFacts(name.text).runs === "script" && args.some(({ text }) => /^-\w*c/.test(text)))
      return [HANDED_ON];
    const given = [...args.map((word) => ({ ...word, text: word.text.replace(REPLACED, UNKNOWN) })), HANDED_ON];
    return findShownArguments({ words: [name, ...given], assignments: [], redirects: [] });
  });
}

const MOST_TAILS = 20;
/** `{}` and other marks that people use with `xargs -I`. */
const REPLACED = /\{\}|^[%@_]$|(?<=[./])%/g;
const HANDED_ON: Word = { ...createLiteralWord(UNKNOWN), isSplit: true };

/** Where the unknown parts of a line's words come from. */
class Origins {
  /** Git lists the names, from what it tracks. */
  listsTracked = false;
  private readonly commands: readonly SimpleCommand[];

  constructor({ commands }: ShellScript) {
    this.commands = commands;
  }

  /** True if a word may name any file. */
  mayBeAny(word: Word): boolean {
    return this.isAny(word, isWhole(word), 0);
  }

  /** True if a command's input may name any file. */
  mayFeedAny(command: SimpleCommand): boolean {
    const isPieced = findInnerWords(command).some((word) => !isWhole(word));
    return isPieced || this.classifyInput(command) === "any";
  }

  private isAny(word: Word, isName: boolean, depth: number): boolean {
    const { holes = [], variables, text } = word;
    if (!text.includes(UNKNOWN)) return false;
    if (holes.length + variables.length === 0 || depth > DEEPEST) return true;
    return (
      holes.some((hole) => this.isHoleAny(hole, isName, word)) ||
      variables.some((name) => this.isVariableAny(name, isName, text, depth))
    );
  }

  private isHoleAny(hole: Hole, isName: boolean, word: Word): boolean {
    switch (hole.kind) {
      case "number":
      case "file":
        return false;
      case "changed":
        return !hasOrdinaryEnding(word);
      case "printed":
        return !hole.commands.every(
          (command) => this.isPlace(command, isName || /^\0\//.test(word.text)) || (isName && this.isListing(command)),
        );
    }
  }

  private isVariableAny(name: string, isName: boolean, text: string, depth: number): boolean {
    const values = this.commands.flatMap(({ words, assignments }) =>
      [...words, ...assignments].filter(
        (word) => word.text.startsWith(`${name}=`) || word.text.startsWith(`${name}+=`),
      ),
    );
    const readers = this.commands.filter(
      (command) =>
        /^(?:read|mapfile|readarray|getopts|printf|let|select)$/.test(getCommandName(command) ?? "") &&
        command.words.slice(1).some((word) => word.text === name),
    );
    const isReference = this.commands.some(
      (command) =>
        /^(?:declare|typeset|local)$/.test(getCommandName(command) ?? "") &&
        command.words.some(({ text: flag }) => /^-\w*n/.test(flag)),
    );
    if (isReference || readers.some((command) => !isName || this.classifyInput(command) !== "listed")) return true;
    if (values.some((word) => this.isAny(word, isName, depth + 1))) return true;
    if (values.length + readers.length > 0 || HARMLESS_VALUE.test(name)) return false;
    const items = this.commands.flatMap(({ words, assignments }) =>
      words.length === 0 ? assignments.filter(({ text: item }) => !/^[A-Za-z_]\w*\+?=/.test(item)) : [],
    );
    if (items.length > 0) return items.some((word) => this.isAny(word, isName, depth + 1));
    if (/^(?:\d+|[@*])$/.test(name)) return true;
    return !HARMLESS_VARIABLES.has(name) && !/\0\/[^\0]*[^\0/]$/.test(text);
  }

  /** Where a command's input comes from: nothing, commands that list names, or anything. */
  private classifyInput(command: SimpleCommand): "none" | "listed" | "any" {
    const { redirects, fedBy = [] } = command;
    if (canShowNamesFromInput(command) && command.words.some(({ text }) => /^-a|^--arg/.test(text))) return "any";
    const inputs = redirects.filter(({ operator }) => operator.includes("<"));
    if (inputs.length === 0) return fedBy.length === 0 ? "none" : this.areListing(fedBy) ? "listed" : "any";
    const files = inputs.flatMap(({ target }) => target.holes ?? []);
    const areCommands = files.length === inputs.length && files.every(({ kind }) => kind === "file");
    return areCommands && files.every((file) => file.kind === "file" && this.areListing(file.commands))
      ? "listed"
      : "any";
  }

  private areListing(commands: readonly SimpleCommand[]): boolean {
    return commands.every((command) => this.isPlace(command, true) || this.isListing(command));
  }

  /** True if a command prints names of files that the line's other checks know, or passes some of them on. */
  private isListing(command: SimpleCommand): boolean {
    const name = getCommandName(command) ?? "";
    const args = command.words.slice(1).map(({ text }) => text);
    if (args.some((text) => COMPOSES.test(text))) return false;
    if (name === "git") return this.isGitListing(args);
    if (isLister(command) || isWritten(name, command.words.slice(1))) return true;
    const isSearch = /^(?:[efz]?grep|rg|ag|ack)$/.test(name);
    if (isSearch && args.some((text) => /^-[a-zA-Z]*[lL]|^--files-with/.test(text))) return true;
    return (command.fedBy?.length ?? 0) > 0 && isSelecting(name, command);
  }

  private isGitListing(args: readonly string[]): boolean {
    const at = args.findIndex((text, index) => !text.startsWith("-") && !/^-[Cc]$/.test(args[index - 1] ?? ""));
    const rest = args.slice(at + 1);
    if (args[at] === "ls-files") {
      this.listsTracked ||= !rest.some((text) => /^[^-:][^:]*$/.test(text));
      return true;
    }
    const isNamed = rest.some((text) => /^--(?:name-only|files-with-matches)$|^-[a-zA-Z]*l$/.test(text));
    if (!isNamed || !/^(?:diff|show|log|diff-tree|diff-index|ls-tree|grep)$/.test(args[at] ?? "")) return false;
    this.listsTracked = true;
    return true;
  }

  /** True if a command prints a folder, a number or the like, regardless of the existing files. */
  private isPlace(command: SimpleCommand, isName: boolean): boolean {
    const args = command.words.slice(1).map(({ text }) => text);
    switch (getCommandName(command)) {
      case "pwd":
      case "mktemp":
      case "nproc":
      case "which":
      case "uname":
      case "whoami":
      case "cd":
      case "true":
        return true;
      case "command":
        return args[0] === "-v";
      case "date":
        return args.every((text) => /^-u$|^\+(?:%[a-zA-Z]|[-_:. T])*$/.test(text));
      case "seq":
        return args.every((text) => /^-?\d+$/.test(text));
      case "git":
        return (
          args.includes("rev-parse") &&
          args.every((text) => /^(?:rev-parse|HEAD|--(?:show|git|abs|short)[\w-]*)$/.test(text))
        );
      case "dirname":
      case "readlink":
      case "realpath":
        return isName && command.words.slice(1).every((word) => !this.isAny(word, false, 0));
      default:
        return false;
    }
  }
}

const DEEPEST = 8;
/** Variables that hold a number or letters of flags. */
const HARMLESS_VALUE = /^[?#$!-]$/;
/** Flags that make a command print names in another form. */
const COMPOSES =
  /^-+(?:f?printf0?|format|pretty|line-prefix|\w+-prefix|output-indicator|time-style|path-separator|label|replace|only-matching|bytes)\b|^-[a-zA-Z]*[or]$|^-c/;

/** True for a command that passes on some of its lines unchanged. */
function isSelecting(name: string, command: SimpleCommand): boolean {
  const args = command.words.slice(1);
  if (name === "tr") return args.every(({ text }) => /^(?:\\n|\\0|\\000| )$/.test(text));
  if (!/^(?:[ef]?grep|head|tail|sort|uniq|tac|shuf|cat)$/.test(name)) return false;
  const uses = checkFor(name, "bash")?.(args, command.input);
  return uses !== undefined && !isReason(uses) && uses.every(({ isValue }) => isValue);
}

/** True if the unknown part is the whole name, or a name in a known folder. */
function isWhole({ text }: Word): boolean {
  return /^(?:[^\0]*\/)?\0$/.test(text);
}

/** True if names are printed as the line has them, in letters that `xargs` doesn't change. */
function isWritten(name: string, words: readonly Word[]): boolean {
  const names = name === "printf" && words[0]?.text === "%s\\n" ? words.slice(1) : name === "echo" ? words : undefined;
  return names?.every(({ text, isBraced }) => /^[\w./*?@+][\w./*?@+-]*$/.test(text) && !isBraced) ?? false;
}

/** True for a name in quotes with an ending of sources and documents, such as `"${name%.ts}.js"`. */
function hasOrdinaryEnding({ text, isQuoted, isSplit }: Word): boolean {
  return isQuoted && !isSplit && SOURCE.test(text.slice(text.lastIndexOf(UNKNOWN) + 1));
}

const SOURCE =
  /^[\w.-]*\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|cs|c|cc|cpp|h|hpp|php|s[ac]ss|css|html?|md|rst|log|vue|svelte|swift|lua|sql)$/i;
