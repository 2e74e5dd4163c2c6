import type { UnsavedTexts } from "../../core/ports/unsaved-texts.ts";
import type { VirtualFiles, VirtualStat } from "../../core/ports/virtual-files.ts";
import { type FileContent, type ResolvedPath, StaleFileError, WorkspaceError } from "../../core/ports/workspace.ts";
import { decodeText, encodeText } from "../../node/files/text-encoding.ts";
import type { FolderWorkspace } from "../../node/workspace.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import { computeVersion, listVirtualRoots, locateVirtual, runWithVirtualErrors } from "./places.ts";
import { listVirtual, searchVirtual } from "./virtual-search.ts";

/** Larger files aren't read. */
const READ_BYTES = 50 * 1024 * 1024;

/** Options of a virtual workspace. */
export interface VirtualWorkspaceOptions {
  readonly files: VirtualFiles;
  /** The folders of a run, its own first; their paths are URI paths. */
  listFolders(): readonly WorkspaceFolder[];
  /** See `VirtualSearched.isLeftOut`. */
  isLeftOut?(relative: string): boolean;
  /** See `VirtualSearched.unsaved`. */
  readonly unsaved?: UnsavedTexts | undefined;
}

/** Folders that aren't on this machine's disk. The real path of a file is its URI path. */
export function createVirtualWorkspace({
  files,
  listFolders,
  isLeftOut = () => false,
  unsaved,
}: VirtualWorkspaceOptions): FolderWorkspace {
  const listRoots = () => listVirtualRoots(listFolders(), files);
  const changeUnchangedPlace = async (place: ResolvedPath, act: () => Promise<void>): Promise<void> => {
    demandWritable(place, files);
    await runWithVirtualErrors(place.label, async () => {
      await demandUnchanged(place, files);
      await act();
    });
  };
  return {
    listFolders: () => listFolders().map(({ path }) => path),
    locate: async (path, use = "existing") => locateVirtual(path, await listRoots(), use, files),
    read: (place) => runWithVirtualErrors(place.label, () => read(place, files)),
    write: async (place, file) => {
      const bytes = await encodeText(file);
      await changeUnchangedPlace(place, () => files.write(place.path, bytes));
    },
    readBytes: (place) => runWithVirtualErrors(place.label, () => files.read(place.path)),
    writeBytes: (place, bytes) => changeUnchangedPlace(place, () => files.write(place.path, bytes)),
    createFolder: (place) => {
      demandWritable(place, files);
      return runWithVirtualErrors(place.label, () => files.makeFolder(place.path));
    },
    move: async (from, to) => {
      demandWritable(to, files);
      await changeUnchangedPlace(from, () => runWithVirtualErrors(to.label, () => files.move(from.path, to.path)));
    },
    remove: async (place) => {
      let isInTrash = false;
      await changeUnchangedPlace(place, async () => {
        isInTrash = await files.remove(place.path);
      });
      if (place.kind === "folder") return "";
      return isInTrash ? "It is in the trash." : "Its content is kept with the run, so it can be undone.";
    },
    list: (place, options) =>
      runWithVirtualErrors(place.label, async () => listVirtual(place, { files, roots: await listRoots() }, options)),
    search: (place, options) =>
      runWithVirtualErrors(place.label, async () =>
        searchVirtual(place, { files, roots: await listRoots(), isLeftOut, unsaved }, options),
      ),
  };
}

async function read(place: ResolvedPath, files: VirtualFiles): Promise<FileContent> {
  const { path, label, kind, bytes } = place;
  if (kind === "missing") throw new WorkspaceError(`There is no file "${label}".`);
  if (kind === "folder") throw new WorkspaceError(`"${label}" is a folder. Look into it with list_files.`);
  if (kind === "other") throw new WorkspaceError(`"${label}" is neither a file nor a folder, so it is not read.`);
  if (bytes > READ_BYTES)
    throw new WorkspaceError(
      `"${label}" has ${bytes} bytes, more than can be read from a virtual workspace. Ask the user for the part that you need.`,
    );
  const content = Buffer.from(await files.read(path));
  const version = place.version.startsWith("stat:") ? place.version : computeVersion(content);
  const file = await decodeText(content, place.encoding);
  return file ? { kind: "text", file, version } : { kind: "binary", bytes: content.length, version };
}

/** Throws a sentence where nothing can be changed. */
function demandWritable({ path, label }: ResolvedPath, files: VirtualFiles): void {
  const reason = files.readOnlyReason(path);
  if (reason !== undefined) throw new WorkspaceError(`"${label}" was left unchanged: ${writeInEnglish(reason)}`);
}

/** Compares by content, because times of virtual files may be coarse or missing. */
async function demandUnchanged({ path, label, version }: ResolvedPath, files: VirtualFiles): Promise<void> {
  const now = await files.stat(path);
  if (now?.isReadOnly)
    throw new WorkspaceError(
      `"${label}" is read-only, so it was left unchanged. Choose another file, or tell the user.`,
    );
  if (!(await isAtVersion(path, version, now, files)))
    throw new StaleFileError(`"${label}" was changed in the meantime, so it was left unchanged. Look at it again.`);
}

async function isAtVersion(
  path: string,
  version: string,
  now: VirtualStat | undefined,
  files: VirtualFiles,
): Promise<boolean> {
  switch (now?.kind) {
    case undefined:
      return version === "";
    case "folder":
      return version === "folder";
    case "file":
      if (version.startsWith("stat:")) return version === `stat:${now.changedAt}.${now.bytes}`;
      return version === computeVersion(await files.read(path));
    default:
      return false;
  }
}
