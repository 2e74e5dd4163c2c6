import { join, relative, sep } from "node:path";
import { isAtOrBelow } from "../../disk/below.ts";
import { readLinkedText } from "../../disk/plain-file.ts";
import { type IgnoreRules, ignoreRules } from "../../node/files/ignore-rules.ts";
import type { CopyRecord } from "../../schema/stored-files.ts";
import type { Copy } from "./copy.ts";

/** Creates ignore rules for folders of a copy from the workspace's rules. The copy's own rules are disregarded. */
export function createWorkspaceRules(
  copy: Copy,
  { repositories }: CopyRecord,
): (folder: string) => Promise<(name: string) => boolean> {
  const roots = copy.visible.map((root) => {
    const origin = getWorkspaceFolderFor(root, copy);
    const excludes = repositories.find((one) => one.root === origin)?.excludes ?? [];
    return { root, rules: createRepositoryRules(origin, excludes) };
  });
  return async (folder) => {
    const around = roots.find(({ root }) => isAtOrBelow(folder, root));
    if (!around) return () => false;
    const names = relative(around.root, folder).split(sep).filter(Boolean);
    const above = names.map((name) => `${name}/`).join("");
    const isIgnored = await around.rules.loadMatcher(above);
    return (name) => isIgnored(above + name) === "git";
  };
}

/** Creates a repository's ignore rules. `excludes`: files with further rules, in order of increasing precedence. */
export function createRepositoryRules(root: string, excludes: readonly string[]): IgnoreRules {
  return ignoreRules(root, (file) => readIgnoreRules(root, file, excludes));
}

/** Reads the rules of one file. Puts the weaker rules of the repository and the user before those of its root. */
async function readIgnoreRules(origin: string, file: string, excludes: readonly string[]): Promise<string | undefined> {
  const files = file === ".gitignore" ? [...excludes, join(origin, file)] : [join(origin, file)];
  const texts = await Promise.all(files.map(readRulesFile));
  return texts.every((text) => text === undefined) ? undefined : texts.join("\n");
}

function readRulesFile(path: string): Promise<string | undefined> {
  return readLinkedText(path).catch(() => undefined);
}

/** The workspace's folder for a visible part of the copy. */
export function getWorkspaceFolderFor(root: string, { folders }: Copy): string {
  const inside = folders.find(({ path }) => isAtOrBelow(path, root));
  if (!inside) return root;
  const above = inside.path.slice(root.length).split(sep).filter(Boolean);
  return join(inside.origin, ...above.map(() => ".."));
}
