import type { PreImages } from "../pre-images.ts";
import type { FileState } from "./file-state.ts";
import type { PathPlan } from "./plan.ts";

/** Changes files that are still what they are taken for, and throws otherwise. `expected` is the SHA-256 of what is there. */
export interface Files {
  put(path: string, expected: string | undefined, bytes: Buffer, mode?: number): Promise<void>;
  remove(path: string, expected: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Leaves a folder that holds anything. */
  removeFolder(path: string): Promise<void>;
}

/** Makes one path as planned; `now` is what stands there. */
export async function restore(
  { files, kept }: { readonly files: Files; readonly kept: PreImages },
  { path, target }: PathPlan,
  now: FileState,
): Promise<void> {
  if (now.kind === "folder" && target.kind !== "folder") await files.removeFolder(path);
  if (target.kind === "folder") return files.makeFolder(path);
  const expected = now.kind === "file" ? now.hash : undefined;
  if (target.kind === "file") return files.put(path, expected, await kept.read(target.hash), target.mode);
  if (expected !== undefined) await files.remove(path, expected);
}

/**
 * Plans in groups, one after the other, each of plans that do not mind each other: folders that come back, then files that come back to
 * them, then files that go, then the folders they lay in, the deepest first.
 */
export function inGroups<T extends { readonly plan: PathPlan; readonly now: FileState }>(
  plans: readonly T[],
): readonly (readonly T[])[] {
  const back = plans.filter(({ plan }) => plan.target.kind === "folder");
  const files = plans.filter(({ plan }) => plan.target.kind === "file");
  const gone = plans.filter((one) => !back.includes(one) && !files.includes(one));
  const folders = gone
    .filter(({ now }) => now.kind === "folder")
    .toSorted((one, other) => other.plan.path.length - one.plan.path.length);
  return [
    ...back.map((one) => [one]),
    files,
    gone.filter((one) => !folders.includes(one)),
    ...folders.map((one) => [one]),
  ];
}
