/**
 * Reports of a watched folder. `changed` has real paths of files and folders that were created, changed or deleted; a
 * folder stands for everything below it. After `lost`, anything may have changed.
 */
export type WatchReport = { readonly kind: "changed"; readonly paths: readonly string[] } | { readonly kind: "lost" };

/** A folder whose changes are being reported. */
export interface WatchedFolder {
  /** Resolves once all changes made so far are reported. False if that can't be determined: list the folder again. */
  waitUntilReported(): Promise<boolean>;
  close(): void;
}

/** A file at one moment. `seen` begins with the file's size in bytes and changes whenever the file does. */
export interface SeenFile {
  readonly path: string;
  readonly seen: string;
}

/** A content that a git repository has. */
export interface HeldBlob {
  readonly repository: { readonly root: string; readonly gitFolder: string };
  /** In hexadecimal. */
  readonly blob: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
}

/** A path that changed after a moment. `before` is absent if nothing existed then, `now` if nothing exists now. */
export interface SeenChange {
  readonly path: string;
  readonly before?: string;
  readonly now?: string;
  /** The content before, if git has it. */
  readonly held?: HeldBlob;
}

/** A moment in a folder. */
export interface FolderMoment {
  /** The requested files that existed. */
  readonly files: readonly SeenFile[];
  /** Files of repositories whose content git doesn't have, tracked ones first. If there are too many, some are left out. */
  readonly unheld: readonly SeenFile[];
  /** Returns everything that is different now, including folders; undefined if that can't be determined. Can be called only once. */
  collectChanges(): Promise<readonly SeenChange[] | undefined>;
}

/**
 * Reports changes below folders, whoever makes them, without ignored files, installed packages and version control.
 * A change to the ignore rules is reported as `lost`.
 */
export interface FolderWatch {
  /** Reports changes from the returned moment on. Undefined if the folder can't be watched. */
  watch(folder: string, report: (report: WatchReport) => void): Promise<WatchedFolder | undefined>;
  /**
   * Remembers a moment, with the stamps of some files. The first call reads the whole folder. Tracked files are seen even
   * if they are ignored. Undefined if the folder can't be read in a reasonable time.
   */
  remember(folder: string, files: readonly string[]): Promise<FolderMoment | undefined>;
}
