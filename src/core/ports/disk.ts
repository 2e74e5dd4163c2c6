/** A file that the workspace's ignore files name: the user's `.autogptignore` (`agent`) or git's. */
export interface IgnoredFile {
  readonly by: "agent" | "git";
  /** As it was named. */
  readonly name: string;
}

/** A name that a repository tracks: a file, or another repository within it. */
export interface TrackedName {
  readonly name: string;
  readonly isRepository: boolean;
}

/** A repository as git itself sees it. */
export interface SeenRepository {
  /** Real path of its working tree. */
  readonly root: string;
  /** The names of all settings that hold in it, wherever they come from: `core.fsmonitor`. */
  readonly settings: readonly string[];
  /** Real paths of files of which git may show lines because the settings name them. */
  readonly reads: readonly string[];
  /** By their names from its root, with slashes. */
  readonly tracked: readonly TrackedName[];
}

/** What the policy needs to know of the disk. Nothing is changed and no file is read but to hash it. */
export interface Disk {
  /**
   * The real paths that an absolute path leads to now, wildcards expanded as the shell would, and after them the links on the way there;
   * undefined when they are too many. None when nothing is there.
   */
  realPaths(path: string, isPattern: boolean): Promise<readonly string[] | undefined>;
  /**
   * Looks for a file below a folder by the names on the way to it, links not followed, installed packages and git's objects left out. The
   * answer is what is wrong, as half a sentence: a file was found, the user keeps the agent out of one, or there are too many to look
   * through. Undefined when all is well.
   */
  findBelow(
    folder: string,
    isWanted: (names: readonly string[], isLink: boolean) => boolean,
    folders: readonly string[],
  ): Promise<string | undefined>;
  /** The first of the files that texts name from a folder, links followed, that the user keeps the agent out of or that git ignores. */
  ignored(
    texts: readonly string[],
    from: string,
    folders: readonly string[],
  ): Promise<IgnoredFile | undefined>;
  /** The repository that git finds from a real folder; undefined where there is none, a sentence where git must not run in it unasked. */
  repository(folder: string, folders: readonly string[]): Promise<SeenRepository | string | undefined>;
  /** The real path of the program that a bare name stands for, to a shell in a folder; undefined when there is none. */
  program(name: string, folder: string): Promise<string | undefined>;
  /** SHA-256 of a file's content; undefined when there is no such file. */
  hash(path: string): Promise<string | undefined>;
  /** A text file's content; undefined when there is none, or it is too long to be a script. */
  text(path: string): Promise<string | undefined>;
}

/** A name's pattern with stars and question marks in the place of sets in brackets: it fits at least what the shell's pattern fits. */
export function withoutSets(name: string): string {
  const open = name.indexOf("[");
  const close = name.lastIndexOf("]");
  if (open === -1 || close < open) return name;
  const isOneSet = !/[[\]]/.test(name.slice(open + 1, close));
  return `${name.slice(0, open)}${isOneSet ? "?" : "*"}${name.slice(close + 1)}`;
}
