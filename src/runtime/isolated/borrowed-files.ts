import { relative } from "node:path";
import { type BinaryFiles, type ResolvedPath, type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import type { BorrowedFolder, Copy } from "../../isolation/copy/copy.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { createNodeWorkspace, type FolderWorkspace } from "../../node/workspace.ts";

/** Names the folder with the changes that programs made in a borrowed folder; undefined where they can make none. */
export type LayerFolder = (borrowed: BorrowedFolder) => string | undefined;

/** A file that is really in a layer or in the workspace. */
interface Lent {
  readonly files: FolderWorkspace;
  readonly place: ResolvedPath;
}

/**
 * Lets file commands read the folders that a copy borrows, as its programs see them: changed files from the layer, the others from the
 * workspace. Only programs can change them.
 */
export function addBorrowedFiles<W extends Workspace & BinaryFiles>(
  base: W,
  { borrowed: all }: Pick<Copy, "borrowed">,
  layer: LayerFolder,
): W {
  const lent = new WeakMap<ResolvedPath, Lent>();
  const findBorrowedFolder = (path: string): BorrowedFolder | undefined =>
    all.find((one) => isAtOrBelow(path, one.path));
  const refuseBorrowed = (place: ResolvedPath): void => {
    if (findBorrowedFolder(place.path)) throw new WorkspaceError(explainReadOnly(place.label));
  };
  const guardAgainstBorrowed =
    <Rest extends readonly unknown[], T>(act: (place: ResolvedPath, ...rest: Rest) => Promise<T>) =>
    async (place: ResolvedPath, ...rest: Rest): Promise<T> => {
      refuseBorrowed(place);
      return act(place, ...rest);
    };
  return {
    ...base,
    locate: async (path, use) => {
      const place = await base.locate(path, use);
      const borrowed = place.kind === "missing" ? findBorrowedFolder(place.path) : undefined;
      const found = borrowed && (await findLentFile(borrowed, place, layer));
      if (!found) return place;
      const { kind, bytes, version } = found.place;
      const shown: ResolvedPath = { ...place, kind, bytes, version, ignored: true };
      lent.set(shown, found);
      return shown;
    },
    read: async (place) => {
      const found = lent.get(place);
      return found ? found.files.read(found.place) : base.read(place);
    },
    readBytes: async (place) => {
      const found = lent.get(place);
      return found ? found.files.readBytes(found.place) : base.readBytes(place);
    },
    write: guardAgainstBorrowed(base.write.bind(base)),
    writeBytes: guardAgainstBorrowed(base.writeBytes.bind(base)),
    createFolder: guardAgainstBorrowed(base.createFolder.bind(base)),
    move: guardAgainstBorrowed(async (from, to: ResolvedPath) => {
      refuseBorrowed(to);
      return base.move(from, to);
    }),
    remove: guardAgainstBorrowed(base.remove.bind(base)),
  };
}

/** A file below a borrowed folder, from its layer first; undefined if neither has it. */
async function findLentFile(
  borrowed: BorrowedFolder,
  { path, label }: ResolvedPath,
  layer: LayerFolder,
): Promise<Lent | undefined> {
  const name = normalizeSlashes(relative(borrowed.path, path));
  if (name === "") return undefined;
  for (const folder of [layer(borrowed), borrowed.origin]) {
    if (folder === undefined) continue;
    const files = createNodeWorkspace({ folders: [{ name: "", path: folder }] });
    const place = await files.locate(name).catch(() => undefined);
    // An overlay hides a deleted name behind a device.
    if (place?.kind === "other") return undefined;
    if (place && place.kind !== "missing") return { files, place: { ...place, label } };
  }
  return undefined;
}

function explainReadOnly(label: string): string {
  return `"${label}" is in a folder that this copy shares with the workspace, so file commands only read it. Change it with a command line, if it has to be changed.`;
}
