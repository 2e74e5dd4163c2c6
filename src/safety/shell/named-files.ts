import type { Disk, IgnoredFile } from "../../core/ports/disk.ts";
import { displayText } from "../../texts/display-text.ts";
import { isInside, isWindowsPath, resolvePathFrom } from "../paths/paths.ts";
import { findProtection } from "../paths/sensitive.ts";
import { type EnteredPlace, selectEntered } from "../programs/program.ts";
import type { CwdContext } from "../read-only/file-access.ts";
import { listPathPieces, type ProtectedMention } from "./mentions.ts";
import type { Word } from "./reading.ts";
import { listLineWords, type ProgramCall } from "./script.ts";

const MOST_NAMES = 500;
const MOST_ABOVE = 8;

/** The first protected file that a line reaches by another name, with links resolved as they are now. */
export async function findLinkedFile(
  calls: readonly ProgramCall[],
  { folder, folders, platform }: CwdContext,
  disk: Disk,
): Promise<ProtectedMention | undefined> {
  const words = listLineWords(calls);
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
  for (const text of listPatterns(words)) {
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

/** The first of the words that name what a line writes, and that leads outside the workspace by a link, as links are now. */
export async function findOutsideLink(
  written: readonly Word[],
  { folder, folders, platform }: CwdContext,
  disk: Disk,
): Promise<string | undefined> {
  const names = [...new Set(written.map(({ text }) => text))].filter(
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
  calls: readonly ProgramCall[],
  { folder, folders }: Pick<CwdContext, "folder" | "folders">,
  disk: Disk,
): Promise<IgnoredFile | undefined> {
  const words = listLineWords(calls);
  const places = [folder, ...selectEntered(calls.flatMap(listEnteredFolders), MOST_PLACES - 1)];
  const texts = new Set(words.flatMap(listNamesInWord));
  const patterns = listPatterns(words);
  for (const place of places) {
    const from = resolvePathFrom(folder, place);
    for (const text of patterns)
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

/** The first patterns among words. */
function listPatterns(words: readonly Word[]): readonly string[] {
  return [...new Set(words.flatMap(({ text, isPattern }) => (isPattern ? [text] : [])))].slice(0, MOST_PATTERNS);
}

/** Folders that `cd`, `git -C` and the like enter, because names are resolved there, too. */
function listEnteredFolders({ program: { enters }, words, texts }: ProgramCall): readonly EnteredPlace[] {
  return texts.flatMap((place, at): readonly EnteredPlace[] => {
    if (words[at]?.text === "-C") return [{ place, enters: 1 }];
    return enters !== undefined && !place.startsWith("-") ? [{ place, enters }] : [];
  });
}
