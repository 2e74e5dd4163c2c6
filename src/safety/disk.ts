/** What the policy needs to know of the disk. Nothing is changed and no file is read but to hash it. */
export interface Disk {
  /** The real paths that an absolute path leads to now, wildcards expanded as the shell would; undefined when they are too many. None when nothing is there. */
  realPaths(path: string, isPattern: boolean): Promise<readonly string[] | undefined>;
  /**
   * Looks for a file below a folder by the names on the way to it, links not followed. The answer is what is wrong, as half a sentence:
   * a file was found, or there are too many to look through. Undefined when all is well.
   */
  findBelow(folder: string, isWanted: (names: readonly string[]) => boolean): Promise<string | undefined>;
  /** SHA-256 of a file's content; undefined when there is no such file. */
  hash(path: string): Promise<string | undefined>;
  /** A text file's content; undefined when there is none, or it is too long to be a script. */
  text(path: string): Promise<string | undefined>;
}
