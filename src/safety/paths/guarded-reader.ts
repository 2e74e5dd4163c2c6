import { listTouchedNames } from "../../core/commands/command.ts";
import { type ResolvedPath, type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import { getPathBelow, isInside, type Platform, splitPathSegments } from "./paths.ts";
import { findProtection } from "./sensitive.ts";

const MOST_BYTES = 1_000_000;

/** The files of a workspace folder that may be read without a request. */
export interface GuardedFiles {
  /**
   * The text of a file; undefined if it is missing. Throws a sentence for people. With `ignored`, a folder counts as missing, and a file
   * that git ignores as missing or refused. If such files are refused, so are files that git doesn't track, judged by the target of a link.
   * With `folder`, a folder counts as missing, too.
   */
  read(
    file: string,
    options?: { readonly ignored?: "missing" | "refused"; readonly folder?: "missing" },
  ): Promise<string | undefined>;
  /** The names below a folder, folders with a final `/`; none if it is missing. Throws a sentence for people. */
  list(folder: string, options: { readonly glob?: string; readonly limit: number }): Promise<FolderList>;
}

/** Paths relative to the workspace folder. There may be more of them. */
interface FolderList {
  /** Where the folder really is. */
  readonly folder: string;
  readonly labels: readonly string[];
  readonly more: boolean;
}

const MOST_MS = 5_000;

/** Whether git tracks a file, by its real path; undefined where git doesn't know. */
export type TrackedTest = (path: string) => Promise<boolean | undefined>;

/**
 * Reads text files of a workspace without a request, under the protection of `read_file`. It doesn't read files for which
 * `read_file` would ask. Undefined for a missing file. Throws a sentence for people.
 */
function createGuardedReader(
  workspace: Pick<Workspace, "locate" | "read">,
  folders: readonly string[],
  platform: Platform,
  isTracked: TrackedTest = async () => undefined,
): GuardedFiles["read"] {
  return (file, { ignored, folder } = {}) =>
    runWithReadErrors(file, async () => {
      const place = await locateGuarded(workspace, file, folders, platform);
      if (place.kind === "missing" || ((ignored || folder) && place.kind === "folder")) return undefined;
      if (ignored === "missing" && place.ignored) return undefined;
      if (ignored === "refused" || place.via !== undefined) {
        if (place.ignored) throw createNotReadError(file, "git ignores it");
        if ((await isTracked(place.path)) === false) throw createNotReadError(file, "git doesn't track it");
      }
      if (place.bytes > MOST_BYTES) throw createNotReadError(file, "it is too large (over 1 MB)");
      const content = await workspace.read(place);
      if (content.kind === "binary") throw createNotReadError(file, "it is a binary file");
      return content.file.text;
    });
}

/** The same, with the names below folders. */
export function createGuardedFiles(
  workspace: Pick<Workspace, "locate" | "read" | "list">,
  folders: readonly string[],
  platform: Platform,
  isTracked?: TrackedTest,
): GuardedFiles {
  return {
    read: createGuardedReader(workspace, folders, platform, isTracked),
    list: (folder, options) =>
      runWithReadErrors(folder, async () => {
        const place = await locateGuarded(workspace, folder, folders, platform);
        if (place.kind !== "folder") return { folder, labels: [], more: false };
        const signal = AbortSignal.timeout(MOST_MS);
        const found = await workspace.list(place, { ...options, signal }).catch((error: unknown) => {
          throw signal.aborted ? createNotReadError(folder, "it holds too much") : error;
        });
        return { folder: place.label, labels: found.labels, more: found.more };
      }),
  };
}

/** Folders of version control, also by a short name of Windows. */
const HISTORY = /^(?:\.(?:git|hg|svn|jj|bzr)|git~\d+)$/;

/** Locates a path, unless one of its names is protected. */
async function locateGuarded(
  workspace: Pick<Workspace, "locate">,
  file: string,
  folders: readonly string[],
  platform: Platform,
): Promise<ResolvedPath> {
  const place = await workspace.locate(file);
  if (place.kind === "missing") return place;
  for (const path of listTouchedNames({ ...place, how: "read" })) {
    const why = findProtection({ path, how: "read" }, folders, platform);
    if (why !== undefined)
      throw createNotReadError(
        file,
        `it leads to ${getPathBelow(path, folders, platform)}, which ${writeInEnglish(why)}`,
      );
    if (!isInside(path, folders, platform))
      throw createNotReadError(file, `it leads to ${path}, outside the workspace`);
    if (splitPathSegments(getPathBelow(path, folders, platform)).some((name) => HISTORY.test(name)))
      throw createNotReadError(file, "it is in a folder of version control, which may hold passwords");
  }
  return place;
}

function createNotReadError(file: string, why: string): Error {
  return new Error(`${file} isn't read: ${why}.`);
}

async function runWithReadErrors<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof WorkspaceError ? createNotReadError(file, extractReason(error.message)) : error;
  }
}

/** Extracts the reason from a sentence for the model, which starts with the file and ends with advice for the model. */
function extractReason(sentence: string): string {
  const first = /^(.*?)\.(?:\s|$)/s.exec(sentence)?.[1] ?? sentence;
  return first.replace(/^"(?:[^"\\]|\\.)*"/, "it").replace(/, so it is not read$/, "");
}
