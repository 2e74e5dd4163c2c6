import { type DisplayText, displayText } from "../../texts/display-text.ts";
import type { ProgramFacts } from "../programs/program.ts";
import { type CwdState, determineReach } from "./reach.ts";
import { formatWordForPeople, takeFindRoots, type Word } from "./reading.ts";
import { describeCall, type ProgramCall, type ShellScript } from "./script.ts";

/** Folders that a command deletes or takes over with everything below. */
interface Deletion {
  readonly targets: readonly Word[];
  /** The current folder counts as a target, too, not only folders above it. False for `chmod -R`, which is everyday work there. */
  readonly countsHere: boolean;
}

/** Explains why a command line must never run; undefined if it may. */
export function explainDestructiveLine(
  line: string,
  calls: readonly ProgramCall[],
  standing: CwdState,
): DisplayText | undefined {
  const inText = explainDestructiveText(line, calls);
  if (inText !== undefined) return inText;
  for (const call of calls) {
    const why = explainDiskWrite(call) ?? explainRootDeletion(findDeletion(call), standing);
    if (why !== undefined) return why;
  }
  if (!calls.some(isDeletingPipedNames)) return undefined;
  // A line that pipes names to a deleting command deletes what its `find` finds.
  return calls
    .filter(({ name }) => name === "find")
    .map(({ args }) => explainRootDeletion(describeFindDeletion(args), standing))
    .find((why) => why !== undefined);
}

/** Explains why a line must never run whose text alone shows it. `calls` are those in it, as far as they're known. */
export function explainDestructiveText(line: string, calls: readonly ProgramCall[] = []): DisplayText | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  if (isForkBomb(line)) return displayText("safety.line.forkBomb");
  const isProgram = calls.some(({ program: { runs, runsFile } }) => runs === "input" && runsFile);
  return CODE.find(({ pattern, inPrograms }) => (isProgram || !inPrograms) && pattern.test(line))?.why;
}

/** A longer line isn't parsed, so it asks. */
const LONGEST_LINE = 8192;
const DELETING = /(?:^|\/)(?:rm|unlink|shred|srm|trash|rimraf)$/;

/** True for `xargs rm` and the like, which delete names from a pipe. */
function isDeletingPipedNames({ words }: ProgramCall): boolean {
  return /^(?:xargs|parallel)$/.test(words[0]?.text ?? "") && words.some(({ text }) => DELETING.test(text));
}

/** Explains why a program given as text must never run, as far as its text reveals it. */
export function explainDestructiveCode(code: string): DisplayText | undefined {
  return CODE.find(({ pattern }) => pattern.test(code.slice(0, LONGEST_CODE)))?.why;
}

const LONGEST_CODE = 100_000;

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
function explainDiskWrite({ redirects, program, texts }: ProgramCall): DisplayText | undefined {
  const isRedirected = redirects.some(({ operator, target }) => operator.includes(">") && DISK.test(target.text));
  return isRedirected || isWritingDisk(program.disk, texts) ? displayText("safety.line.writesDiskDevice") : undefined;
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
export function explainDoubtfulLine(calls: readonly ProgramCall[], standing: CwdState): DisplayText | undefined {
  if (calls.some((call) => isDeletingPipedNames(call) && findDeletion(stripXargs(call)).countsHere))
    return displayText("safety.line.deletesPipedFolders");
  if (calls.some(({ program, texts }) => program.stops?.test(texts.join(" "))))
    return displayText("safety.line.shutsDownMachine");
  for (const { targets, countsHere } of calls.map(findDeletion)) {
    for (const target of targets) {
      const reach = determineReach(target, standing);
      if (reach === "unknown") return displayText("safety.line.deletesRuntimeFolder");
      if (reach === "here" && standing.hasMoved && countsHere) return displayText("safety.line.emptiesRuntimeFolder");
    }
  }
  return undefined;
}

function stripXargs(call: ProgramCall): ProgramCall {
  const at = call.words.findIndex(({ text }) => DELETING.test(text));
  return describeCall({ ...call, words: call.words.slice(at) });
}

function explainRootDeletion({ targets, countsHere }: Deletion, standing: CwdState): DisplayText | undefined {
  const target = targets.find((one) => {
    const reach = determineReach(one, standing);
    return reach === "root" || (reach === "here" && countsHere && !standing.hasMoved);
  });
  return target && displayText("safety.line.deletesOrTakesOver", { target: formatWordForPeople(target) });
}

/** True if a line changes its folder. A folder that code or a wrapped program enters is left with it. */
export function hasFolderChange({ commands }: ShellScript): boolean {
  return commands.some(({ name, program }) => name === "popd" || program.enters !== undefined);
}

const NOTHING: Deletion = { targets: [], countsHere: false };

/** Folders that a command would delete, overwrite or lock as a whole. */
function findDeletion({ name, program: { deletes }, args, operands, texts }: ProgramCall): Deletion {
  if (name === "find") return texts.some((text) => FOUND_DELETION.test(text)) ? describeFindDeletion(args) : NOTHING;
  if (!deletes || (deletes.flag && !texts.some((text) => deletes.flag?.test(text)))) return NOTHING;
  if (deletes.operands === "sources")
    return { targets: operands.slice(0, -1), countsHere: operands.at(-1)?.text === "/dev/null" };
  return {
    targets: deletes.operands === "last" ? operands.slice(-1) : operands,
    countsHere: !deletes.isHarmlessHere,
  };
}

const FOUND_DELETION = /^(?:-delete|rm|unlink|shred|srm)$/;

/** The targets of a `find` that deletes. A test that selects files makes that everyday work below the current folder. */
function describeFindDeletion(args: readonly Word[]): Deletion {
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
export function canDeleteWork(calls: readonly ProgramCall[]): boolean {
  return calls.some(isRewriting);
}

function isRewriting(call: ProgramCall): boolean {
  const { name, program, texts, redirects } = call;
  if (program.removes || program.loses || findDeletion(call).targets.length > 0) return true;
  if (name === "git") return texts.some((text) => LOSING.has(text));
  const overwrites = redirects.some(
    ({ operator, target }) => isOverwriting(operator) && !/^(?:\/dev\/null|\$null)$/.test(target.text),
  );
  return (
    overwrites || (/^(?:sed|perl|ruby)$/.test(name) && texts.some((text) => /^-[a-zA-Z]*i|^--in-place/.test(text)))
  );
}

/** True for a redirection that replaces a file. */
export function isOverwriting(operator: string): boolean {
  return /(?<!>)>(?![>&])/.test(operator);
}
