import { type Disk, replaceBracketSets } from "../../core/ports/disk.ts";
import { type DisplayText, displayText, type Sentence } from "../../texts/display-text.ts";
import { isGlobMatch } from "../paths/glob.ts";
import { isInside, listSegmentsBelow, type Platform, splitPathSegments } from "../paths/paths.ts";
import { findSecretReason, findShortNameReason } from "../paths/sensitive.ts";
import type { FileAccess } from "./read-only.ts";
import { explainRepositoryProblem } from "./repository.ts";

/** The folder in which a line would run, with the workspace around it. */
export interface CwdContext {
  /** Real path of the folder in which it starts. */
  readonly folder: string;
  readonly folders: readonly string[];
  readonly platform: Platform;
  /** Folders in which it may start; absent: only that one. */
  readonly starts?: readonly string[];
}

/** A sentence when one of these programs would be found in the workspace, where anyone may have put it. */
export async function findPathHijack(
  names: readonly string[],
  { folder, folders, platform }: CwdContext,
  disk: Disk,
): Promise<Sentence | undefined> {
  for (const name of new Set(names)) {
    const path = await disk.findProgram(name, folder);
    if (path !== undefined && isInside(path, folders, platform))
      return displayText("safety.line.workspaceProgram", { name, path });
  }
  return undefined;
}

/**
 * Explains why a line mustn't make these accesses; undefined if it may. Links are resolved on the disk, so the answer is valid only for
 * now.
 */
export async function explainUnsafeAccess(
  looks: readonly FileAccess[],
  ground: CwdContext,
  disk: Disk,
): Promise<Sentence | undefined> {
  for (const look of looks) {
    for (const base of look.from) {
      const trouble =
        explainSpellingProblem(look, base, ground) ?? (await explainDiskProblem(look, base, ground, disk));
      if (trouble !== undefined) return trouble;
    }
  }
  return undefined;
}

/** Real folders in which git is called. */
export async function listGitFolders(
  looks: readonly FileAccess[],
  ground: CwdContext,
  disk: Disk,
): Promise<readonly string[]> {
  const bases = looks.flatMap(({ repository, from }) => (repository ? from : []));
  const found = await Promise.all([...new Set(bases)].map((base) => resolveRealFolder(ground, base, disk)));
  return found.filter((folder) => folder !== undefined);
}

async function resolveRealFolder(ground: CwdContext, base: string, disk: Disk): Promise<string | undefined> {
  return (await disk.resolveRealPaths(resolveAbsolutePath(ground, base, "") ?? "", false))?.[0];
}

/** Problems that the spelling alone reveals. */
function explainSpellingProblem(look: FileAccess, base: string, ground: CwdContext): DisplayText | undefined {
  const { text, isPattern } = look.word;
  if (/[^/\\][/\\]+\.\.(?:[/\\]|$)/.test(text)) return displayText("safety.line.parentAfterName", { path: text });
  if (isHarmlessDevice(text)) return undefined;
  if (isNoFile(text, ground.platform)) return displayText("safety.line.notWorkspaceFile", { path: text });
  if (isPattern && text.split(/[\\/]/).some(mayClimb))
    return displayText("safety.line.patternMatchesParent", { pattern: text });
  for (const part of [text, ...listPartsAfterColons(text, ground.platform)]) {
    const path = resolveAbsolutePath(ground, base, part);
    if (path === undefined || !isInside(path, ground.folders, ground.platform))
      return displayText("safety.line.accessesOutside", { path: text });
    const secret = look.reveals ? findSecretReason(splitPathSegments(part, ground.platform)) : undefined;
    if (secret !== undefined) return displayText("safety.line.showsSecretFile", { file: text, why: secret });
  }
  return !isPattern && !look.isValue && look.reveals && /[*?[]/.test(text)
    ? displayText("safety.line.showsByPattern", { pattern: text })
    : undefined;
}

/** True for another provider or machine, and for a Windows drive where only a PowerShell line can mean one. */
function isNoFile(text: string, platform: Platform): boolean {
  return (platform === "win32" ? /^[\\/]{2}|^[a-z]{2,}:/i : /^\\{2}|^[a-z]:[\\/]/i).test(text);
}

/** True for a pattern that matches `..`, as `.*` does. */
function mayClimb(name: string): boolean {
  return /[*?[]/.test(name) && name.startsWith(".") && isGlobMatch(replaceBracketSets(name), "..");
}

/** Problems that the disk reveals: the present expansions of patterns, the present targets of links, and files below. */
async function explainDiskProblem(
  look: FileAccess,
  base: string,
  ground: CwdContext,
  disk: Disk,
): Promise<Sentence | undefined> {
  const { word, reveals, repository } = look;
  if (repository !== undefined) {
    const folder = await resolveRealFolder(ground, base, disk);
    return folder === undefined ? undefined : explainRepositoryProblem(repository, { ...ground, folder }, disk);
  }
  if (isHarmlessDevice(word.text) || (look.isValue && word.isPattern)) return undefined;
  const spelled = resolveAbsolutePath(ground, base, word.text) ?? "";
  const real = await disk.resolveRealPaths(spelled, word.isPattern);
  if (real === undefined) return displayText("safety.line.tooManyFiles", { pattern: word.text });
  const below = resolveAbsolutePath(ground, base, "") ?? "";
  if (word.isPattern && /^[*?[]/.test(word.text) && real.some((path) => isLikeFlag(path, below)))
    return displayText("safety.line.patternMatchesFlag", { pattern: word.text });
  for (const path of real) {
    if (!isInside(path, ground.folders, ground.platform))
      return displayText("safety.line.leadsOutside", { word: word.text, path });
    const names = listNamesBelow(path, ground);
    const secret = reveals ? (findSecretReason(names) ?? findShortNameReason(names, ground.platform)) : undefined;
    if (secret !== undefined) return displayText("safety.line.showsSecretFile", { file: path, why: secret });
    if (!reveals || look.below === undefined) continue;
    const found = await disk.findBelow(path, isShown(look), ground.folders);
    if (found !== undefined) return displayText("safety.line.readsFolder", { folder: word.text || ".", found });
  }
  return undefined;
}

/** True for a name that begins with a dash, and for a path through a folder with such a name. */
function isLikeFlag(path: string, folder: string): boolean {
  return /[\\/]-/.test(path.startsWith(folder) ? path.slice(folder.length) : path);
}

/** Tests for files that mustn't be below a folder: secrets, and names that wouldn't be passed on unchanged. */
function isShown({ below, only, handsOn }: FileAccess): (names: readonly string[], isLink: boolean) => boolean {
  const patterns = only?.map((pattern) => pattern.toLowerCase());
  return (names, isLink) => {
    if (below === "not-hidden" && names.some((name) => name.startsWith("."))) return false;
    const last = names.at(-1)?.toLowerCase() ?? "";
    if (patterns && !patterns.some((pattern) => isGlobMatch(pattern, last))) return false;
    if (handsOn === "pieces" && /[\s'"\\]/.test(names.join("/"))) return true;
    return (handsOn !== undefined && isLink) || findSecretReason(splitPathSegments(names.join("/"))) !== undefined;
  };
}

function listNamesBelow(path: string, { folders, platform }: CwdContext): string[] {
  return listSegmentsBelow(path, folders, platform);
}

/** `HEAD:src/a.ts` names a file after its colon; `C:\\a` doesn't. */
function listPartsAfterColons(text: string, platform: Platform): readonly string[] {
  const isDrive = platform === "win32" && /^[a-z]:[\\/]/i.test(text);
  const pieces = text.slice(isDrive ? 2 : 0).split(":");
  return pieces
    .slice(1)
    .map((_, at) => pieces.slice(at + 1).join(":"))
    .filter((part) => part !== "")
    .slice(-MOST_COLONS);
}

const MOST_COLONS = 20;

function isHarmlessDevice(text: string): boolean {
  return text === "/dev/null" || text === "/dev/stdin" || text === "/dev/zero";
}

/** Absolute path of a word, with `.` and `..` resolved; undefined when it leads above the root. */
function resolveAbsolutePath({ folder, platform }: CwdContext, base: string, text: string): string | undefined {
  const isWindows = platform === "win32";
  const isAbsolute = isWindows ? /^[a-z]:[\\/]/i.test(text) : text.startsWith("/");
  if (isWindows && !isAbsolute && /^[\\/]/.test(text)) return undefined;
  const whole = isAbsolute ? text : [folder, base, text].join("/");
  const names: string[] = [];
  for (const name of whole.split(isWindows ? /[\\/]+/ : /\/+/)) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return isWindows ? names.join("\\") : `/${names.join("/")}`;
}
