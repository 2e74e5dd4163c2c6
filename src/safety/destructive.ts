/** Why a command line must never run, as a sentence; undefined when nothing of the kind is seen. */
export function destructive(line: string, folders: readonly string[]): string | undefined {
  if (/:\s*\(\s*\)\s*\{.*:\s*\|\s*:.*&/s.test(line)) return "It is a fork bomb.";
  for (const command of line.split(/[;&|\n]+/)) {
    const words = command
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll(/["'\\]/g, ""));
    const why = destructiveWords(words, folders);
    if (why !== undefined) return why;
  }
  return undefined;
}

function destructiveWords(words: readonly string[], folders: readonly string[]): string | undefined {
  const at = words.findIndex((word) => !/^(sudo|doas|env|nohup|time|command|exec|\w+=.*)$/.test(word));
  const name = (words[at] ?? "").split("/").at(-1) ?? "";
  const args = words.slice(at + 1);
  if (/^mkfs(\.|$)|^(wipefs|fdisk|parted|sgdisk|mkswap|blkdiscard|shred)$/.test(name))
    return "It writes to a disk past its files.";
  if (name === "dd" && args.some((arg) => /^of=\/dev\/(?!null|stdout|stderr|zero)/.test(arg)))
    return "It writes to a disk past its files.";
  if (name !== "rm") return undefined;
  const isRecursive = args.some((arg) => /^-\w*[rR]|^--recursive/.test(arg));
  const root = args.find((arg) => isRoot(arg, folders));
  return isRecursive && root !== undefined ? `It deletes ${root} with all that is in it.` : undefined;
}

/** The root, a home, the workspace, or everything in one of them. */
function isRoot(word: string, folders: readonly string[]): boolean {
  const path = word.replace(/\/+\*?$/, "").replace(/(.)\/+$/, "$1");
  if (
    [
      "",
      ".",
      "..",
      "~",
      "$HOME",
      "$" + "{HOME}",
      "*",
      "./*",
      "/home",
      "/root",
      "/usr",
      "/etc",
      "/var",
    ].includes(path)
  )
    return !word.startsWith("-");
  return folders.includes(path);
}
