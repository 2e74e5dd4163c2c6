import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** True for a file that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Where a program is found, by the first of its names that the search path has; relative entries of the path are passed over. */
export function onPath(
  names: readonly string[],
  env: Readonly<NodeJS.ProcessEnv> = process.env,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  // Windows puts shop windows there in place of programs.
  const real = folders.filter((folder) => platform !== "win32" || !/WindowsApps/i.test(folder));
  const endings = platform === "win32" ? [".exe"] : [""];
  return names
    .flatMap((name) => real.flatMap((folder) => endings.map((ending) => join(folder, name + ending))))
    .find(isExecutable);
}
