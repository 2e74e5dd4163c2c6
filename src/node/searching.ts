import { basename, dirname } from "node:path";
import type { ResolvedPath, Workspace } from "../core/ports/model.ts";
import { wholeFile } from "./file-version.ts";
import { inFolder } from "./held-folder.ts";
import type { Root } from "./roots.ts";
import { type LeftOut, Search, type Wanted } from "./search.ts";
import { startsOf } from "./starts.ts";

/** The lines that match, in one file or in all below a folder. */
export async function searching(
  place: ResolvedPath,
  roots: readonly Root[],
  wanted: Wanted,
  leftOut: LeftOut,
): ReturnType<Workspace["search"]> {
  const search = new Search(wanted, leftOut);
  try {
    if (place.kind === "file") await search.inFile({ read: (most) => smallFile(place, most) }, place.label);
    for (const { start, prefix } of place.kind === "folder" ? startsOf(place, roots) : []) {
      await search.below(start, prefix);
      if (search.more) break;
    }
    const { matches, more, note } = search;
    return { matches, more, ...(note === undefined ? {} : { note }) };
  } finally {
    await search.close();
  }
}

async function smallFile({ path, bytes }: ResolvedPath, mostBytes: number): Promise<Buffer | undefined> {
  if (bytes > mostBytes) return undefined;
  return (await inFolder(dirname(path), (at) => wholeFile(at(basename(path))))).bytes;
}
