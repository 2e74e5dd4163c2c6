import * as vscode from "vscode";
import { hasSucceeded } from "../../core/base/async.ts";
import { parseUriPath } from "../../core/base/uri-path.ts";
import {
  type VirtualFailure,
  VirtualFileError,
  type VirtualFiles,
  type VirtualKind,
} from "../../core/ports/virtual-files.ts";
import { displayText } from "../../texts/display-text.ts";
import { convertPathToUri } from "./places.ts";

/** Files of any scheme, through VS Code's provider for it. */
export const editorFiles: VirtualFiles = {
  readOnlyReason(path) {
    const scheme = parseUriPath(path)?.scheme ?? "";
    if (vscode.workspace.fs.isWritableFileSystem(scheme) !== false) return undefined;
    return displayText("trouble.fileSystemReadOnly", { scheme });
  },
  stat: (path) =>
    callProvider(async () => {
      const { type, size, mtime, permissions = 0 } = await vscode.workspace.fs.stat(convertPathToUri(path));
      const isReadOnly = (permissions & vscode.FilePermission.Readonly) !== 0;
      return { kind: getVirtualKind(type), bytes: size, changedAt: mtime, isReadOnly };
    }).catch((error: unknown) => {
      if (error instanceof VirtualFileError && error.failure === "missing") return undefined;
      throw error;
    }),
  read: (path) => callProvider(() => vscode.workspace.fs.readFile(convertPathToUri(path))),
  listEntries: (folder) =>
    callProvider(async () => {
      const entries = await vscode.workspace.fs.readDirectory(convertPathToUri(folder));
      return entries.map(([name, type]) => ({ name, kind: getVirtualKind(type) }));
    }),
  write: (path, bytes) => callProvider(() => vscode.workspace.fs.writeFile(convertPathToUri(path), bytes)),
  makeFolder: (path) => callProvider(() => vscode.workspace.fs.createDirectory(convertPathToUri(path))),
  move: (from, to) =>
    callProvider(() => vscode.workspace.fs.rename(convertPathToUri(from), convertPathToUri(to), { overwrite: false })),
  async remove(path) {
    const uri = convertPathToUri(path);
    const inTrash = await hasSucceeded(vscode.workspace.fs.delete(uri, { useTrash: true }));
    if (!inTrash) await callProvider(() => vscode.workspace.fs.delete(uri, { useTrash: false }));
    return inTrash;
  },
};

/** A link has a second bit for the type of its target. */
function getVirtualKind(type: vscode.FileType): VirtualKind {
  if ((type & vscode.FileType.SymbolicLink) !== 0) return "link";
  if (type === vscode.FileType.File) return "file";
  return type === vscode.FileType.Directory ? "folder" : "other";
}

async function callProvider<T>(call: () => Thenable<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw createVirtualError(error);
  }
}

const FAILURES: Readonly<Record<string, VirtualFailure>> = {
  FileNotFound: "missing",
  EntryNotFound: "missing",
  FileExists: "exists",
  EntryExists: "exists",
  FileIsADirectory: "folder",
  EntryIsADirectory: "folder",
  FileNotADirectory: "notFolder",
  EntryNotADirectory: "notFolder",
  NoPermissions: "denied",
  Unavailable: "unavailable",
};

/** Converts an error: a provider may throw anything, and VS Code passes on some of it unchanged. */
function createVirtualError(error: unknown): VirtualFileError {
  const code = error instanceof vscode.FileSystemError ? error.code : "";
  const message = error instanceof Error ? error.message : String(error);
  return new VirtualFileError(FAILURES[code] ?? "other", message, { cause: error });
}
