import { isUriPath } from "../core/base/uri-path.ts";
import type { Command } from "../core/commands/command.ts";
import type { VirtualFiles } from "../core/ports/virtual-files.ts";
import { createFileReplacer } from "../node/files/atomic-write.ts";
import { createNodeWorkspace, type FolderWorkspace } from "../node/workspace.ts";
import { diskFiles } from "../runs/undo/file-state.ts";
import { deleteWithBackup, type PreImages } from "../runs/undo/pre-images.ts";
import { mayHoldSecrets } from "../safety/paths/sensitive.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import { displayText, fail } from "../texts/display-text.ts";
import type { Host } from "./host.ts";
import { addUnsavedNotebooks } from "./notebook-undo.ts";
import { type UndoneFiles, wrapFilesWithUnsavedTexts } from "./unsaved-undo.ts";
import { getFolderScheme } from "./virtual/places.ts";
import { createVirtualSeenFiles, createVirtualUndoFiles } from "./virtual/virtual-undo.ts";
import { createVirtualWorkspace } from "./virtual/virtual-workspace.ts";

/** A host that may have virtual folders. */
export interface VirtualHost {
  readonly workspace: Pick<Host["workspace"], "virtualFiles">;
}

/** The provider of a virtual folder's files; undefined for a folder on disk. Throws a sentence where virtual folders can't be used. */
export function findVirtualFiles(
  { workspace: { virtualFiles } }: VirtualHost,
  folder: string,
): VirtualFiles | undefined {
  if (!isUriPath(folder)) return undefined;
  if (!virtualFiles) fail("trouble.folderNotOnDisk", { folder });
  return virtualFiles;
}

/** Where a run's files are: on disk, or in a virtual workspace. */
export interface RunFilesOptions {
  readonly folder: string;
  listFolders(): readonly WorkspaceFolder[];
}

/** The workspace of a run. Deleted files are kept in `kept` where there is no trash. */
export function createRunWorkspace(
  host: Pick<Host, "workspace" | "processes">,
  { folder, listFolders, kept }: RunFilesOptions & { readonly kept: PreImages },
): FolderWorkspace {
  const files = findVirtualFiles(host, folder);
  const { createTrash, unsaved } = host.workspace;
  if (files) return createVirtualWorkspace({ listFolders, files, unsaved, isLeftOut: mayHoldSecrets });
  return createNodeWorkspace({
    folders: listFolders,
    leftOut: mayHoldSecrets,
    unsaved,
    moveToTrash: createTrash((path) => deleteWithBackup(path, kept)),
    files: host.processes.files,
  });
}

/** Creates a read-only workspace that ignores open editors. */
export function readWorkspace(host: VirtualHost, { folder, listFolders }: RunFilesOptions): FolderWorkspace {
  const files = findVirtualFiles(host, folder);
  return files ? createVirtualWorkspace({ files, listFolders }) : createNodeWorkspace({ folders: listFolders });
}

/** The files of a run, as undo sees and changes them: where they are, and in their editors. */
export function createUndoFiles(host: Pick<Host, "workspace">, folder: string): UndoneFiles {
  const files = findVirtualFiles(host, folder);
  const base = files
    ? { seen: createVirtualSeenFiles(files), files: createVirtualUndoFiles(files) }
    : { seen: diskFiles, files: createFileReplacer() };
  const { unsaved, findUnsavedNotebook } = host.workspace;
  return addUnsavedNotebooks(wrapFilesWithUnsavedTexts(base, unsaved), findUnsavedNotebook);
}

/** The programs of a run in a virtual folder: none, with a sentence for the user. */
export function createNoPrograms(folder: string) {
  const problem = displayText("trouble.virtualFilesOnly", { folder: getFolderScheme(folder) });
  return { shell: { problem }, python: undefined, git: undefined };
}

/** Commands that run programs of this machine, or look at repositories on its disk. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set(["shell", "python", "git"]);

/** Withholds the commands that can't work in a virtual folder or in a copy, each with the reason. */
export function filterPossibleCommands(
  host: VirtualHost & Pick<Host, "isolated">,
  folder: string,
  commands: readonly Command[],
): readonly Command[] {
  if (host.isolated)
    return commands.map((command) =>
      command.traits?.needsEditor ? { ...command, withheld: () => displayText("isolation.notInCopy") } : command,
    );
  const files = findVirtualFiles(host, folder);
  if (!files) return commands;
  const noProgram = displayText("trouble.virtualNoPrograms", { scheme: getFolderScheme(folder) });
  const isReadOnly = files.readOnlyReason(folder);
  return commands.map((command) => {
    if (OF_THE_MACHINE.has(command.category)) return { ...command, withheld: () => noProgram };
    if (command.category === "files" && command.effect === "write" && isReadOnly !== undefined)
      return { ...command, withheld: () => isReadOnly };
    return command;
  });
}
