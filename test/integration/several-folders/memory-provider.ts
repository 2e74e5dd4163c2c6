import * as vscode from "vscode";
import { type VirtualFailure, VirtualFileError, type VirtualKind } from "../../../src/core/ports/virtual-files.ts";
import type { MemoryFiles } from "../../support/memory-files.ts";

const { Directory, File, SymbolicLink } = vscode.FileType;

const TYPES: Readonly<Record<VirtualKind, vscode.FileType>> = {
  file: File,
  folder: Directory,
  link: File | SymbolicLink,
  other: vscode.FileType.Unknown,
};

const ERRORS: Readonly<Record<VirtualFailure, (text: string) => Error>> = {
  missing: vscode.FileSystemError.FileNotFound,
  exists: vscode.FileSystemError.FileExists,
  folder: vscode.FileSystemError.FileIsADirectory,
  notFolder: vscode.FileSystemError.FileNotADirectory,
  denied: vscode.FileSystemError.NoPermissions,
  unavailable: vscode.FileSystemError.Unavailable,
  other: (text) => new Error(text),
};

/** Serves files in memory as another extension would, with their switchable failures. */
export function memoryProvider(files: MemoryFiles): vscode.FileSystemProvider {
  const changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const changed = (type: vscode.FileChangeType, uri: vscode.Uri): void => changes.fire([{ type, uri }]);
  const text = (uri: vscode.Uri): string => `mem:${uri.path}`;
  const called = async <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw error instanceof VirtualFileError ? ERRORS[error.failure](error.message) : error;
    });
  return {
    onDidChangeFile: changes.event,
    watch: () => new vscode.Disposable(() => undefined),
    stat: (uri) =>
      called(files.stat(text(uri))).then((found) => {
        if (!found) throw vscode.FileSystemError.FileNotFound(uri);
        return { type: TYPES[found.kind], ctime: 0, mtime: found.changedAt, size: found.bytes };
      }),
    readDirectory: async (uri) => {
      const entries = await called(files.listEntries(text(uri)));
      return entries.map(({ name, kind }) => [name, TYPES[kind]]);
    },
    readFile: (uri) => called(files.read(text(uri))),
    writeFile: async (uri, content) => {
      await called(files.write(text(uri), content));
      changed(vscode.FileChangeType.Changed, uri);
    },
    createDirectory: (uri) => called(files.makeFolder(text(uri))),
    delete: async (uri) => {
      await called(files.remove(text(uri)));
      changed(vscode.FileChangeType.Deleted, uri);
    },
    rename: async (from, to) => {
      await called(files.move(text(from), text(to)));
      changed(vscode.FileChangeType.Deleted, from);
      changed(vscode.FileChangeType.Created, to);
    },
  };
}
