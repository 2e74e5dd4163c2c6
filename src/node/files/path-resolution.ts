import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { type PathUse, type ResolvedPath, WorkspaceError } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { ignoreCodes } from "../../disk/error-codes.ts";
import { runFileOperation } from "./file-errors.ts";
import { snapshot, statVersion } from "./file-version.ts";
import { type Ignored, ignoreRules } from "./ignore-rules.ts";
import { listLinksAlong, readLinkTarget, resolveRealPath } from "./real-path.ts";
import { findRootAround, getPathInRoot, type Root, resolveAbsolutePath } from "./roots.ts";

/** Resolves a path. Throws a `WorkspaceError` if it's outside the workspace, or out of bounds for the agent. */
export async function locate(path: string, roots: readonly Root[], use: PathUse = "existing"): Promise<ResolvedPath> {
  const bad = findSpellingProblem(path, process.platform === "win32", roots);
  if (bad && !bad.mayExist) throw createSpellingError(path, bad.says);
  const [first] = roots;
  if (first && roots.length > 1 && /^(?:\.?[\\/]?)$/.test(path))
    return { path: first.path, label: ".", kind: "folder", bytes: 0, version: "folder" };
  const absolute = await resolveAbsolutePath(path, roots, use);
  const real = await runFileOperation(path, () => resolveRealPath(absolute));
  const root = findRootAround(real, roots);
  if (!root) throw createOutsideError(path, roots);
  const place = await runFileOperation(path, () => resolvePlace(real, root));
  if (bad && place.kind === "missing") throw createSpellingError(path, bad.says);
  const via = await runFileOperation(path, () => listLinks(absolute, roots));
  const ignored = await findStrictestRule([...via, real], place.kind === "folder", roots);
  if (ignored === "agent")
    throw new WorkspaceError(
      `"${place.label}" is out of bounds: the user's .autogptignore names it. Work without it, or ask the user.`,
    );
  const link = await findLinkLabel(absolute, roots);
  return {
    ...place,
    ...omitUndefined({ link }),
    ...(via.length > 0 ? { via } : {}),
    ...(ignored ? { ignored: true } : {}),
  };
}

/** The links on the way, except those above the workspace, whose folders are known by their real paths. */
async function listLinks(absolute: string, roots: readonly Root[]): Promise<readonly string[]> {
  const links = await listLinksAlong(absolute, findRootAround(absolute, roots)?.path);
  const first = links.findIndex((link) => findRootAround(link, roots) !== undefined);
  return first === -1 ? [] : links.slice(first);
}

/** The strictest result of the ignore files for all names of a file. */
async function findStrictestRule(
  names: readonly string[],
  isFolder: boolean,
  roots: readonly Root[],
): Promise<Ignored | undefined> {
  const found = new Set<Ignored | undefined>();
  for (const name of names) {
    const root = findRootAround(name, roots);
    const inside = root && getPathInRoot(name, root);
    if (root && inside) found.add(await ignoreRules(root.path).matchWithParents(isFolder ? `${inside}/` : inside));
  }
  return found.has("agent") ? "agent" : found.has("git") ? "git" : undefined;
}

async function resolvePlace(path: string, root: Root): Promise<ResolvedPath> {
  const inside = getPathInRoot(path, root);
  const label = inside === "" ? root.label : `${root.prefix}${inside}`;
  const stats = await lstat(path, { bigint: true }).catch(ignoreCodes("ENOENT"));
  if (!stats) return { path, label, kind: "missing", bytes: 0, version: "" };
  if (stats.isDirectory()) return { path, label, kind: "folder", bytes: 0, version: `folder:${stats.ino}` };
  if (!stats.isFile()) return { path, label, kind: "other", bytes: 0, version: statVersion(stats) };
  return { path, label, kind: "file", bytes: Number(stats.size), version: await readVersion(path, stats) };
}

/** Reads a file's version. An unreadable file has one too, because it may be moved or deleted. */
async function readVersion(path: string, stats: BigIntStats): Promise<string> {
  const seen = await snapshot(path).catch(ignoreCodes("EACCES", "EPERM"));
  return seen?.version ?? statVersion(stats);
}

/** The label of the link at the end of a path; undefined if it's not a link. */
async function findLinkLabel(absolute: string, roots: readonly Root[]): Promise<string | undefined> {
  if (roots.some(({ path }) => path === absolute)) return undefined;
  const parent = await resolveRealPath(dirname(absolute)).catch(() => undefined);
  const root = parent === undefined ? undefined : findRootAround(parent, roots);
  if (parent === undefined || !root) return undefined;
  const path = join(parent, basename(absolute));
  return (await readLinkTarget(path)) === undefined ? undefined : `${root.prefix}${getPathInRoot(path, root)}`;
}

/** The error about a path whose spelling can't be used. */
export function createSpellingError(path: string, says: string): WorkspaceError {
  return new WorkspaceError(
    `The path ${JSON.stringify(path.slice(0, 200))} cannot be used: ${says}. Give a plain path relative to the workspace folder, like "src/app.ts".`,
  );
}

/** The error about a path outside the workspace. */
export function createOutsideError(path: string, roots: readonly Root[]): WorkspaceError {
  const where = roots.map((root) => `"${root.path}"`).join(", ");
  return new WorkspaceError(
    `${JSON.stringify(path)} leads outside the workspace (${where}). Only files below it can be used; give a path relative to it.`,
  );
}

/** A spelling that is refused before the disk is read, with its explanation for the model. */
interface SpellingTrick {
  readonly spelt: RegExp;
  readonly says: string;
  /** The platform on which it's refused; absent: both. */
  readonly on?: "posix" | "windows";
  /** Outside Windows, such a file may exist and then is an ordinary file. */
  readonly mayExist?: true;
}

const LONGEST_PATH = 4096;

/** Tested against the whole path. */
const PATH_TRICKS: readonly SpellingTrick[] = [
  { spelt: /\0|%00/, says: "it contains a NUL character" },
  { spelt: /\\(?:0|x00|u0000|z)(?![1-9a-y])/i, says: "it spells a NUL character", on: "posix" },
  { spelt: /^(?:file:|[a-z][a-z0-9+.-]+:[\\/])/i, says: "it is an address, not a path" },
  { spelt: /^[\\/]{2}/, says: "it names another machine or a device" },
  { spelt: /^[a-z]:/i, says: "it names a drive, and this system has none", on: "posix", mayExist: true },
  { spelt: /^[a-z]:(?![\\/])/i, says: "it is relative to a drive", on: "windows" },
  { spelt: /^~(?:[\\/]|$|[a-z_][\w.-]*[\\/])/i, says: "`~` is not expanded", mayExist: true },
  { spelt: /^(?:\$\{?\w+\}?|%\w+%)(?:[\\/]|$)/, says: "variables are not expanded", mayExist: true },
];

/** Tested against each name of the path, without a drive. */
const NAME_TRICKS: readonly SpellingTrick[] = [
  {
    spelt: /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[.: ]|$)/i,
    says: "Windows takes that name for a device",
    on: "windows",
  },
  { spelt: /:/, says: "a colon names a hidden stream of a file", on: "windows" },
  { spelt: /[. ]$/, says: "a name cannot end with a dot or a space on Windows", on: "windows" },
  { spelt: /[*?<>|"]/, says: 'a name cannot contain any of * ? < > | " on Windows', on: "windows" },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this line is about
  { spelt: /[\x01-\x1f\x7f]/, says: "a name holds control characters", mayExist: true },
];

/** A problem with a path's spelling. `mayExist`: it's no problem if a file with that name exists. */
export interface SpellingProblem {
  readonly says: string;
  readonly mayExist: boolean;
}

/**
 * The first trick in a path's spelling; undefined if it's plain. A root's own spelling is no trick, because it may be on another machine:
 * then only the rest of the path counts.
 */
export function findSpellingProblem(
  path: string,
  windows: boolean,
  roots: readonly Pick<Root, "path">[] = [],
): SpellingProblem | undefined {
  if (path.length > LONGEST_PATH) return { says: `it is longer than ${LONGEST_PATH} characters`, mayExist: false };
  const root = roots.find((one) => isAtOrBelow(path, one.path, windows ? "win32" : "linux"));
  const spelt = root ? `./${path.slice(root.path.length)}` : path;
  const names = (windows ? spelt.replace(/^[a-z]:/i, "") : spelt).split(windows ? /[\\/]/ : "/");
  const found =
    findTrick(PATH_TRICKS, [spelt], windows) ??
    findTrick(
      NAME_TRICKS,
      names.filter((name) => name !== "." && name !== ".."),
      windows,
    );
  return found && { says: found.says, mayExist: found.mayExist === true && !windows };
}

function findTrick(
  tricks: readonly SpellingTrick[],
  texts: readonly string[],
  windows: boolean,
): SpellingTrick | undefined {
  const here = windows ? "windows" : "posix";
  return tricks.find(({ spelt, on }) => (on ?? here) === here && texts.some((text) => spelt.test(text)));
}
