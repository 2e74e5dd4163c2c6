import { realpathSync } from "node:fs";
import { dirname } from "node:path";

/** True for a path below a folder; both are absolute. Exact on Linux and in WSL's folders, ignoring case elsewhere. */
export function isBelow(path: string, folder: string, platform: NodeJS.Platform = process.platform): boolean {
  const [below, above] = [normalizeSpelling(path, platform), normalizeSpelling(folder, platform)];
  return below !== above && below.startsWith(above.endsWith("/") ? above : `${above}/`);
}

/** True for a folder itself and for everything below it. */
export function isAtOrBelow(path: string, folder: string, platform = process.platform): boolean {
  return normalizeSpelling(path, platform) === normalizeSpelling(folder, platform) || isBelow(path, folder, platform);
}

function normalizeSpelling(path: string, platform: NodeJS.Platform): string {
  if (platform === "win32") return foldWindowsPath(path);
  return platform === "darwin" ? path.normalize("NFC").toLowerCase() : path;
}

/** As long as the path without separators at its end. In WSL's folders, only the names of the machine and the distribution ignore case. */
function foldWindowsPath(path: string): string {
  const spelt = path.replaceAll("\\", "/").replace(/\/+$/, "");
  const [beginning = spelt] = /^\/\/wsl(?:\$|\.localhost)\/[^/]*/i.exec(spelt) ?? [];
  return beginning.toLowerCase() + spelt.slice(beginning.length);
}

/** True for a path that is in one of the folders, or leads there itself or with its folder, or whose target isn't known. */
export function isWithinAny(path: string, folders: readonly string[]): boolean {
  try {
    const paths = [path, realpathSync.native(path), realpathSync.native(dirname(path))];
    return folders.some((folder) => paths.some((one) => isAtOrBelow(one, folder)));
  } catch {
    return true;
  }
}
