import { basename } from "node:path";
import * as vscode from "vscode";
import type { BinaryFiles } from "../../core/ports/workspace.ts";
import { type ResolvedPath, type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import type { OpenFile } from "../../runtime/host.ts";
import type { UnsavedChanges } from "../../runtime/unsaved-changes.ts";
import { createUnsavedWorkspace } from "../../runtime/unsaved-workspace.ts";
import { findEditorEncoding } from "./encodings.ts";
import { convertUriToPath, isFileUri } from "./places.ts";
import { findUnsavedFile, isUnsavedNotebook } from "./unsaved-files.ts";
import { unsavedTexts } from "./unsaved-texts.ts";

/** The workspace as the editor has it: unsaved texts are read and changed in their editors, and unsaved edits are never overwritten. */
export function createEditorWorkspace<W extends Workspace & BinaryFiles>(base: W, changes?: UnsavedChanges): W {
  const workspace = createUnsavedWorkspace(base, unsavedTexts, changes);
  return {
    ...workspace,
    locate: async (path, use) => {
      const place = await workspace.locate(path, use);
      const encoding = place.kind === "file" || place.kind === "missing" ? findEditorEncoding(place.path) : undefined;
      return encoding ? { ...place, encoding } : place;
    },
    write: async (place, file) => {
      if (isUnsavedNotebook(place.path)) requireSaved(place);
      await workspace.write(place, file);
    },
    writeBytes: async (place, bytes) => {
      requireSaved(place);
      await workspace.writeBytes(place, bytes);
    },
    move: async (from, to) => {
      requireSaved(from);
      requireSaved(to);
      await workspace.move(from, to);
    },
    remove: async (place) => {
      requireSaved(place);
      return workspace.remove(place);
    },
  };
}

/** Moves a file to the system's trash and returns true. If there is no trash, as on most servers, `otherwise` removes the file. */
export function createEditorTrash(otherwise: (path: string) => Promise<string>): (path: string) => Promise<string> {
  return async (path) => {
    try {
      await vscode.workspace.fs.delete(vscode.Uri.file(path), { recursive: true, useTrash: true });
    } catch {
      return otherwise(path);
    }
    return "It is in the trash.";
  };
}

function requireSaved({ path, label }: ResolvedPath): void {
  const unsaved = findUnsavedFile(path);
  if (unsaved === undefined) return;
  const which = unsaved === path ? `"${label}"` : `"${basename(unsaved)}" in "${label}"`;
  throw new WorkspaceError(
    `${which} has edits in the editor that are not saved. Nothing was changed. Ask the user to save the file, then try again.`,
  );
}

/** The files of the open tabs, with the selection in the active editor. */
export function openFiles(): readonly OpenFile[] {
  const active = vscode.window.activeTextEditor;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const paths = tabs.flatMap(({ input }) =>
    input instanceof vscode.TabInputText && isFileUri(input.uri) ? [convertUriToPath(input.uri)] : [],
  );
  return [...new Set(paths)].map((path) => {
    if (!active || convertUriToPath(active.document.uri) !== path) return { path };
    const { start, end, isEmpty } = active.selection;
    return {
      path,
      isActive: true,
      ...(isEmpty ? {} : { selected: [start.line + 1, end.line + 1] as const }),
    };
  });
}
