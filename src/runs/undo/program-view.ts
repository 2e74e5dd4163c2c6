import { omitUndefined } from "../../core/base/objects.ts";
import type { FolderWatch, HeldBlob, SeenChange, SeenFile } from "../../core/ports/folder-watch.ts";
import type { HeldContent } from "./journal.ts";

/** Lets undo see the changes of programs. Paths are displayed relative to the folder. */
export interface ProgramView {
  readonly folder: string;
  /** Called when a program is prepared, so that a first look doesn't delay it. */
  prepare(): void;
  /** The files that the user has saved in the editor since a time in milliseconds. */
  listSavedSince(since: number): ReadonlySet<string>;
  /** Called before a program runs, with files whose stamps are needed. Undefined if the program's changes can't be known. */
  begin(files: readonly string[]): Promise<ViewBefore | undefined>;
  /** Reads contents that git has, and passes each of them to `take`. */
  readHeld(files: readonly HeldFile[], take: TakeContent): Promise<void>;
}

/** The files before a program. */
export interface ViewBefore {
  /** A file's stamp; undefined if the file doesn't exist or isn't seen. */
  findStamp(path: string): string | undefined;
  /** Files of repositories whose content git doesn't have. */
  readonly unheld: readonly SeenFile[];
  /** Called after the program. Undefined if its changes can't be known. */
  end(): Promise<ViewAfter | undefined>;
}

/** The files after a program. */
export interface ViewAfter {
  findStamp(path: string): string | undefined;
  readonly changes: readonly SeenChange[];
}

export type HeldFile = readonly [path: string, held: HeldBlob];
type TakeContent = (path: string, content: HeldContent) => Promise<void>;

/** A snapshot of files: a stamp by path. */
type FileSnapshot = ReadonlyMap<string, string>;

/** The sources of the views. */
export interface ViewSources {
  readonly folder: string;
  listFolders(): readonly string[];
  /** Takes a snapshot of all files; undefined if it takes too long. */
  look(): Promise<FileSnapshot | undefined>;
  /** The contents that git has of the files in a snapshot. */
  loadHeldContents(paths: Iterable<string>): Promise<{
    findBlob(path: string, seen: string): HeldBlob | undefined;
    isInRepository(path: string): boolean;
  }>;
  readonly watch: Pick<FolderWatch, "remember">;
  readonly readHeld: ProgramView["readHeld"];
  readonly savedSince: ProgramView["listSavedSince"];
}

/** Compares snapshots of all files as long as that's quick. After that, watches the folders. */
export function createProgramView(sources: ViewSources): ProgramView {
  const { folder, listFolders, look, watch, readHeld, savedSince } = sources;
  let isPrepared = false;
  const prepare = async (): Promise<void> => {
    if ((await look()) !== undefined) return;
    for (const root of listFolders()) await (await watch.remember(root, []))?.collectChanges();
  };
  return {
    folder,
    readHeld,
    listSavedSince: savedSince,
    prepare: () => {
      if (!isPrepared) void prepare().catch(() => undefined);
      isPrepared = true;
    },
    begin: async (files) => (await createViewBefore(sources)) ?? createWatchedView(sources, files),
  };
}

async function createViewBefore({ look, loadHeldContents }: ViewSources): Promise<ViewBefore | undefined> {
  const before = await look();
  if (!before) return undefined;
  const then = await loadHeldContents(before.keys());
  const isUnheld = (path: string, seen: string) => then.isInRepository(path) && !then.findBlob(path, seen);
  return {
    findStamp: (path) => before.get(path),
    unheld: [...before].flatMap(([path, seen]) => (isUnheld(path, seen) ? [{ path, seen }] : [])),
    end: async () => {
      const after = await look();
      if (!after) return undefined;
      const paths = [...new Set([...before.keys(), ...after.keys()])];
      return {
        findStamp: (path) => after.get(path),
        changes: paths
          .filter((path) => before.get(path) !== after.get(path))
          .map((path) => createSeenChange(path, before.get(path), after.get(path), then.findBlob)),
      };
    },
  };
}

function createSeenChange(
  path: string,
  before: string | undefined,
  now: string | undefined,
  blobOf: (path: string, seen: string) => HeldBlob | undefined,
): SeenChange {
  const held = before === undefined ? undefined : blobOf(path, before);
  return {
    path,
    ...omitUndefined({ before, now, held }),
  };
}

/** Checks the paths that were reported as changed, for any number of files. */
async function createWatchedView(
  { listFolders, watch }: ViewSources,
  files: readonly string[],
): Promise<ViewBefore | undefined> {
  const moments = await Promise.all(listFolders().map((root) => watch.remember(root, files)));
  const all = moments.filter((moment) => moment !== undefined);
  if (all.length < moments.length) {
    await Promise.all(all.map((moment) => moment.collectChanges()));
    return undefined;
  }
  const stamps = new Map(all.flatMap((moment) => moment.files).map(({ path, seen }) => [path, seen]));
  return {
    findStamp: (path) => stamps.get(path),
    unheld: all.flatMap(({ unheld }) => unheld),
    end: async () => {
      const found = await Promise.all(all.map((moment) => moment.collectChanges()));
      if (found.includes(undefined)) return undefined;
      const changes = new Map(found.flatMap((one) => one ?? []).map((change) => [change.path, change]));
      return {
        findStamp: (path) => (changes.has(path) ? changes.get(path)?.now : stamps.get(path)),
        changes: [...changes.values()],
      };
    },
  };
}
