import { sep } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import type { UnsavedTexts } from "../../core/ports/unsaved-texts.ts";
import { type CodeSearch, WorkspaceError } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { resolveRoots } from "../../node/files/roots.ts";
import type { ExcludeSetting } from "../../node/search/excludes.ts";
import type { FileIndexes } from "../../node/search/file-index.ts";
import { createGlobTest } from "../../node/search/glob.ts";
import { walkStarts } from "../../node/search/walk.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import type { CodeIndexes, FoundPlace } from "./code-indexes.ts";
import type { FolderSettings, UnsavedFile } from "./folder-index.ts";

/** The folders and editors of a run. */
export interface RunSearchOptions {
  readonly indexes: CodeIndexes;
  listFolders(): readonly WorkspaceFolder[];
  readonly unsaved?: UnsavedTexts | undefined;
  readonly files?: FileIndexes | undefined;
  /** The original folder of a copy among the run's folders. */
  findOrigin?(root: string): string | undefined;
}

/** The search for code in the folders of a run. */
export function createCodeSearch({ indexes, listFolders, unsaved, files, findOrigin }: RunSearchOptions): CodeSearch {
  return async (place, { query, count, glob, reportProgress, signal }) => {
    if (place.ignored)
      throw new WorkspaceError(`Git ignores "${place.label}", so it isn't indexed. Use search_files there.`);
    // A glob that is too large is refused here.
    if (glob !== undefined) createGlobTest(glob);
    const found: (FoundPlace & { readonly label: string })[] = [];
    let isPartial = false;
    for (const { start, prefix } of walkStarts(place, await resolveRoots(listFolders()))) {
      const { root } = start;
      const settings = getFolderSettings(root, files);
      const below = place.kind === "file" ? start.relative.slice(0, -1) : start.relative;
      const texts = listUnsavedFiles(root, unsaved);
      const asked = { query, count, glob, below, settings, unsaved: texts, origin: findOrigin?.(root) };
      const answer = await indexes.search(root, asked, reportProgress, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new WorkspaceError(`The index can't be used: ${getErrorMessage(error)} Use search_files.`);
      });
      isPartial ||= answer.isPartial;
      found.push(...answer.found.map((one) => ({ ...one, label: prefix + one.path })));
    }
    const places = found.sort((one, other) => other.score - one.score).slice(0, count);
    return { places, isPartial };
  };
}

function getFolderSettings(root: string, files: FileIndexes | undefined): FolderSettings {
  const set = files?.getExcludeSettings(root);
  const excludes = { files: copyGlobs(set?.files), search: copyGlobs(set?.search) };
  return { excludes, encoding: files?.findEncoding(root) };
}

/** Copies globs without parts that threads can't receive. */
function copyGlobs(setting: ExcludeSetting = {}): ExcludeSetting {
  return Object.fromEntries(Object.entries(setting).filter(([, isOn]) => isOn === true));
}

function listUnsavedFiles(root: string, unsaved: UnsavedTexts | undefined): readonly UnsavedFile[] {
  return (unsaved?.listTextsBelow(root) ?? [])
    .filter(({ path }) => isAtOrBelow(path, root))
    .map((text) => ({
      path: text.path
        .slice(root.length + 1)
        .split(sep)
        .join("/"),
      text: text.read().file.text,
    }));
}
