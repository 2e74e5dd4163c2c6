import type { Disk } from "../core/disk.ts";

/** The same disk, which is asked only once where a path leads: a line may name it many times. Good for one decision. */
export function remembering(disk: Disk): Disk {
  const known = new Map<string, Promise<readonly string[] | undefined>>();
  const repositories = new Map<string, ReturnType<Disk["repository"]>>();
  return {
    ...disk,
    repository(folder, folders) {
      const found = repositories.get(folder) ?? disk.repository(folder, folders);
      repositories.set(folder, found);
      return found;
    },
    realPaths(path, isPattern) {
      const key = `${isPattern} ${path}`;
      const found = known.get(key) ?? disk.realPaths(path, isPattern);
      known.set(key, found);
      return found;
    },
  };
}
