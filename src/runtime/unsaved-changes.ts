import { isAtOrBelowUri, isUriPath } from "../core/base/uri-path.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import { addOutcomeRemark } from "../core/commands/outcome.ts";
import type { UnsavedTexts } from "../core/ports/unsaved-texts.ts";
import { isAtOrBelow } from "../disk/below.ts";

/** Changes that agents made in editors and that aren't on disk. */
export class UnsavedChanges {
  private readonly paths = new Set<string>();
  private readonly isUnsaved: (path: string) => boolean;

  /** `isUnsaved` returns whether a file has unsaved edits in an editor. */
  constructor(isUnsaved: (path: string) => boolean) {
    this.isUnsaved = isUnsaved;
  }

  /** Records a change of a file, by its real path. */
  recordChange(path: string): void {
    this.paths.add(path);
  }

  /** The changed files below folders that are still unsaved, except those that someone agreed to leave unsaved. */
  listUnsavedBelow(folders: readonly string[]): readonly string[] {
    for (const path of this.paths) if (!this.isUnsaved(path)) this.paths.delete(path);
    return [...this.paths].filter((path) => folders.some((folder) => isWithin(path, folder)));
  }

  /** Leaves the changes below folders in their editors until the files are changed again. */
  leave(folders: readonly string[]): void {
    for (const path of this.listUnsavedBelow(folders)) this.paths.delete(path);
  }
}

/** True for a folder itself and for everything below it, on disk or not. */
export function isWithin(path: string, folder: string): boolean {
  return isUriPath(folder) ? isAtOrBelowUri(path, folder) : isAtOrBelow(path, folder);
}

/** Programs read the disk, so the outcome of each names the files whose unsaved edits it didn't see. */
export function addUnsavedNote(
  commands: CommandSet,
  { texts, listFolders }: { readonly texts: UnsavedTexts | undefined; listFolders(): readonly string[] },
): CommandSet {
  if (!texts) return commands;
  return {
    ...commands,
    async run(prepared, running) {
      if (prepared.effect !== "run") return commands.run(prepared, running);
      const unsaved = listUnsavedPathsBelow(texts, listFolders());
      const outcome = await commands.run(prepared, running);
      return unsaved.length === 0 ? outcome : addOutcomeRemark(outcome, describeUnseenEdits(unsaved, listFolders()));
    },
  };
}

/** The number of files that a note names. */
const MOST_NAMED = 5;

function describeUnseenEdits(paths: readonly string[], folders: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => formatQuotedPath(path, folders));
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : "";
  return `[It didn't see edits in the editor that aren't saved: ${named.join(", ")}${more}.]`;
}

function formatQuotedPath(path: string, [folder = ""]: readonly string[]): string {
  const inside = path.startsWith(folder) ? path.slice(folder.length).replace(/^[\\/]/, "") : path;
  return JSON.stringify(inside.replaceAll("\\", "/"));
}

function listUnsavedPathsBelow(texts: UnsavedTexts, folders: readonly string[]): readonly string[] {
  return [...new Set(folders.flatMap((folder) => texts.listTextsBelow(folder).map(({ path }) => path)))];
}
