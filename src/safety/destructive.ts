import { deletionOf, reachOf } from "./deletion.ts";
import {
  everyCommand,
  nameOf,
  type Script,
  type SimpleCommand,
  UNKNOWN,
  type Word,
} from "./shell/reading.ts";

/** Why a command line must never run, as a sentence; undefined when nothing of the kind is in it. */
export function destructive(
  line: string,
  script: Script | undefined,
  folders: readonly string[],
): string | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  if (isForkBomb(line)) return "It starts itself without end (a fork bomb).";
  const inCode = CODE.find(({ pattern }) => pattern.test(line));
  if (inCode) return inCode.why;
  const commands = script ? everyCommand(script) : [];
  const hasMoved = commands.some(moves);
  for (const command of commands) {
    const why = writesDisk(command) ?? deletesRoot(command, folders, hasMoved);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** A longer line is not read, and so it asks. */
const LONGEST_LINE = 8192;

/** What is deleted in other languages than the shell's, and read without understanding them. */
const CODE: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  {
    pattern:
      /\b(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_dir_all|removeSync|rimraf|delete_recursive)\s{0,5}\(\s{0,5}(?:[\w.]{1,40}\(\s{0,5})?["'](?:\/|~|\.|\.\.|\/home|\/usr|\/etc|C:\\{1,2})\/?["']/,
    why: "It deletes a root folder with all that is in it.",
  },
  {
    pattern:
      /\bfork\s{1,5}while\s{1,5}fork\b|\bwhile\s{0,5}(?:\(?(?:1|True|true)\)?)?\s{0,5}:?\s{0,5}(?:os\.)?fork\b/,
    why: "It starts itself without end (a fork bomb).",
  },
  {
    pattern: /\bopen\s{0,5}\(\s{0,5}["']\/dev\/(?:sd|nvme|hd|vd|xvd|mmcblk|disk|mem|kmem)/,
    why: "It writes to a disk past its files.",
  },
];

/** A function that calls itself into a pipe or into the background. */
function isForkBomb(line: string): boolean {
  for (const match of line.matchAll(/\(\s{0,20}\)\s{0,20}\{/g)) {
    const name = /[^\s(){};|&<>'"$`]{1,64}$/.exec(line.slice(0, match.index).trimEnd().slice(-64))?.[0];
    const from = match.index + match[0].length;
    const end = line.indexOf("}", from);
    const body = line.slice(from, Math.min(from + 400, end === -1 ? line.length : end));
    if (name !== undefined && callsItself(name, body)) return true;
  }
  return false;
}

function callsItself(name: string, body: string): boolean {
  const words = body.split(/([|&;\s]+)/).map((word) => word.trim());
  const calls = words.flatMap((word, index) => (word === name ? [index] : []));
  return calls.some((at) => /[|&]/.test(words[at - 1] ?? "") || /^(?:\||&$)/.test(words[at + 1] ?? ""));
}

const DISK =
  /^\/dev\/(?:sd|nvme|hd|vd|xvd|mmcblk|disk|rdisk|mapper\/|md|dm-|loop|nbd|mem$|kmem$|port$)|^\\\\\.\\(?:physicaldrive|[a-z]:)/i;
const DISK_TOOLS =
  /^(?:mkfs(?:\..*)?|mke2fs|wipefs|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|mkswap|blkdiscard|badblocks|hdparm|nvme|cryptsetup|diskpart|format-volume|clear-disk|initialize-disk|remove-partition|newfs.*|zpool|vgremove|pvremove|lvremove)$/;
const DISK_WHY = "It writes to a disk past its files.";

function writesDisk(command: SimpleCommand): string | undefined {
  const name = nameOf(command) ?? "";
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

/** Why a deletion should be looked at by a person in every mode, as a sentence: nobody can tell beforehand what it reaches. */
export function doubtfulDeletion(script: Script, folders: readonly string[]): string | undefined {
  const hasMoved = script.commands.some(moves);
  for (const command of everyCommand(script)) {
    const { targets, countsHere } = deletionOf(command);
    for (const target of targets) {
      const reach = reachOf(target, folders);
      if (reach === "unknown") return "It deletes a folder whose name is only known once it runs.";
      if (reach === "here" && hasMoved && countsHere)
        return "It deletes all that is in the folder it goes to, wherever that is.";
    }
  }
  return undefined;
}

function deletesRoot(
  command: SimpleCommand,
  folders: readonly string[],
  hasMoved: boolean,
): string | undefined {
  const { targets, countsHere } = deletionOf(command);
  for (const target of targets) {
    const reach = reachOf(target, folders);
    if (reach === "root" || (reach === "here" && countsHere && !hasMoved))
      return `It deletes or takes over ${shown(target)} with all that is in it.`;
  }
  return undefined;
}

function shown({ text, variables }: Word): string {
  return text.replace(UNKNOWN, `$${variables[0] ?? "…"}`).replaceAll(UNKNOWN, "…");
}

function moves(command: SimpleCommand): boolean {
  return ["cd", "pushd", "popd", "set-location", "sl", "chdir", "push-location"].includes(
    nameOf(command) ?? "",
  );
}
