import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join } from "node:path";

const WITH_PATH =
  "lstat stat realpath open unlink rm rename link readdir readFile writeFile copyFile chmod mkdir".split(" ");

/**
 * Does something as on macOS, whose disk finds a name in any case and keeps the case that it was created with. Only the last name of a path
 * is found like that.
 */
export async function onCaselessDisk<T>(act: () => Promise<T>): Promise<T> {
  const promises: Record<string, unknown> = Object(fs.promises);
  const whole = { ...promises };
  const { lstatSync, renameSync, unlinkSync, readdirSync } = fs;
  /** The path under which the disk has an entry; the path itself if it has none. */
  const find = (path: unknown): unknown => {
    if (typeof path !== "string") return path;
    const names = lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() ? readdirSync(dirname(path)) : [];
    const name = names.find((one) => one.toLowerCase() === basename(path).toLowerCase());
    return name === undefined || names.includes(basename(path)) ? path : join(dirname(path), name);
  };
  for (const name of WITH_PATH) {
    const real = whole[name];
    if (typeof real !== "function") continue;
    promises[name] = async (path: unknown, ...rest: readonly unknown[]) => {
      const isRespelled = name === "rename" && find(path) === find(rest[0]);
      const others = name === "link" || (name === "rename" && !isRespelled) ? rest.map(find) : rest;
      return Reflect.apply(real, fs.promises, [find(path), ...others]);
    };
  }
  const syncs = {
    lstatSync: (path: unknown, options: unknown) => Reflect.apply(lstatSync, fs, [find(path), options]),
    unlinkSync: (path: unknown) => Reflect.apply(unlinkSync, fs, [find(path)]),
    renameSync: (from: unknown, to: unknown) => Reflect.apply(renameSync, fs, [find(from), find(to)]),
  };
  const platform = process.platform;
  Object.assign(fs, syncs);
  Object.defineProperty(process, "platform", { value: "darwin" });
  syncBuiltinESMExports();
  try {
    return await act();
  } finally {
    Object.assign(promises, whole);
    Object.assign(fs, { lstatSync, renameSync, unlinkSync });
    Object.defineProperty(process, "platform", { value: platform });
    syncBuiltinESMExports();
  }
}
