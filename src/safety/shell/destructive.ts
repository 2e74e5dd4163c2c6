import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { findDeletion } from "./deletion.ts";
import { type CwdState, determineReach } from "./reach.ts";
import {
  createLiteralWord,
  getCommandName,
  listEveryCommand,
  type ShellScript,
  type SimpleCommand,
  UNKNOWN,
  type Word,
} from "./reading.ts";

/** A sentence on why a command line must never run; undefined when it may. */
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
  const standing = { folders, cwd, hasMoved: commands.some(isFolderChange) };
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
function isPipingNamesToDeletion(
  command: SimpleCommand,
  _at: number,
  all: readonly SimpleCommand[],
): boolean {
  return getCommandName(command) === "find" && all.some(isDeletingPipedNames);
}

/** The same `find`, as if it deleted what it finds. */
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

/** A sentence on why a program given as text must never run, as far as its text reveals it. */
export function explainDestructiveCode(code: string): DisplayText | undefined {
  return CODE.find(({ pattern }) => pattern.test(code.slice(0, LONGEST_CODE)))?.why;
}

const LONGEST_CODE = 100_000;

/** A sentence on why a program in another language must never run, as far as its text reveals it. */
function explainDestructivePrograms(
  line: string,
  commands: readonly SimpleCommand[],
): DisplayText | undefined {
  const isProgram = commands.some((command) =>
    /^(?:perl|python[\d.]*|ruby|node|php|lua|deno|bun)$/.test(getCommandName(command) ?? ""),
  );
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
    pattern:
      /\bfork\s{1,5}while\s{1,5}fork\b|\bwhile\s{0,5}(?:\(?(?:1|True|true)\)?)?\s{0,5}:?\s{0,5}(?:os\.)?fork\b/,
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
const DISK_TOOLS =
  /^(?:mkfs(?:\..*)?|mke2fs|wipefs|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|mkswap|blkdiscard|badblocks|hdparm|nvme|cryptsetup|diskpart|format-volume|clear-disk|initialize-disk|remove-partition|newfs.*|zpool|vgremove|pvremove|lvremove)$/;
const DISK_WHY = displayText("safety.line.writesDiskDevice");

function explainDiskWrite(command: SimpleCommand): DisplayText | undefined {
  const name = getCommandName(command) ?? "";
  const args = command.words.slice(1).map(({ text }) => text);
  if (command.redirects.some(({ operator, target }) => operator.includes(">") && DISK.test(target.text)))
    return DISK_WHY;
  if (DISK_TOOLS.test(name)) return isOnlyAsking(name, args) ? undefined : DISK_WHY;
  if (name === "dd")
    return args.some((arg) => arg.startsWith("of=") && DISK.test(arg.slice(3))) ? DISK_WHY : undefined;
  if (name === "diskutil")
    return args.some((arg) => /^(?:erase|partition|zero|secureerase|reformat)/i.test(arg))
      ? DISK_WHY
      : undefined;
  if (name === "format") return args.some((arg) => /^[a-z]:/i.test(arg)) ? DISK_WHY : undefined;
  const isWriter = /^(?:tee|cp|mv|shred|truncate|install|ln|cat|pv|rsync|sponge)$/.test(name);
  return isWriter && name !== "cat" && DISK.test(args.at(-1) ?? "") ? DISK_WHY : undefined;
}

function isOnlyAsking(name: string, args: readonly string[]): boolean {
  if (args.length === 1 && /^(?:-h|--help|-V|--version)$/.test(args[0] ?? "")) return true;
  if (name === "fdisk" || name === "parted" || name === "sfdisk")
    return args.some((arg) => /^(?:-l|--list)$/.test(arg));
  if (name === "nvme" || name === "zpool" || name === "cryptsetup")
    return !args.some((arg) =>
      /^(?:format|destroy|create|labelclear|sanitize|write|erase|luksformat)/i.test(arg),
    );
  return false;
}

/** A sentence on why a line asks in every mode: its deletions can't be determined, or it ends more than itself. */
export function explainDoubtfulLine(
  script: ShellScript,
  folders: readonly string[],
  cwd?: string,
): DisplayText | undefined {
  const standing = { folders, cwd, hasMoved: script.commands.some(isFolderChange) };
  const commands = listEveryCommand(script);
  if (
    commands.some((command) => isDeletingPipedNames(command) && findDeletion(stripXargs(command)).countsHere)
  )
    return displayText("safety.line.deletesPipedFolders");
  if (commands.some(canEndMachine)) return displayText("safety.line.shutsDownMachine");
  for (const command of commands) {
    const { targets, countsHere } = findDeletion(command);
    for (const target of targets) {
      const reach = determineReach(target, standing);
      if (reach === "unknown") return displayText("safety.line.deletesRuntimeFolder");
      if (reach === "here" && standing.hasMoved && countsHere)
        return displayText("safety.line.emptiesRuntimeFolder");
    }
  }
  return undefined;
}

function stripXargs(command: SimpleCommand): SimpleCommand {
  const at = command.words.findIndex(({ text }) =>
    /(?:^|\/)(?:rm|unlink|shred|srm|trash|rimraf)$/.test(text),
  );
  return { ...command, words: command.words.slice(at) };
}

function canEndMachine(command: SimpleCommand): boolean {
  const args = command.words.slice(1).map(({ text }) => text);
  switch (getCommandName(command)) {
    case "shutdown":
    case "reboot":
    case "poweroff":
    case "halt":
    case "stop-computer":
    case "restart-computer":
      return true;
    case "init":
    case "telinit":
      return /^[06]$/.test(args[0] ?? "");
    case "systemctl":
      return args.some((arg) => /^(?:poweroff|reboot|halt|kexec|rescue|emergency)$/.test(arg));
    case "kill":
      return args.at(-1) === "-1" && args.length > 1;
    default:
      return false;
  }
}

function explainRootDeletion(command: SimpleCommand, standing: CwdState): DisplayText | undefined {
  const { targets, countsHere } = findDeletion(command);
  for (const target of targets) {
    const reach = determineReach(target, standing);
    if (reach === "root" || (reach === "here" && countsHere && !standing.hasMoved))
      return displayText("safety.line.deletesOrTakesOver", { target: formatShownWord(target) });
  }
  return undefined;
}

function formatShownWord({ text, variables }: Word): string {
  return text.replace(UNKNOWN, `$${variables[0] ?? "…"}`).replaceAll(UNKNOWN, "…");
}

function isFolderChange(command: SimpleCommand): boolean {
  return ["cd", "pushd", "popd", "set-location", "sl", "chdir", "push-location"].includes(
    getCommandName(command) ?? "",
  );
}
