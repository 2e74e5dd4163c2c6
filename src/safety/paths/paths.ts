/** The system whose file names are compared, as in `process.platform`. */
export type Platform = "linux" | "darwin" | "win32" | (string & {});

/**
 * The names along a path, normalized so that all its spellings compare equal: one case, one Unicode form, nothing invisible; without
 * `.` and empty names. Where the system may be Windows, also without streams and trailing dots.
 */
export function splitPathSegments(path: string, platform: Platform = "win32"): string[] {
  const plain = /^[ -~]*$/.test(path) ? path : path.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return plain
    .toLowerCase()
    .split(/[\\/]+/)
    .map((name) => (platform === "win32" ? stripWindowsSuffixes(name) : name))
    .filter((name) => name !== "" && name !== ".");
}

/**
 * Returns the same text for all spellings of a path on any system, and for some paths that differ on only one. It's for rules that ask.
 * Ignores case, separators, `.`, `..`, streams, trailing dots and Windows' prefixes of long paths.
 */
export function getPathKey(path: string): string {
  const names: string[] = [];
  for (const name of splitPathSegments(path.replace(/^[\\/]{2}[?.][\\/](?:unc[\\/])?/i, "")))
    if (name === "..") names.pop();
    else names.push(name);
  return names.join("/");
}

/** True for a folder of Windows: on a drive, or on another machine. */
export function isWindowsPath(folder: string): boolean {
  return /^(?:[a-z]:|\\\\)/i.test(folder);
}

/** Resolves a name to the absolute path that it means to a program that starts in a folder, by the rules of that folder's system. */
export function resolvePathFrom(folder: string, name: string): string {
  if (!isWindowsPath(folder)) return name.startsWith("/") ? name : `${folder}/${name}`;
  if (/^(?:[a-z]:[\\/]|[\\/]{2})/i.test(name)) return name;
  if (/^[\\/]/.test(name)) return `${/^[a-z]:|^[\\/]{2}[^\\/]+[\\/]+[^\\/]+/i.exec(folder)?.[0] ?? ""}${name}`;
  const [drive = ""] = /^[a-z]:/i.exec(name) ?? [];
  const isOther = drive !== "" && !folder.toLowerCase().startsWith(drive.toLowerCase());
  return isOther ? `${drive}/${name.slice(2)}` : `${folder}/${name.slice(drive.length)}`;
}

/** True when a real path is one of the real folders or below one. */
export function isInside(path: string, folders: readonly string[], platform: Platform): boolean {
  return findInnermostFolder(path, folders, platform) !== undefined;
}

/** Normalized names of a path below the innermost folder that contains it; of the whole path if none does. */
export function listSegmentsBelow(path: string, folders: readonly string[], platform: Platform): string[] {
  const folder = findInnermostFolder(path, folders, platform);
  return splitPathSegments(folder === undefined ? path : path.slice(folder.length), platform);
}

/** A path relative to the innermost folder that contains it, with `/` between the names; the path itself if none does. */
export function getPathBelow(path: string, folders: readonly string[], platform: Platform): string {
  const folder = findInnermostFolder(path, folders, platform);
  const below = folder === undefined ? path : path.slice(folder.length).replace(/^[\\/]+/, "");
  return platform === "win32" ? below.replaceAll("\\", "/") : below;
}

/** The innermost folder that contains a path; undefined if none does. */
export function findInnermostFolder(path: string, folders: readonly string[], platform: Platform): string | undefined {
  const inner = folders
    .filter((folder) => isPathInFolder(folder, path, platform))
    .sort((a, b) => b.length - a.length)[0];
  return inner;
}

/** Compares exactly on Linux and in WSL's folders, and ignores case elsewhere. A path with `..` in it is inside no folder. */
function isPathInFolder(folder: string, path: string, platform: Platform): boolean {
  if (folder === "" || /(^|[\\/])\.\.([\\/]|$)/.test(path)) return false;
  const separator = platform === "win32" ? "\\" : "/";
  const normalizeSpelling = (text: string): string => {
    const spelt = platform === "win32" ? text.replaceAll("/", "\\") : text;
    return platform === "linux" || /^\\\\wsl(?:\$|\.localhost)\\/i.test(spelt) ? spelt : spelt.toLowerCase();
  };
  const base = normalizeSpelling(folder).replace(/[\\/]+$/, "");
  const target = normalizeSpelling(path);
  return target === base || target.startsWith(base + separator);
}

/** Windows drops trailing dots and spaces, and reads the text after a colon as a stream of the same file. */
function stripWindowsSuffixes(name: string): string {
  const colon = name.indexOf(":", 2);
  return (colon === -1 ? name : name.slice(0, colon)).replace(/(?<=[^. ])[. ]+$/, "");
}
