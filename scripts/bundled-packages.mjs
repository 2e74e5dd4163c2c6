import fs from "node:fs";
import { inRoot } from "./setup/root.mjs";

/** Packages that our sources don't import: programs, the icons, and a part that Vectra loads. */
const PROGRAMS = [
  "@vscode/codicons",
  "protobufjs",
  "tree-sitter-bash",
  "tree-sitter-powershell",
  "web-tree-sitter",
  "tiktoken",
];

/** The worker of a fleet is a program of its own, which is installed with its packages. */
const IN_PRODUCT = { cwd: inRoot("."), exclude: ["packages/worker/**"] };

/** Nothing of these imports is left in a bundle. */
const TYPE_IMPORT = /^import type [^;]*;$/gm;

/**
 * The packages that are bundled into what we ship: those that our sources import. They are development dependencies, since
 * a bundle needs none of them where it is installed.
 */
export function bundledPackages() {
  const needed = ["package.json", ...fs.globSync("packages/*/package.json", IN_PRODUCT)].flatMap((file) =>
    Object.keys(JSON.parse(fs.readFileSync(inRoot(file), "utf8")).devDependencies ?? {}),
  );
  const found = new Set(PROGRAMS);
  for (const file of fs.globSync(["src/**/*.ts", "packages/*/src/**/*.ts"], IN_PRODUCT)) {
    const source = fs.readFileSync(inRoot(file), "utf8").replaceAll(TYPE_IMPORT, "");
    for (const [, specifier] of source.matchAll(/(?:\bfrom|\bimport\(|\bimport)\s*"([^"]+)"/g))
      found.add(packageOf(specifier));
  }
  return needed.filter((name) => found.has(name));
}

function packageOf(specifier) {
  const path = specifier.replace(/^.*\/node_modules\//, "");
  return path.split("/", path.startsWith("@") ? 2 : 1).join("/");
}
