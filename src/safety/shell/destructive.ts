import { type DisplayText, displayText } from "../../texts/display-text.ts";
import type { ProgramFacts } from "../programs/program.ts";
import { type CwdState, determineReach } from "./reach.ts";
import {
  createLiteralWord,
  formatWordForPeople,
  getCalledFacts,
  getCommandName,
  listArguments,
  listEveryCommand,
  type ShellScript,
  type SimpleCommand,
  takeFindRoots,
  type Word,
} from "./reading.ts";

/** Explains why a command line must never run; undefined if it may. */
export function explainDestructiveLine(
  line: string,
  script: ShellScript | undefined,
  folders: readonly string[],
  cwd?: string,
): DisplayText | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  if (isForkBomb(line)) return displayText("safety.line.forkBomb");
  const commands = script ? listEveryCommand(script) : [];
  const inCode = explainDestructivePrograms(line, commands);
  if (inCode !== undefined) return inCode;
  // A folder that code or a wrapped program enters is left with it.
  const standing = { folders, cwd, hasMoved: script?.commands.some(isFolderChange) ?? false };
  const piped = commands.filter(isPipingNamesToDeletion);
  for (const command of [...commands, ...piped.map(addDeleteFlag)]) {
    const why = explainDiskWrite(command) ?? explainRootDeletion(command, standing);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** A longer line isn't parsed, so it asks. */
const LONGEST_LINE = 8192;

/** True for a `find` in a line that pipes names to a deleting command. */
function isPipingNamesToDeletion(command: SimpleCommand, _at: number, all: readonly SimpleCommand[]): boolean {
  return getCommandName(command) === "find" && all.some(isDeletingPipedNames);
}

/** Treats the same `find` as if it deleted the files that it finds. */
function addDeleteFlag(command: SimpleCommand): SimpleCommand {
  return { ...command, words: [...command.words, createLiteralWord("-delete")] };
}

/** True for `xargs rm` and the like, which delete names from a pipe. */
function isDeletingPipedNames({ words }: SimpleCommand): boolean {
  return (
    /^(?:xargs|parallel)$/.test(words[0]?.text ?? "") &&
    words.some(({ text }) => /(?:^|\/)(?:rm|unlink|shred|srm|trash|rimraf)$/.test(text))
  );
}

/** Explains why a program given as text must never run, as far as its text reveals it. */
export function explainDestructiveCode(code: string): DisplayText | undefined {
  return CODE.find(({ pattern }) => pattern.test(code.slice(0, LONGEST_CODE)))?.why;
}

const LONGEST_CODE = 100_000;

/** Explains why a program in another language must never run, as far as its text reveals it. */
function explainDestructivePrograms(line: string, commands: readonly SimpleCommand[]): DisplayText | undefined {
  const isProgram = commands.map(getCalledFacts).some(({ runs, runsFile }) => runs === "input" && runsFile);
  return CODE.find(({ pattern, inPrograms }) => (isProgram || !inPrograms) && pattern.test(line))?.why;
}

/** Deletions in other languages than the shell's, found by pattern only. */
const CODE: readonly { readonly pattern: RegExp; readonly why: DisplayText; readonly inPrograms?: true }[] = [
  {
    pattern:
      /\b(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_dir_all|removeSync|rimraf|delete_recursive)\s{0,5}\(\s{0,5}(?:[\w.]{1,40}\(\s{0,5})?["'](?:\/|~|\.|\.\.|\/home|\/usr|\/etc|C:\\{1,2})\/?["']/,
    why: displayText("safety.line.deletesRootFolder"),
  },
  {
    pattern: /\bfork\s{1,5}while\s{1,5}fork\b|\bwhile\s{0,5}(?:\(?(?:1|True|true)\)?)?\s{0,5}:?\s{0,5}(?:os\.)?fork\b/,
    why: displayText("safety.line.forkBomb"),
  },
  {
    pattern:
      /["'`]\s{0,3}(?:sudo\s{1,3})?rm\s{1,5}(?:-[\w-]{1,30}\s{1,5}){1,4}["']?(?:\/|~|\.{1,2}|\$HOME)\/?\*?["'`\s;&|)\\]/,
    why: displayText("safety.line.deletesRootFolder"),
    inPrograms: true,
  },
  {
    pattern:
      /\bfork\b[\s()]{1,8}(?:while|for)\b|\b(?:while|loop|until)\b[\s\S]{0,30}\bfork\b|\bfork\(\)\s{1,3}for\b[^\n]{0,30}\biter\b/,
    why: displayText("safety.line.forkBomb"),
    inPrograms: true,
  },
  {
    pattern: /\bopen\s{0,5}\(\s{0,5}["']\/dev\/(?:sd|nvme|hd|vd|xvd|mmcblk|disk|mem|kmem)/,
    why: displayText("safety.line.writesDiskDevice"),
  },
];

/** True for a function that calls itself in a pipe or in the background. */
function isForkBomb(line: string): boolean {
  for (const match of line.matchAll(/\(\s{0,20}\)\s{0,20}\{/g)) {
    const name = /[^\s(){};|&<>'"$`]{1,64}$/.exec(line.slice(0, match.index).trimEnd().slice(-64))?.[0];
    const from = match.index + match[0].length;
    const end = line.indexOf("}", from);
    const body = line.slice(from, Math.min(from + 400, end === -1 ? line.length : end));
    if (name !== undefined && isCallingItself(name, body)) return true;
  }
  return false;
}

function isCallingItself(name: string, body: string): boolean {
  const words = body.split(/([|&;\s]+)/).map((word) => word.trim());
  const calls = words.flatMap((word, index) => (word === name ? [index] : []));
  return calls.some((at) => /[|&]/.test(words[at - 1] ?? "") || /^(?:\||&$)/.test(words[at + 1] ?? ""));
}

const DISK =
  /^\/dev\/(?:sd|nvme|hd|vd|xvd|mmcblk|disk|rdisk|mapper\/|md|dm-|loop|nbd|mem$|kmem$|port$)|^\\\\\.\\(?:physicaldrive|[a-z]:)/i;
function explainDiskWrite(command: SimpleCommand): DisplayText | undefined {
  const redirected = command.redirects.filter(({ operator }) => operator.includes(">"));
  const isWritten =
    redirected.some(({ target }) => DISK.test(target.text)) ||
    isWritingDisk(getCalledFacts(command).disk, listArguments(command));
  return isWritten ? displayText("safety.line.writesDiskDevice") : undefined;
}

function isWritingDisk(disk: ProgramFacts["disk"], args: readonly string[]): boolean {
  if (disk === undefined) return false;
  if (disk === "last") return DISK.test(args.at(-1) ?? "");
  if (disk === "of") return args.some((arg) => arg.startsWith("of=") && DISK.test(arg.slice(3)));
  if (args.length === 1 && /^(?:-h|--help|-V|--version)$/.test(args[0] ?? "")) return false;
  const { when, unless } = disk;
  return (!when || args.some((arg) => when.test(arg))) && !(unless && args.some((arg) => unless.test(arg)));
}

/** Explains why a line asks in every mode: its deletions can't be determined, or it shuts down the machine. */
export function explainDoubtfulLine(
  script: ShellScript,
  folders: readonly string[],
  cwd?: string,
): DisplayText | undefined {
  const standing = { folders, cwd, hasMoved: script.commands.some(isFolderChange) };
  const commands = listEveryCommand(script);
  if (commands.some((command) => isDeletingPipedNames(command) && findDeletion(stripXargs(command)).countsHere))
    return displayText("safety.line.deletesPipedFolders");
  if (commands.some(canEndMachine)) return displayText("safety.line.shutsDownMachine");
  for (const command of commands) {
    const { targets, countsHere } = findDeletion(command);
    for (const target of targets) {
      const reach = determineReach(target, standing);
      if (reach === "unknown") return displayText("safety.line.deletesRuntimeFolder");
      if (reach === "here" && standing.hasMoved && countsHere) return displayText("safety.line.emptiesRuntimeFolder");
    }
  }
  return undefined;
}

function stripXargs(command: SimpleCommand): SimpleCommand {
  const at = command.words.findIndex(({ text }) => /(?:^|\/)(?:rm|unlink|shred|srm|trash|rimraf)$/.test(text));
  return { ...command, words: command.words.slice(at) };
}

function canEndMachine(command: SimpleCommand): boolean {
  return getCalledFacts(command).stops?.test(listArguments(command).join(" ")) ?? false;
}

function explainRootDeletion(command: SimpleCommand, standing: CwdState): DisplayText | undefined {
  const { targets, countsHere } = findDeletion(command);
  for (const target of targets) {
    const reach = determineReach(target, standing);
    if (reach === "root" || (reach === "here" && countsHere && !standing.hasMoved))
      return displayText("safety.line.deletesOrTakesOver", { target: formatWordForPeople(target) });
  }
  return undefined;
}

function isFolderChange(command: SimpleCommand): boolean {
  return getCommandName(command) === "popd" || getCalledFacts(command).enters !== undefined;
}

/** Folders that a command deletes or takes over with everything below. */
interface Deletion {
  readonly targets: readonly Word[];
  /** The current folder counts as a target, too, not only folders above it. False for `chmod -R`, which is everyday work there. */
  readonly countsHere: boolean;
}

const NOTHING: Deletion = { targets: [], countsHere: false };

/** Folders that a command would delete, overwrite or lock as a whole. */
function findDeletion(command: SimpleCommand): Deletion {
  const args = command.words.slice(1);
  if (getCommandName(command) === "find") return findFindDeletion(args);
  const { deletes } = getCalledFacts(command);
  if (!deletes || (deletes.flag && !args.some(({ text }) => deletes.flag?.test(text)))) return NOTHING;
  const targets = args.filter(({ text }) => !text.startsWith("-"));
  if (deletes.operands === "sources")
    return { targets: targets.slice(0, -1), countsHere: targets.at(-1)?.text === "/dev/null" };
  return {
    targets: deletes.operands === "last" ? targets.slice(-1) : targets,
    countsHere: !deletes.isHarmlessHere,
  };
}

/** The targets of a `find` that deletes. A test that selects files makes that everyday work below the current folder. */
function findFindDeletion(args: readonly Word[]): Deletion {
  const deletes = args.some(({ text }) => text === "-delete" || /^(?:rm|unlink|shred|srm)$/.test(text));
  if (!deletes) return NOTHING;
  const isFiltered = args.some(({ text }) =>
    /^-(?:i?name|i?path|i?regex|size|[acm]time|[acm]min|empty|newer\w*|user|perm)$/.test(text),
  );
  return { targets: takeFindRoots(args), countsHere: !isFiltered };
}

/** git commands that can lose uncommitted work, or change what runs later. */
const LOSING = new Set(
  "clean reset checkout restore switch stash rm rebase push filter-branch gc prune update-ref config worktree submodule".split(
    " ",
  ),
);

/** True when a line openly deletes or discards work; the inside of programs is unknown. */
export function canDeleteWork(script: ShellScript): boolean {
  return listEveryCommand(script).some(isRewriting);
}

function isRewriting(command: SimpleCommand): boolean {
  const name = getCommandName(command) ?? "";
  const args = listArguments(command);
  const { removes, loses } = getCalledFacts(command);
  if (removes || loses || findDeletion(command).targets.length > 0) return true;
  if (name === "git") return args.some((arg) => LOSING.has(arg));
  const overwrites = command.redirects.some(
    ({ operator, target }) => /(?<!>)>(?![>&])/.test(operator) && !/^(?:\/dev\/null|\$null)$/.test(target.text),
  );
  return overwrites || (/^(?:sed|perl|ruby)$/.test(name) && args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg)));
}
