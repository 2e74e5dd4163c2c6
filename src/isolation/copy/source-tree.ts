import { join } from "node:path";
import type { Repository } from "../../core/ports/programs.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { decodeName, type FolderEntry, readEntries } from "../../node/files/byte-names.ts";
import { findDependencyFolder, isDependencyFolder } from "../../node/files/dependency-folders.ts";
import { type IgnoreRules, ignoreRules } from "../../node/files/ignore-rules.ts";
import { GitIndex } from "../../node/git/git-index.ts";
import { createYielder } from "../../node/processes/event-loop.ts";
import { fail } from "../../texts/display-text.ts";
import { type Borrowed, listExcludeFiles } from "./own-repository.ts";
import { createRepositoryRules } from "./workspace-rules.ts";

/** The paths of a repository, or of a folder without one, that a copy may get. All are relative to `root`, with slashes. */
export interface SourceTree {
  /** The root's real path. */
  readonly root: string;
  readonly files: readonly string[];
  /** Folders without files. */
  readonly empty: readonly string[];
  /** Repositories inside, such as submodules. */
  readonly nested: readonly string[];
  readonly borrowed: readonly string[];
  /** Ignored folders whose files are copied. */
  readonly ignored: readonly string[];
  /** Ignored folders that are too large to be copied. */
  readonly large: readonly string[];
  /** Tracked files that lie outside the copied folders. */
  readonly outside: readonly string[];
  /** Git's index; undefined without a repository, or if its format isn't supported. */
  readonly index?: GitIndex;
}

/** An ignored folder with more files isn't copied unless the user lends it. */
const MOST_IGNORED_FILES = 2000;
/** Limit for git's output in very large repositories. */
const MOST_CHARACTERS = 400_000_000;

/** The folders to copy within a root, and everything that must stay out of the copy. */
export interface Scope {
  readonly root: string;
  /** Each ends with `/`; an empty string means everything. */
  readonly within: readonly string[];
  readonly signal: AbortSignal;
  /** True for an absolute path that isn't copied. */
  isExcluded(path: string): boolean;
  /** True for the absolute path of an ignored folder that the user lends. */
  isLent(path: string): boolean;
}

/** Lists a repository's paths as they are in the workspace now. */
export async function readRepositoryTree(
  { gitFolder }: Repository,
  { git, settings }: Pick<Borrowed, "git" | "settings">,
  scope: Scope,
): Promise<SourceTree> {
  const { root, within } = scope;
  const list = async (...args: readonly string[]): Promise<readonly string[]> => {
    const paths = within.includes("") ? [] : within.map((folder) => folder.slice(0, -1));
    const options = { most: MOST_CHARACTERS, encoding: "latin1" } as const;
    const answer = await git(["ls-files", "-z", ...args, "--", ...paths], options);
    if (!answer.ok) return fail("isolation.copy.git", { folder: root, why: answer.why });
    const names = answer.text.split("\0").filter((name) => name !== "");
    return names.map((name) => (/^[\0-\x7f]*$/.test(name) ? name : decodeName(Buffer.from(name, "latin1"))));
  };
  const isUnderstood = settings.get("extensions.objectformat") !== "sha256";
  const index = isUnderstood ? await GitIndex.read(join(gitFolder, "index")) : undefined;
  const pause = createYielder(scope.signal);
  await index?.lookThrough(pause);
  const known = index?.listNames();
  const [tracked, untracked, ignored] = await Promise.all([
    known ? [...known] : list("--cached"),
    list("--others", "--exclude-standard"),
    list("--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory"),
  ]);
  const isWithin = (name: string): boolean => within.some((folder) => name.startsWith(folder));
  const found = new Found();
  const outside: string[] = [];
  for (const name of tracked) {
    await pause();
    if (!isWithin(name)) outside.push(name);
    else found.files.add(name);
  }
  for (const name of untracked) {
    const dependencies = findDependencyFolder(name);
    if (dependencies !== undefined) found.borrowed.add(dependencies);
    else if (name.endsWith("/")) found.nested.add(name.slice(0, -1));
    else found.files.add(name);
  }
  const rules = createRepositoryRules(root, await listExcludeFiles(gitFolder, settings));
  for (const name of new Set(ignored)) {
    if (!name.endsWith("/")) found.files.add(name);
    else if ((await rules.matchWithParents(name)) === "git") await addIgnored(name.slice(0, -1), found, scope);
    // A folder with nothing but ignored files is listed as a whole, although it isn't ignored itself.
    else await walk(name.slice(0, -1), found, scope, rules);
  }
  return { ...found.createTree(scope.root), outside, ...(known && index ? { index } : {}) };
}

/** Lists the paths of a folder outside any repository. */
export async function readFolderTree(scope: Scope): Promise<SourceTree> {
  const found = new Found();
  await walk("", found, scope, ignoreRules(scope.root));
  return found.createTree(scope.root);
}

/** Paths that were found so far. */
class Found {
  readonly files = new Set<string>();
  readonly empty = new Set<string>();
  readonly nested = new Set<string>();
  readonly borrowed = new Set<string>();
  readonly ignored = new Set<string>();
  readonly large = new Set<string>();

  createTree(root: string): SourceTree {
    return {
      root,
      files: [...this.files],
      empty: [...this.empty],
      nested: [...this.nested],
      borrowed: [...this.borrowed],
      ignored: [...this.ignored],
      large: [...this.large],
      outside: [],
    };
  }
}

/** Adds all files below a folder. If there are rules, folders that they ignore are handled as in git. */
async function walk(top: string, found: Found, scope: Scope, rules?: IgnoreRules): Promise<void> {
  const waiting = [top];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    scope.signal.throwIfAborted();
    const above = folder === "" ? "" : `${folder}/`;
    const isIgnored = await rules?.loadMatcher(above);
    const entries = await readFolderEntries(join(scope.root, folder));
    if (folder !== top && entries.some(({ name }) => name === ".git")) {
      found.nested.add(folder);
      continue;
    }
    for (const entry of entries) {
      const name = above + entry.name;
      if (entry.name === ".git" || scope.isExcluded(join(scope.root, name))) continue;
      if (!entry.isDirectory()) found.files.add(name);
      else if (isDependencyFolder(join(scope.root, name))) found.borrowed.add(name);
      else if (isIgnored?.(`${name}/`) === "git") await addIgnored(name, found, scope);
      else waiting.push(name);
    }
    if (entries.length === 0 && folder !== "") found.empty.add(folder);
  }
}

/** Adds an ignored folder: as borrowed, as copied, or as too large. */
async function addIgnored(name: string, found: Found, scope: Scope): Promise<void> {
  const path = join(scope.root, name);
  if (scope.isExcluded(path)) return;
  if (isDependencyFolder(path, "ignored") || scope.isLent(path)) {
    found.borrowed.add(name);
    return;
  }
  const inside = new Found();
  await walk(name, inside, scope);
  if (inside.files.size > MOST_IGNORED_FILES) {
    found.large.add(name);
    return;
  }
  found.ignored.add(name);
  for (const kind of ["files", "empty", "nested", "borrowed"] as const)
    for (const one of inside[kind]) found[kind].add(one);
}

/** The entries of a folder; empty if it's missing or unreadable. */
export async function readFolderEntries(folder: string): Promise<readonly FolderEntry[]> {
  return readEntries(folder).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ENAMETOOLONG")) return [];
    throw error;
  });
}
