import fs from "node:fs";
import path from "node:path";
import { VSCODE } from "./places.ts";

/** The built-in extensions that tests need. With these few VS Code starts in half the time, and tries no sign-in. */
const NEEDED: ReadonlySet<string> = new Set([
  ...["git", "git-base", "typescript-language-features", "typescript-basics", "javascript", "json", "ipynb"],
  ...[
    "json-language-features",
    "markdown-basics",
    "shellscript",
    "theme-defaults",
    "theme-seti",
    "configuration-editing",
  ],
]);

/**
 * Fills a folder with links to the needed built-in extensions, and returns it. The page brings browser copies of some
 * of the others; an empty extension of the same name keeps it from running those.
 */
export function linkBuiltInExtensions(folder: string): string {
  const all = path.join(VSCODE, "extensions");
  fs.mkdirSync(folder, { recursive: true });
  for (const name of fs.readdirSync(all)) {
    const target = path.join(folder, name);
    if (name === "node_modules" || NEEDED.has(name)) {
      fs.symlinkSync(path.join(all, name), target, "junction");
      continue;
    }
    const manifest = path.join(all, name, "package.json");
    if (fs.existsSync(manifest)) shadow(JSON.parse(fs.readFileSync(manifest, "utf8")), target);
  }
  return folder;
}

function shadow(manifest: Readonly<Record<string, unknown>>, target: string): void {
  if (!manifest.browser) return;
  const { name, publisher, version, engines } = manifest;
  fs.mkdirSync(target);
  fs.writeFileSync(path.join(target, "package.json"), JSON.stringify({ name, publisher, version, engines }));
}
