import fs from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";

/** An import expression, and an import type: `import("./file.ts")` and `typeof import("./file.ts")`. */
const INLINE_IMPORT = /(?<!typeof )\bimport\("(\.[^"]+)"\)/g;
const IMPORT_TYPE = /\btypeof import\("(\.[^"]+)"\)/g;

/**
 * Every TypeScript file in the folders below `root`: its lines, the files of the project and the packages that it
 * imports (types too), the files that it loads when it runs, and the names that it defines and exports. Keys and
 * imports are paths relative to `root`, with forward slashes.
 */
export function readSources(root, folders = ["src"]) {
  const names = fs
    .globSync(
      folders.map((folder) => `${folder}/**/*.ts`),
      { cwd: root, exclude: ["**/node_modules"] },
    )
    .map((name) => name.replaceAll(path.sep, "/"))
    .sort();
  return new Map(names.map((name) => [name, readSource(name, fs.readFileSync(path.join(root, name), "utf8"))]));
}

/** The imports and exports of one file. */
function readSource(name, text) {
  const { module } = parseSync(name, text);
  const exported = module.staticExports.flatMap(({ entries }) => entries);
  const reexported = exported.filter(({ moduleRequest }) => moduleRequest);
  const isErased = ({ entries }) => entries.length > 0 && entries.every(({ isType }) => isType);
  const needed = [
    ...module.staticImports.filter((each) => !isErased(each)).map(({ moduleRequest }) => moduleRequest.value),
    ...reexported.filter(({ isType }) => !isType).map(({ moduleRequest }) => moduleRequest.value),
    ...[...text.matchAll(INLINE_IMPORT)].map(([, request]) => request),
  ];
  const types = [
    ...module.staticImports.filter(isErased).map(({ moduleRequest }) => moduleRequest.value),
    ...reexported.filter(({ isType }) => isType).map(({ moduleRequest }) => moduleRequest.value),
    ...[...text.matchAll(IMPORT_TYPE)].map(([, request]) => request),
  ];
  const pathsOf = (requests) =>
    [...new Set(requests.filter((request) => request.startsWith(".")))].map((request) =>
      path.posix.join(path.posix.dirname(name), request),
    );
  const imported = new Set(
    module.staticImports.flatMap(({ entries }) => entries.map((entry) => entry.localName.value)),
  );
  const own = exported
    .filter(({ moduleRequest, localName }) => !moduleRequest && !imported.has(localName.name))
    .map(({ exportName }) => exportName.name);
  return {
    lines: text.split("\n").length - 1,
    imports: pathsOf([...needed, ...types]),
    loads: pathsOf(needed),
    packages: [...new Set([...needed, ...types].filter((request) => !request.startsWith(".")))],
    exports: [...new Set(own)],
  };
}

/**
 * The strongly connected groups of a graph, each after the groups that it imports (Tarjan). A group of several files
 * is a cycle.
 */
export function groupsOf(names, importsOf) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const groups = [];
  const visit = (name) => {
    index.set(name, index.size);
    low.set(name, index.get(name));
    stack.push(name);
    for (const next of importsOf(name)) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(name, Math.min(low.get(name), low.get(next)));
    }
    if (low.get(name) === index.get(name)) groups.push(stack.splice(stack.indexOf(name)));
  };
  for (const name of names) if (!index.has(name)) visit(name);
  return groups;
}
