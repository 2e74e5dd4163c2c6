import { cutText, escapeInvisible } from "../../core/base/text.ts";
import { formatUriPath, isAtOrBelowUri, isUriPath, parseUriPath, resolveUri } from "../../core/base/uri-path.ts";
import {
  type VirtualFailure,
  VirtualFileError,
  type VirtualFiles,
  type VirtualStat,
} from "../../core/ports/virtual-files.ts";
import { type PathUse, type ResolvedPath, WorkspaceError } from "../../core/ports/workspace.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { MentionExclusion } from "../../node/files/ignored-paths.ts";
import { createOutsideError, createSpellingError } from "../../node/files/path-resolution.ts";
import {
  findRootAround,
  getPathInRoot,
  type PathSystem,
  type Root,
  resolveAbsolutePath,
  resolveRootsElsewhere,
} from "../../node/files/roots.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import { createVirtualIgnoreRules } from "./virtual-walk.ts";

/** Larger files are compared by size and time, smaller ones by their content. */
const HASHED_BYTES = 8 * 1024 * 1024;
const LONGEST_PATH = 4096;
const LONGEST_REASON = 300;

/** Paths of virtual folders. */
export function createVirtualPaths(files: VirtualFiles): PathSystem {
  return {
    // A path of the disk is absolute, too, and in no virtual folder.
    isAbsolute: (path) => path.startsWith("/") || isUriPath(path),
    resolve: (folder, ...names) =>
      names.length === 0 && !isUriPath(folder) ? folder : resolveUri(folder, names.join("/") || "."),
    isAtOrBelow: isAtOrBelowUri,
    splitNames: (path) => path.split("/"),
    mayExist: (path) =>
      files.stat(path).then(
        (found) => found !== undefined,
        () => true,
      ),
    listEntries: (folder) => files.listEntries(folder),
  };
}

/** The virtual folders of a run, its own first. */
export async function listVirtualRoots(
  folders: readonly WorkspaceFolder[],
  files: VirtualFiles,
): Promise<readonly Root[]> {
  return resolveRootsElsewhere(folders, createVirtualPaths(files));
}

/** Resolves a path. Throws a `WorkspaceError` if it's outside the workspace, excluded from the agent, or leads through a link. */
export async function locateVirtual(
  path: string,
  roots: readonly Root[],
  use: PathUse,
  files: VirtualFiles,
): Promise<ResolvedPath> {
  const trick = TRICKS.find(({ spelt }) => spelt.test(path));
  if (path.length > LONGEST_PATH) throw createSpellingError(path, `it is longer than ${LONGEST_PATH} characters`);
  if (trick) throw createSpellingError(path, trick.says);
  const [own] = roots;
  if (own && roots.length > 1 && /^(?:\.?\/?)$/.test(path))
    return { path: own.path, label: ".", kind: "folder", bytes: 0, version: "folder" };
  const paths = createVirtualPaths(files);
  const absolute = await resolveAbsolutePath(path, roots, use, paths);
  const root = findRootAround(absolute, roots, paths);
  if (!root) throw createOutsideError(path, roots);
  const inside = getPathInRoot(absolute, root, paths);
  const label = inside === "" ? root.label : `${root.prefix}${inside}`;
  const rules = createVirtualIgnoreRules(root.path, files);
  const [stats] = await runWithVirtualErrors(label, () =>
    Promise.all([listStatsBelow(root.path, inside, files), rules.readAbove(inside)]),
  );
  const found = stats.at(-1);
  const ignored = await rules.matchWithParents(found?.kind === "folder" && inside !== "" ? `${inside}/` : inside);
  if (ignored === "agent")
    throw new WorkspaceError(
      `"${label}" is out of bounds: the user's .autogptignore names it. Work without it, or ask the user.`,
    );
  if (stats.some((one) => one?.kind === "link"))
    throw new WorkspaceError(
      `"${label}" leads through a link, and the place that a link of a virtual workspace leads to can't be checked. Name the real file.`,
    );
  const place = await runWithVirtualErrors(label, () => describeVirtualPlace(absolute, label, found, files));
  return { ...place, ...(ignored === undefined ? {} : { ignored: true }) };
}

/** Spellings that a provider might interpret differently. */
const TRICKS: readonly { readonly spelt: RegExp; readonly says: string }[] = [
  { spelt: /\0|%00/, says: "it contains a NUL character" },
  { spelt: /\\/, says: "it holds a backslash; names are separated by /" },
  { spelt: /%(?:2f|5c|2e)/i, says: "it holds an escaped separator or dot" },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this line is about
  { spelt: /[\x01-\x1f\x7f]/, says: "it holds control characters" },
];

/** The entries from a path's root down to the path itself, requested in parallel. */
function listStatsBelow(
  root: string,
  inside: string,
  files: VirtualFiles,
): Promise<readonly (VirtualStat | undefined)[]> {
  const names = inside === "" ? [] : inside.split("/");
  const ways = names.map((_, index) => resolveUri(root, names.slice(0, index + 1).join("/")));
  return Promise.all((ways.length === 0 ? [root] : ways).map((way) => files.stat(way)));
}

async function describeVirtualPlace(
  path: string,
  label: string,
  found: VirtualStat | undefined,
  files: VirtualFiles,
): Promise<ResolvedPath> {
  if (!found) return { path, label, kind: "missing", bytes: 0, version: "" };
  switch (found.kind) {
    case "folder":
      return { path, label, kind: "folder", bytes: 0, version: "folder" };
    case "file":
      return {
        path,
        label,
        kind: "file",
        bytes: found.bytes,
        version: await readVersion(path, found, files),
      };
    default:
      return { path, label, kind: "other", bytes: 0, version: "other" };
  }
}

/** The version of a file's content. An unreadable file also has one, because it can be moved or deleted. */
async function readVersion(path: string, found: VirtualStat, files: VirtualFiles): Promise<string> {
  if (found.bytes > HASHED_BYTES) return `stat:${found.changedAt}.${found.bytes}`;
  const bytes = await files.read(path).catch((error: unknown) => {
    if (error instanceof VirtualFileError && error.failure === "denied") return undefined;
    throw error;
  });
  return bytes ? computeVersion(bytes) : `stat:${found.changedAt}.${found.bytes}`;
}

/** The version of a content that was just read. */
export function computeVersion(bytes: Uint8Array): string {
  return `sha256:${sha256(bytes)}`;
}

/** Runs a file operation. Converts the provider's error to a `WorkspaceError` with a sentence about `label`. */
export async function runWithVirtualErrors<T>(label: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof VirtualFileError)) throw error;
    throw new WorkspaceError(SENTENCES[error.failure](label, formatFailureReason(error)), { cause: error });
  }
}

/** A provider's error message, on one line. */
function formatFailureReason({ message }: Error): string {
  return escapeInvisible(cutText(message.replace(/\s+/g, " ").trim(), LONGEST_REASON)).replace(/[.\s]+$/, "");
}

const SENTENCES: Readonly<Record<VirtualFailure, (label: string, why: string) => string>> = {
  missing: (label) => `"${label}" is not there any more. Look at its folder with list_files.`,
  exists: (label) => `"${label}" already exists. Choose another name.`,
  folder: (label) => `"${label}" is a folder. Name a file in it.`,
  notFolder: (label) => `"${label}" cannot be there: a name along its path is a file, not a folder.`,
  denied: (label, why) =>
    `The workspace's file system denies access to "${label}" (${why}). Choose another file, or ask the user to change its permissions.`,
  unavailable: (label, why) =>
    `"${label}" can't be reached: the workspace's file system doesn't answer (${why}). Ask the user to check its connection, then try again.`,
  other: (label, why) =>
    `The workspace's file system failed at "${label}" (${why}). Look at the file again before you go on, or tell the user.`,
};

/** The scheme of a virtual folder, for people. */
export function getFolderScheme(folder: string): string {
  const parts = parseUriPath(folder);
  return parts ? formatUriPath({ ...parts, authority: "", path: "/" }).replace(/\/$/, "") : folder;
}

/** Why a path can't be mentioned in a task; undefined if it can. */
export async function explainVirtualExclusion(
  path: string,
  folders: readonly WorkspaceFolder[],
  files: VirtualFiles,
): Promise<MentionExclusion | undefined> {
  const paths = createVirtualPaths(files);
  const roots = folders.map((folder) => ({ ...folder, prefix: "", label: folder.path }));
  const root = findRootAround(path, roots, paths);
  if (!root) return "outside";
  const inside = getPathInRoot(path, root, paths);
  const rules = createVirtualIgnoreRules(root.path, files);
  await rules.readAbove(inside);
  return rules.matchFileOrFolder(inside);
}
