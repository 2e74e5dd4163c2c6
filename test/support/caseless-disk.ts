import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join } from "node:path";

const WITH_PATH =
  "lstat stat realpath open unlink rm rename link readdir readFile writeFile copyFile chmod mkdir".split(" ");

/** Does something as on macOS, whose disk finds a name in any case and Unicode form and keeps those that it was created with. */
export async function onCaselessDisk<T>(act: () => Promise<T>): Promise<T> {
  const promises: Record<string, unknown> = Object(fs.promises);
  const whole = { ...promises };
  const { lstatSync, renameSync, unlinkSync, readdirSync } = fs;
  const fold = (name: string): string => name.normalize().toLowerCase();
  const findText = (path: string): string => {
    if (dirname(path) === path || lstatSync(path, { throwIfNoEntry: false })) return path;
    const folder = findText(dirname(path));
    const names = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
    return join(folder, names.find((one) => fold(one) === fold(basename(path))) ?? basename(path));
  };
  /** The path under which the disk has an entry; the path itself if it has none. */
  const find = (path: unknown): unknown => (typeof path === "string" ? findText(path) : path);
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
