import { join } from "node:path";
import { sha256 } from "../../disk/sha256.ts";
import type { BorrowedFolder, Copy } from "../copy/copy.ts";

/** The folders of a writable layer. File commands look into `upper` before the origin; a character device there hides a name. */
export interface Layer {
  readonly folder: string;
  readonly upper: string;
  /** Where the layer is mounted, for programs of the run alone. */
  readonly merged: string;
}

/** The folder for everything that a copy's walls need: private home, temporary files and layers. */
export function getWallsFolder(copy: Pick<Copy, "home">): string {
  return join(copy.home, "walls");
}

/** The layer over a folder that a run's programs see at `path`. It exists once a program has needed it. */
export function getLayer(copy: Pick<Copy, "home">, { path }: Pick<BorrowedFolder, "path">): Layer {
  const folder = join(getWallsFolder(copy), "layers", sha256(path).slice(0, 16));
  return { folder, upper: join(folder, "upper"), merged: join(folder, "merged") };
}
