import type { Disk, IgnoredFile } from "../../core/ports/disk.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { isInside, isWindowsPath, resolvePathFrom } from "../paths/paths.ts";
import { findProtection } from "../paths/sensitive.ts";
import { type EnteredPlace, selectEntered } from "../programs/program.ts";
import type { CwdContext } from "../read-only/file-access.ts";
import { listCommandWords, listPathPieces } from "./mentions.ts";
import { getCalledFacts, listEveryCommand, type ShellScript, type SimpleCommand, type Word } from "./reading.ts";
import { listWrittenNames } from "./writes-outside.ts";

/** A protected file that a line reaches through a link or a wildcard. */
export interface LinkedFile {
  /** Its name in the line. */
  readonly text: string;
  readonly why: DisplayText;
}

const MOST_NAMES = 500;
const MOST_LINKED_PATTERNS = 20;
const MOST_ABOVE = 8;

/** The first protected file that a line reaches by another name, with links resolved as they are now. */
export async function findLinkedFile(
  script: ShellScript,
  { folder, folders, platform }: CwdContext,
  disk: Disk,
): Promise<LinkedFile | undefined> {
  const words = listEveryCommand(script).flatMap(listCommandWords);
  const texts = new Set(words.filter(({ isPattern }) => !isPattern).flatMap(listPossibleNames));
  if (texts.size > MOST_NAMES)
    return { text: `one of ${texts.size} names`, why: displayText("safety.line.mayLeadToProtected") };
  for (const text of texts) {
    const path = resolvePathFrom(folder, text);
    for (const name of await resolveExistingPaths(path, disk)) {
      const why = name === path ? undefined : findProtection({ path: name, how: "write" }, folders, platform);
      if (why !== undefined) return { text, why };
    }
  }
  const patterns = new Set(words.filter(({ isPattern }) => isPattern).map(({ text }) => text));
  for (const text of [...patterns].slice(0, MOST_LINKED_PATTERNS)) {
    for (const path of (await disk.resolveRealPaths(resolvePathFrom(folder, text), true)) ?? []) {
      const why = findProtection({ path, how: "read" }, folders, platform);
      if (why !== undefined) return { text, why };
    }
  }
  return undefined;
}

/** A word, and paths inside it, as in `--file=notes.txt`. */
function listPossibleNames({ text }: Word): readonly string[] {
  const pieces = listPathPieces(text).filter((piece) => /^[\w@.~/\\-]+$/.test(piece));
  return [text, ...pieces].filter((name) => name !== "" && name.length < LONGEST_NAME && !/[\0\n]/.test(name));
}

const LONGEST_NAME = 4096;

/** Real path of a file, existing or new, and the links on the way; empty when it can't be determined. */
async function resolveExistingPaths(path: string, disk: Disk): Promise<readonly string[]> {
  let at = path;
  for (let above = 0; above < MOST_ABOVE; above++) {
    const found = (await disk.resolveRealPaths(at, false)) ?? [];
    if (found.length > 0) return found.map((name) => name + path.slice(at.length));
    const end = Math.max(at.lastIndexOf("/"), isWindowsPath(at) ? at.lastIndexOf("\\") : -1);
    if (end <= 0) return [];
    at = at.slice(0, end);
  }
  return [];
}

/** The first name to which a line writes and that leads outside the workspace by a link, with links as they are now. */
export async function findOutsideLink(
  script: ShellScript,
  { folder, folders, platform }: CwdContext,
  disk: Disk,
): Promise<string | undefined> {
  const names = [...new Set(listWrittenNames(script))].filter(
    (text) => text.length < LONGEST_NAME && !/[\0\n]|^-/.test(text),
  );
  for (const text of names.slice(0, MOST_NAMES)) {
    const path = resolvePathFrom(folder, text);
    // Others are outside by their spelling already.
    const [real] = path !== text || isInside(path, folders, platform) ? await resolveExistingPaths(path, disk) : [];
    if (real !== undefined && !text.startsWith("..") && !isInside(real, folders, platform)) return text;
  }
  return undefined;
}

/** The first ignored file that a line names anywhere, through links and wildcards too. */
export async function findIgnoredFile(
  script: ShellScript,
  { folder, folders }: Pick<CwdContext, "folder" | "folders">,
  disk: Disk,
): Promise<IgnoredFile | undefined> {
  const commands = listEveryCommand(script);
  const words = commands.flatMap(listCommandWords);
  const places = [folder, ...selectEntered(commands.flatMap(listEnteredFolders), MOST_PLACES - 1)];
  const texts = new Set(words.flatMap(listNamesInWord));
  const patterns = [...new Set(words.filter(({ isPattern }) => isPattern).map(({ text }) => text))];
  for (const place of places) {
    const from = resolvePathFrom(folder, place);
    for (const text of patterns.slice(0, MOST_PATTERNS))
      for (const path of (await disk.resolveRealPaths(resolvePathFrom(from, text), true)) ?? []) texts.add(path);
    const found = await disk.findIgnoredFile([...texts], from, folders);
    if (found) return found;
  }
  return undefined;
}

const MOST_PATTERNS = 20;
const MOST_PLACES = 8;

function listNamesInWord({ text }: Word): readonly string[] {
  return [text, ...listPathPieces(text).map((piece) => (piece.startsWith("-") ? piece.slice(2) : piece))];
}

/** Folders that `cd`, `git -C` and the like enter, because names are resolved there, too. */
function listEnteredFolders(command: SimpleCommand): readonly EnteredPlace[] {
  const { enters } = getCalledFacts(command);
  return command.words.flatMap(({ text }, at): readonly EnteredPlace[] => {
    if (command.words[at - 1]?.text === "-C") return [{ place: text, enters: 1 }];
    return enters !== undefined && at > 0 && !text.startsWith("-") ? [{ place: text, enters }] : [];
  });
}
