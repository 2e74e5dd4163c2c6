import { basename } from "node:path";
import * as vscode from "vscode";
import { type Place, type Workspace, WorkspaceError } from "../core/ports.ts";
import { unsavedBelow } from "./unsaved.ts";

/** The workspace as the editor has it: what the user has typed and not saved is not overwritten, and what is removed goes to the trash. */
export function editorWorkspace(base: Workspace): Workspace {
  return {
    locate: (path) => base.locate(path),
    read: (place) => base.read(place),
    list: (place, options) => base.list(place, options),
    search: (place, options) => base.search(place, options),
    createFolder: (place) => base.createFolder(place),
    write: async (place, file) => {
      requireSaved(place);
      await base.write(place, file);
    },
    move: async (from, to) => {
      requireSaved(from);
      requireSaved(to);
      await base.move(from, to);
    },
    remove: async (place) => {
      requireSaved(place);
      return base.remove(place);
    },
  };
}

/** Moves a file or folder to the system's trash; false where there is none, as on most servers. */
export async function moveToTrash(path: string): Promise<boolean> {
  try {
    await vscode.workspace.fs.delete(vscode.Uri.file(path), { recursive: true, useTrash: true });
    return true;
  } catch {
    return false;
  }
}

function requireSaved({ path, label }: Place): void {
  const unsaved = unsavedBelow(path);
  if (unsaved === undefined) return;
  const which = unsaved === path ? `"${label}"` : `"${basename(unsaved)}" in "${label}"`;
  throw new WorkspaceError(
    `${which} has edits in the editor that are not saved. Nothing was changed. Ask the user to save the file, then try again.`,
  );
}
