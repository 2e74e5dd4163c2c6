import { basename, dirname } from "node:path";
import type { Place, Workspace } from "../core/ports.ts";
import { wholeFile } from "./file-version.ts";
import { inFolder } from "./held-folder.ts";
import { type Root, rootAround, within } from "./roots.ts";
import { type LeftOut, Search, type Wanted } from "./search.ts";
import { startsOf } from "./starts.ts";

/** The lines that match, in one file or in all below a folder. */
export async function searching(
  place: Place,
  roots: readonly Root[],
  wanted: Wanted,
  leftOut: LeftOut,
): ReturnType<Workspace["search"]> {
  const search = new Search(wanted, leftOut);
  try {
    if (place.kind === "file") await inOne(search, place, roots);
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

async function inOne(search: Search, place: Place, roots: readonly Root[]): Promise<void> {
  const root = rootAround(place.path, roots);
  if (!root) return;
  const { path } = place;
  const read = async (mostBytes: number): Promise<Buffer | undefined> => {
    if (place.bytes > mostBytes) return undefined;
    return (await inFolder(dirname(path), (at) => wholeFile(at(basename(path))))).bytes;
  };
  await search.inFile({ relative: within(path, root), read }, place.label);
}
