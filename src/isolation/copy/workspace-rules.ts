import { join, relative, sep } from "node:path";
import { type IgnoreRules, ignoreRules } from "../../node/files/ignore-rules.ts";
import { isAtOrBelow } from "../../node/files/real-path.ts";
import { linkedText } from "../../plain-file.ts";
import type { CopyRecord } from "../../schema/stored-files.ts";
import type { Copy } from "./copy.ts";

/** The workspace's own rules for ignored files, for folders of a copy. The copy's rules have no say. */
export function workspaceRules(
  copy: Copy,
  { repositories }: CopyRecord,
): (folder: string) => Promise<(name: string) => boolean> {
  const roots = copy.visible.map((root) => {
    const origin = workspaceFolderOf(root, copy);
    const excludes = repositories.find((one) => one.root === origin)?.excludes ?? [];
    return { root, rules: repositoryRules(origin, excludes) };
  });
  return async (folder) => {
    const around = roots.find(({ root }) => isAtOrBelow(folder, root));
    if (!around) return () => false;
    const names = relative(around.root, folder).split(sep).filter(Boolean);
    const above = names.map((name) => `${name}/`).join("");
    const isIgnored = await around.rules.below(above);
    return (name) => isIgnored(above + name) === "git";
  };
}

/** The rules for a repository's ignored files; `excludes`: files with more of them, the weaker ones first. */
export function repositoryRules(root: string, excludes: readonly string[]): IgnoreRules {
  return ignoreRules(root, (file) => rulesText(root, file, excludes));
}

/** The rules of one file. The weaker rules of the repository and of the user come before those of its root. */
async function rulesText(
  origin: string,
  file: string,
  excludes: readonly string[],
): Promise<string | undefined> {
  const files = file === ".gitignore" ? [...excludes, join(origin, file)] : [join(origin, file)];
  const texts = await Promise.all(files.map(textOf));
  return texts.every((text) => text === undefined) ? undefined : texts.join("\n");
}

function textOf(path: string): Promise<string | undefined> {
  return linkedText(path).catch(() => undefined);
}

/** The workspace's folder for a visible part of the copy. */
export function workspaceFolderOf(root: string, { folders }: Copy): string {
  const inside = folders.find(({ path }) => isAtOrBelow(path, root));
  if (!inside) return root;
  const above = inside.path.slice(root.length).split(sep).filter(Boolean);
  return join(inside.origin, ...above.map(() => ".."));
}
