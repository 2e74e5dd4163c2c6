import { join } from "node:path";
import { blobGroups, readBlobs } from "../../node/git/blobs.ts";
import { fileBytes } from "../../plain-file.ts";
import type { CopyChange } from "./copy.ts";

/** Contents of changed files when the copy was made. Those that can't be read any more are absent. */
export async function baseContents(changes: readonly CopyChange[]): Promise<ReadonlyMap<CopyChange, Buffer>> {
  const found = new Map<CopyChange, Buffer>();
  const inGit = changes.flatMap((change) => {
    const held = change.base?.held;
    return held && "blob" in held ? [{ change, held }] : [];
  });
  for (const change of changes) {
    const held = change.base?.held;
    if (!held || "blob" in held) continue;
    const bytes = await fileBytes(held.kept).catch(() => undefined);
    if (bytes) found.set(change, bytes);
  }
  for (const group of blobGroups(inGit, ({ held }) => held)) {
    const blobs = await readBlobs(group.map(({ held }) => held));
    for (const { change, held } of group) {
      const bytes = blobs.get(held.blob);
      if (bytes) found.set(change, bytes);
    }
  }
  return found;
}

/** The changes whose content is still the same, among those whose metadata differ. */
export async function unchangedContents(changes: readonly CopyChange[]): Promise<ReadonlySet<CopyChange>> {
  const same = new Set<CopyChange>();
  for (let start = 0; start < changes.length; start += COMPARED_AT_ONCE) {
    const some = changes.slice(start, start + COMPARED_AT_ONCE);
    const contents = await baseContents(some);
    for (const change of some) {
      const now = await fileBytes(join(change.folder.path, change.file)).catch(() => undefined);
      if (now && contents.get(change)?.equals(now)) same.add(change);
    }
  }
  return same;
}

/** A run may touch every file of a large repository, whose contents together don't fit into memory. */
const COMPARED_AT_ONCE = 1_000;
