import type { Disk } from "../../core/ports/disk.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { splitPathSegments } from "../paths/paths.ts";
import { findSecretReason } from "../paths/sensitive.ts";
import { HARMLESS_VARIABLES } from "../programs/readers.ts";
import { findReadCheck, getProgramFacts } from "../programs/table.ts";
import {
  createLiteralWord,
  type Hole,
  isReason,
  type SimpleCommand,
  skipLeadingFlags,
  UNKNOWN,
  type Word,
} from "../shell/reading.ts";
import { isLister } from "../shell/recursive-readers.ts";
import { describeCall, listCalls, listLineWords, type ProgramCall, type ShellScript } from "../shell/script.ts";
import type { CwdContext } from "./file-access.ts";

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
  const calls = listCalls(script);
  const seesHidden = listLineWords(calls).some(({ text }) => HIDDEN_TOO.test(text));
  const isUnknown = calls.some(
    (call) =>
      canReadFileList(call) ||
      (seesHidden && findShownArguments(call, ({ isPattern }) => isPattern).length > 0) ||
      findShownWords(call).some((word) => origins.mayBeAny(word)) ||
      (canShowNamesFromInput(call) && origins.mayFeedAny(call)),
  );
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
function canReadFileList({ name, program, texts }: ProgramCall): boolean {
  const isCode = /awk$/.test(name) && texts.some((text) => AWK_READS.test(text));
  return isCode || texts.some((text) => LIST_FLAG.test(text) || program.listFlag?.test(text));
}

/** awk's own ways of reading files, unless the name is written out. */
const AWK_READS = /\bgetline\b[^;}|]*<(?!\s*"[^"]*"\s*[);}])|\bARGV\b/;

/** Flags that name a file to send or encode, and values that mean such a file. */
const FILE_FLAG = /^(?:-in|-T|-K|--upload-file|--config|--post-file|--body-file)$/;
const FILE_VALUE = /(?:^|=)[@<][^@]*\0|^file:/;
/** Git commands that read files themselves. */
const GIT_READS = /\bhash-object\b|--no-i|\badd\b.* -(?:\w*f|-forc?e?)/;

/** Arguments and redirections of a command that name unknown files whose content it shows. */
function findShownWords(call: ProgramCall): readonly Word[] {
  const targets = call.redirects.flatMap(({ operator, target }) => (/^\d*<$/.test(operator) ? [target] : []));
  return [...findShownArguments(call), ...targets.filter(isUnknownWord)];
}

const isUnknownWord = ({ text }: Word): boolean => text.includes(UNKNOWN);

/** Matching arguments that name files whose content a command shows. */
function findShownArguments(
  { name, program, args, texts, input }: ProgramCall,
  fits: (word: Word) => boolean = isUnknownWord,
): readonly Word[] {
  if (!args.some(fits)) return [];
  const marked = args.map((word, at) => (fits(word) ? createLiteralWord(`${ANY}${at}`) : word));
  const uses = findReadCheck(name, "bash")?.(marked, input);
  if (uses && !isReason(uses))
    return uses.flatMap(({ word, reveals, isValue }) => {
      const at = word.text.startsWith(ANY) ? Number(word.text.slice(ANY.length)) : -1;
      return reveals && !isValue && args[at] ? [args[at]] : [];
    });
  const isGit = name === "git" && GIT_READS.test(texts.join(" "));
  const { shows, textFirst, copies } = program;
  if (!isGit && shows !== "files")
    return args.filter((word, at) => fits(word) && (FILE_VALUE.test(word.text) || FILE_FLAG.test(texts[at - 1] ?? "")));
  const operands = args.filter(({ text }, at) => !/^-./.test(text) && !/^-\w*[ev]$|^--arg/.test(texts[at - 1] ?? ""));
  const first = textFirst && !texts.some((text) => /^-[ef]$/.test(text)) ? 1 : 0;
  return operands.slice(first, copies ? -1 : undefined).filter(fits);
}

/** True for a command that shows the files that its input names. */
function canShowNamesFromInput(call: ProgramCall): boolean {
  if (call.name === "cpio" || call.name === "pax") return true;
  return (call.name === "xargs" || call.name === "parallel") && findInnerWords(call).length > 0;
}

/** Names that `xargs` passes to the command that it runs; none if that command doesn't show files. */
function findInnerWords({ words }: ProgramCall): readonly Word[] {
  const tails = words.slice(1, MOST_TAILS).map((_, at) => words.slice(at + 1));
  return tails.flatMap(([name, ...args]) => {
    if (!name || name.text.startsWith("-")) return [];
    if (getProgramFacts(name.text).runs === "script" && args.some(({ text }) => /^-\w*c/.test(text)))
      return [HANDED_ON];
    const given = [...args.map((word) => ({ ...word, text: word.text.replace(REPLACED, UNKNOWN) })), HANDED_ON];
    return findShownArguments(describeCall({ words: [name, ...given], assignments: [], redirects: [] }));
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
  private readonly commands: readonly ProgramCall[];

  constructor({ commands }: ShellScript) {
    this.commands = commands;
  }

  /** True if a word may name any file. */
  mayBeAny(word: Word): boolean {
    return this.isAny(word, isWhole(word), 0);
  }

  /** True if a command's input may name any file. */
  mayFeedAny(call: ProgramCall): boolean {
    return findInnerWords(call).some((word) => !isWhole(word)) || this.classifyInput(call) === "any";
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
        return !hole.commands
          .map(describeCall)
          .every((call) => this.isPlace(call, isName || /^\0\//.test(word.text)) || (isName && this.isListing(call)));
    }
  }

  private isVariableAny(name: string, isName: boolean, text: string, depth: number): boolean {
    const values = this.commands.flatMap(({ words, assignments }) =>
      [...words, ...assignments].filter(
        (word) => word.text.startsWith(`${name}=`) || word.text.startsWith(`${name}+=`),
      ),
    );
    const readers = this.commands.filter(
      (call) => /^(?:read|mapfile|readarray|getopts|printf|let|select)$/.test(call.name) && call.texts.includes(name),
    );
    const isReference = this.commands.some(
      (call) => /^(?:declare|typeset|local)$/.test(call.name) && call.texts.some((flag) => /^-\w*n/.test(flag)),
    );
    if (isReference || readers.some((call) => !isName || this.classifyInput(call) !== "listed")) return true;
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
  private classifyInput(call: ProgramCall): "none" | "listed" | "any" {
    const { redirects, fedBy = [], words } = call;
    if (canShowNamesFromInput(call) && words.some(({ text }) => /^-a|^--arg/.test(text))) return "any";
    const inputs = redirects.filter(({ operator }) => operator.includes("<"));
    if (inputs.length === 0 && fedBy.length === 0) return "none";
    if (inputs.length === 0) return this.areListing(fedBy) ? "listed" : "any";
    const files = inputs.flatMap(({ target }) => target.holes ?? []);
    const areCommands = files.length === inputs.length && files.every(({ kind }) => kind === "file");
    return areCommands && files.every((file) => file.kind === "file" && this.areListing(file.commands))
      ? "listed"
      : "any";
  }

  private areListing(commands: readonly SimpleCommand[]): boolean {
    return commands.map(describeCall).every((call) => this.isPlace(call, true) || this.isListing(call));
  }

  /** True if a command prints names of files that the line's other checks know, or passes some of them on. */
  private isListing(call: ProgramCall): boolean {
    const { name, args, texts } = call;
    if (texts.some((text) => COMPOSES.test(text))) return false;
    if (name === "git") return this.isGitListing(texts);
    if (isLister(call) || isWritten(name, args)) return true;
    const isSearch = /^(?:[efz]?grep|rg|ag|ack)$/.test(name);
    if (isSearch && texts.some((text) => /^-[a-zA-Z]*[lL]|^--files-with/.test(text))) return true;
    return (call.fedBy?.length ?? 0) > 0 && isSelecting(call);
  }

  private isGitListing(args: readonly string[]): boolean {
    const [subcommand = "", ...rest] = skipLeadingFlags(args);
    if (subcommand === "ls-files") {
      this.listsTracked ||= !rest.some((text) => /^[^-:][^:]*$/.test(text));
      return true;
    }
    const isNamed = rest.some((text) => /^--(?:name-only|files-with-matches)$|^-[a-zA-Z]*l$/.test(text));
    if (!isNamed || !/^(?:diff|show|log|diff-tree|diff-index|ls-tree|grep)$/.test(subcommand)) return false;
    this.listsTracked = true;
    return true;
  }

  /** True if a command prints a folder, a number or the like, regardless of the existing files. */
  private isPlace({ name, args, texts }: ProgramCall, isName: boolean): boolean {
    switch (name) {
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
        return texts[0] === "-v";
      case "date":
        return texts.every((text) => /^-u$|^\+(?:%[a-zA-Z]|[-_:. T])*$/.test(text));
      case "seq":
        return texts.every((text) => /^-?\d+$/.test(text));
      case "git":
        return (
          texts.includes("rev-parse") &&
          texts.every((text) => /^(?:rev-parse|HEAD|--(?:show|git|abs|short)[\w-]*)$/.test(text))
        );
      case "dirname":
      case "readlink":
      case "realpath":
        return isName && args.every((word) => !this.isAny(word, false, 0));
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
function isSelecting({ name, args, texts, input }: ProgramCall): boolean {
  if (name === "tr") return texts.every((text) => /^(?:\\n|\\0|\\000| )$/.test(text));
  if (!/^(?:[ef]?grep|head|tail|sort|uniq|tac|shuf|cat)$/.test(name)) return false;
  const uses = findReadCheck(name, "bash")?.(args, input);
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
