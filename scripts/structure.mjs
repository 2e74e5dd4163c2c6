// Measures the structure of src and packages: cycles, layers, sizes of files and folders, and names with two meanings. A number
// above its ceiling in scripts/ceilings.json is an error. --list shows all cases, --lower writes the
// ceilings down to today's numbers, --table prints the sizes per folder, --root DIR measures another working tree.
import path from "node:path";
import { parseArgs } from "node:util";
import { checkCeilings } from "./setup/ceilings.mjs";
import { forbiddenImports } from "./setup/layers.mjs";
import { ROOT } from "./setup/root.mjs";
import { groupsOf, readSources } from "./setup/source-graph.mjs";

const FULL_FOLDER = 25;
const SMALL_FILE = 40;
/** Files that import one file per row or per bundle: a file that such a table alone imports may be small. */
const TABLES = [
  ...["src/extension.ts", "src/headless/program.ts", "src/texts/english.ts", "src/commands/all.ts"],
  "src/models/providers.ts",
];

const { values } = parseArgs({
  options: {
    table: { type: "boolean" },
    list: { type: "boolean" },
    lower: { type: "boolean" },
    root: { type: "string", default: ROOT },
  },
});
const sources = readSources(values.root, ["src", "packages/*/src"]);
const names = [...sources.keys()];
const importsOf = (name) => sources.get(name).imports.filter((target) => sources.has(target));
const importersOf = Map.groupBy(
  names.flatMap((name) => importsOf(name).map((target) => ({ name, target }))),
  ({ target }) => target,
);
const folders = Map.groupBy(names, (name) => path.posix.dirname(name));

function cycles() {
  return groupsOf(names, importsOf)
    .filter((group) => group.length > 1 || importsOf(group[0]).includes(group[0]))
    .map((group) => group.sort().join(" ↔ "));
}

/** The longest chain of imports among the files of `src/vscode`, the lowest file first. */
function longestChain() {
  const inside = names.filter((name) => name.startsWith("src/vscode/"));
  const within = (name) => importsOf(name).filter((target) => target.startsWith("src/vscode/"));
  const chains = new Map();
  for (const group of groupsOf(inside, within)) {
    const below = group.flatMap(within).filter((target) => !group.includes(target));
    const longest = below.map((target) => chains.get(target)).sort((a, b) => b.length - a.length)[0] ?? [];
    for (const name of group) chains.set(name, [...longest, name]);
  }
  return [...chains.values()].sort((a, b) => b.length - a.length)[0] ?? [];
}

function fullFolders() {
  return [...folders]
    .filter(([, files]) => files.length > FULL_FOLDER)
    .map(([folder, files]) => `${folder}: ${files.length} files`);
}

function splinters() {
  return names.flatMap((name) => {
    const { lines } = sources.get(name);
    const importers = importersOf.get(name) ?? [];
    if (lines >= SMALL_FILE || importers.length !== 1) return [];
    const [importer] = importers;
    return TABLES.includes(importer.name) ? [] : [`${name}: ${lines} lines, only for ${importer.name}`];
  });
}

function ambiguousNames() {
  const places = Map.groupBy(
    names.flatMap((file) => sources.get(file).exports.map((name) => ({ name, file }))),
    ({ name }) => name,
  );
  return [...places]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `${name}: ${files.map(({ file }) => file).join(", ")}`);
}

function printTable() {
  const top = Map.groupBy(names, (name) =>
    name
      .split("/")
      .slice(0, 2)
      .join("/")
      .replace(/^src\/[^/]+\.ts$/, "src"),
  );
  const row = (folder, files) => {
    const sizes = files.map((name) => sources.get(name).lines).sort((a, b) => a - b);
    const largest = files.toSorted((a, b) => sources.get(b).lines - sources.get(a).lines)[0];
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const median = sizes[Math.floor(sizes.length / 2)];
    const fullest = Math.max(
      ...[...Map.groupBy(files, (name) => path.posix.dirname(name)).values()].map((all) => all.length),
    );
    return `| ${folder} | ${files.length} | ${total} | ${median} | ${fullest} | ${sizes.at(-1)} (${largest.replace(/^src\//, "")}) |`;
  };
  console.log("| folder | files | lines | median | fullest folder | largest file |\n|---|---:|---:|---:|---:|---|");
  for (const [folder, files] of [...top].sort(([a], [b]) => a.localeCompare(b))) console.log(row(folder, files));
  console.log(row("**all**", names));
}

const lines = names.reduce((sum, name) => sum + sources.get(name).lines, 0);
const chain = longestChain();
const few = [...folders].filter(([, files]) => files.length < 7 || files.length > 20).length;
console.log(
  `${names.length} source files, ${lines} lines; ${few} of ${folders.size} folders have fewer than 7 or more than 20 files`,
);
if (values.table) printTable();
const found = {
  "imports across layers": forbiddenImports(sources),
  "import cycles": cycles(),
  "layers of src/vscode": chain,
  [`folders with more than ${FULL_FOLDER} files`]: fullFolders(),
  [`files under ${SMALL_FILE} lines with a single importer`]: splinters(),
  "exported names with several meanings": ambiguousNames(),
};
if (!checkCeilings("structure", found, values)) process.exitCode = 1;
