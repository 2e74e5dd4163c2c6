import { join } from "node:path";
import { hashFile, sha256 } from "../../disk/sha256.ts";
import { toDiskPath } from "../../node/files/byte-names.ts";
import { groupBlobs, groupContents, readBlobs } from "../../node/git/blobs.ts";
import type { CopyChange } from "./copy.ts";

/** Contents in git of changed files at the time of the copy. Contents that can't be read any more are absent. */
export async function readBaseContents(changes: readonly CopyChange[]): Promise<ReadonlyMap<CopyChange, Buffer>> {
  const found = new Map<CopyChange, Buffer>();
  const inGit = changes.flatMap((change) => {
    const held = change.base?.held;
    return held && "blob" in held ? [{ change, held }] : [];
  });
  for (const group of groupBlobs(inGit, ({ held }) => held)) {
    const blobs = await readBlobs(group.map(({ held }) => held));
    for (const { change, held } of group) {
      const bytes = blobs.get(held.blob);
      if (bytes) found.set(change, bytes);
    }
  }
  return found;
}

/** Among changes with different metadata, those whose content is still the same. */
export async function findUnchangedContents(changes: readonly CopyChange[]): Promise<ReadonlySet<CopyChange>> {
  const same = new Set<CopyChange>();
  for (const group of groupContents(changes, ({ base }) => base?.bytes ?? 0)) {
    const contents = await readBaseContents(group);
    for (const change of group) {
      const before = await computeBaseHash(change, contents.get(change));
      if (before === undefined) continue;
      const now = await hashFile(toDiskPath(join(change.folder.path, change.file))).catch(() => undefined);
      if (now?.hash === before) same.add(change);
    }
  }
  return same;
}

async function computeBaseHash({ base }: CopyChange, content: Buffer | undefined): Promise<string | undefined> {
  if (content) return sha256(content);
  if (!base?.held || "blob" in base.held) return undefined;
  return (await hashFile(base.held.kept).catch(() => undefined))?.hash;
}
