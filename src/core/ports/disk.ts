/** A file that is listed in an ignore file of the workspace: the user's `.autogptignore` (`agent`) or git's. */
export interface IgnoredFile {
  readonly by: "agent" | "git";
  /** The name as written. */
  readonly name: string;
}

/** A name that a repository tracks: a file or a nested repository. */
export interface TrackedName {
  readonly name: string;
  readonly isRepository: boolean;
}

/** A repository as git itself sees it. */
export interface SeenRepository {
  /** Real path of its working tree. */
  readonly root: string;
  /** Names of all settings in effect, wherever they come from, for example `core.fsmonitor`. */
  readonly settings: readonly string[];
  /** Real paths of files named by settings, from which git may show lines. */
  readonly reads: readonly string[];
  /** Names relative to its root, with slashes. */
  readonly tracked: readonly TrackedName[];
}

/** The policy's view of the disk. It changes nothing and reads files only to hash them or to inspect scripts. */
export interface Disk {
  /**
   * Resolves an absolute path to real paths, with wildcards expanded like in the shell, followed by the links on the way. Empty if
   * nothing exists; undefined if there are too many.
   */
  resolveRealPaths(path: string, isPattern: boolean): Promise<readonly string[] | undefined>;
  /**
   * Searches below a folder for a file by the names on the way to it, without following links or entering installed packages and git
   * objects. Returns a clause if one is found, is ignored for the agent, or if there are too many to search.
   */
  findBelow(
    folder: string,
    isWanted: (names: readonly string[], isLink: boolean) => boolean,
    folders: readonly string[],
  ): Promise<string | undefined>;
  /** Finds the first file named by the texts, relative to a folder and through links, that is ignored for the agent or by git. */
  findIgnoredFile(texts: readonly string[], from: string, folders: readonly string[]): Promise<IgnoredFile | undefined>;
  /** Finds git's repository from a real folder; undefined if there is none, a sentence if git must not run there without approval. */
  findRepository(folder: string, folders: readonly string[]): Promise<SeenRepository | string | undefined>;
  /** Resolves a bare program name as a shell in that folder would; undefined if there is no such program. */
  findProgram(name: string, folder: string): Promise<string | undefined>;
  /** SHA-256 of a file's content; undefined if it doesn't exist. */
  hash(path: string): Promise<string | undefined>;
  /** A text file's content; undefined if it doesn't exist or is too long for a script. */
  readText(path: string): Promise<string | undefined>;
}

/** Replaces bracket sets in a pattern by `?` or `*`, so that it matches everything that the shell's pattern matches. */
export function replaceBracketSets(name: string): string {
  const open = name.indexOf("[");
  const close = name.lastIndexOf("]");
  if (open === -1 || close < open) return name;
  const isOneSet = !/[[\]]/.test(name.slice(open + 1, close));
  return `${name.slice(0, open)}${isOneSet ? "?" : "*"}${name.slice(close + 1)}`;
}
