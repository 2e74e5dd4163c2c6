/**
 * Reports of a watched folder. `changed` has real paths of files and folders that were created, changed or deleted; a
 * folder stands for everything below it. After `lost`, anything may have changed.
 */
export type WatchReport =
  | { readonly kind: "changed"; readonly paths: readonly string[] }
  | { readonly kind: "lost" };

/** A folder whose changes are being reported. */
export interface WatchedFolder {
  /** Resolves once all changes made until now are reported. False if that can't be known: list the folder again. */
  settled(): Promise<boolean>;
  close(): void;
}

/**
 * Reports changes below folders, whoever makes them, without ignored files, installed packages and version control.
 * A change to the ignore rules is reported as `lost`.
 */
export interface FolderWatch {
  /** Changes from the returned moment on are reported. Undefined if the folder can't be watched. */
  watch(folder: string, report: (report: WatchReport) => void): Promise<WatchedFolder | undefined>;
}
