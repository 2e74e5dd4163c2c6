import { isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import { isObject, tryJson } from "../../core/base/json.ts";
import { isAtOrBelow } from "../../disk/below.ts";

/** Paths that a program may load, and whether there may be more. */
export interface LoadedPaths {
  /** Paths that may be loaded, whether they exist or not. */
  readonly paths: readonly string[];
  /** Folders where a new module of any name would take precedence over another. */
  readonly searched: readonly string[];
  /** True if the program may load or start more than its text shows. */
  readonly isOpen: boolean;
}

const NOTHING: LoadedPaths = { paths: [], searched: [], isOpen: false };

/** Where module names are resolved. */
export interface ModulePlace {
  /** The workspace folder; the search doesn't go above it. */
  readonly folder: string;
  /** The text of a file, undefined if there is none. */
  readText(path: string): Promise<string | undefined>;
}

const SCRIPT_ENDINGS = ["", ".js", ".mjs", ".cjs", ".json", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".node"];
const INDEXES = SCRIPT_ENDINGS.slice(1).map((ending) => `index${ending}`);

/** Paths that Node, Deno and Bun may try for a file or folder name, including its package description. */
export async function listModuleFiles(path: string, { readText }: ModulePlace): Promise<readonly string[]> {
  const own = SCRIPT_ENDINGS.map((ending) => path + ending);
  const description = join(path, "package.json");
  const entries = parsePackageEntries((await readText(description)) ?? "").map((entry) => join(path, entry));
  const named = entries.flatMap((entry) => SCRIPT_ENDINGS.map((ending) => entry + ending));
  return [...own, description, ...named, ...INDEXES.map((name) => join(path, name))];
}

/** Entry points of a package that its description names. */
function parsePackageEntries(text: string): readonly string[] {
  const value = tryJson(text);
  if (!isObject(value)) return [];
  const { main, module, bin, exports } = value;
  return [main, module, bin, exports].flatMap(collectTexts);
}

function collectTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(collectTexts) : [];
}

const IMPORTS =
  /(?:\bimport\s*(?:type\s+)?(?:[\w*{}\s,$]{1,2000}?\bfrom\s*)?|\bexport\s*[\w*{}\s,$]{1,2000}?\bfrom\s*|\b(?:require(?:\.resolve)?|import)\s*\(\s*)(["'`])([^"'`$\n]{1,500})\1/g;

/** JavaScript constructs that load or start something known only at run time. */
const OPEN_SCRIPT =
  /\b(?:require(?:\.resolve)?|import)\s*\(\s*(?!["'`][^"'`$\n]*["'`]\s*[,)])|\bcreateRequire\b|\beval\s*\(|\bFunction\s*\(|\bchild_process\b|\bworker_threads\b|\bcluster\b|["'](?:node:)?(?:vm|module)["']|\bdlopen\b|\b_load\b|\b(?:execa|zx|cross-spawn|shelljs|jiti|tsx)\b|\bDeno\.Command\b|\bBun\.(?:spawn|\$)|\bWorker\s*\(|\bgetBuiltinModule\b|\bbinding\s*\(/;

/** Modules that a program in JavaScript or TypeScript loads. */
export async function findScriptImports(code: string, from: string, place: ModulePlace): Promise<LoadedPaths> {
  const names = [...code.matchAll(IMPORTS)].map(([, , name = ""]) => name);
  const found = await Promise.all(names.map((name) => resolveImport(name, from, place)));
  const descriptions = listFoldersUpward(from, place.folder).map((folder) => join(folder, "package.json"));
  return {
    paths: [...descriptions, ...found.flatMap(({ paths }) => paths)],
    searched: [],
    isOpen: OPEN_SCRIPT.test(code) || found.some(({ isOpen }) => isOpen),
  };
}

async function resolveImport(name: string, from: string, place: ModulePlace): Promise<LoadedPaths> {
  if (isBuiltin(name) || name.startsWith("data:")) return NOTHING;
  if (/^(?:\.{1,2}(?:\/|$)|\/|file:)/.test(name)) {
    const path = resolve(from, name.replace(/^file:(?:\/\/)?/, "").replace(/[?#].*$/, ""));
    return { ...NOTHING, paths: await listModuleFiles(path, place) };
  }
  if (!/^(?:@[\w.-]+\/)?[\w.-]+(?:\/[\w./-]+)?$/.test(name)) return { ...NOTHING, isOpen: true };
  const packageName = /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
  const folders = listFoldersUpward(from, place.folder).map((folder) => join(folder, "node_modules"));
  const paths = await Promise.all(
    folders.map(async (folder) => [
      ...(await listModuleFiles(join(folder, packageName), place)),
      ...(name === packageName ? [] : await listModuleFiles(join(folder, name), place)),
    ]),
  );
  return { ...NOTHING, paths: paths.flat() };
}

/** A folder and those above it, up to the workspace folder. */
export function listFoldersUpward(from: string, folder: string): readonly string[] {
  const folders: string[] = [];
  for (let at = from; isAtOrBelow(at, folder); at = dirname(at)) {
    folders.push(at);
    if (at === dirname(at)) break;
  }
  return folders;
}

const PYTHON_IMPORTS =
  /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^#\n]{1,1000})|import[ \t]+([\w., \t]{1,1000}))/gm;

/** Python constructs that load or start something known only at run time. */
const OPEN_PYTHON =
  /\b(?:importlib|__import__|runpy|imp|pkgutil|subprocess|multiprocessing|ctypes|cffi|pickle|marshal|shelve|pexpect|sh|plumbum)\b|\bsys\s*\.\s*(?:path|meta_path|modules)\b|\bos\s*\.\s*(?:system|popen|exec\w*|spawn\w*|posix_spawn\w*|startfile|environ\s*\[)|\bpty\s*\.\s*spawn|(?<![.\w])(?:eval|exec|execfile|compile)\s*\(|\bfrom[ \t]+os[ \t]+import\b|\bgetattr\s*\(\s*os\b/;

/** Modules that a Python program loads; `roots` are the folders in its module search path. */
export function findPythonImports(code: string, from: string, roots: readonly string[]): LoadedPaths {
  const paths: string[] = [];
  for (const [, base, names = "", list = ""] of code.matchAll(PYTHON_IMPORTS)) {
    if (base === undefined) {
      for (const name of list.split(",")) paths.push(...listPythonModuleFiles(name.trim().split(/\s/)[0] ?? "", roots));
      continue;
    }
    const dots = /^\.*/.exec(base)?.[0].length ?? 0;
    const places = dots === 0 ? roots : [resolve(from, "../".repeat(dots - 1) || ".")];
    const name = base.slice(dots);
    const members = names.replaceAll(/[()]/g, "").split(",");
    paths.push(...listPythonModuleFiles(name, places));
    for (const member of members) {
      const first = member.trim().split(/\s/)[0] ?? "";
      if (/^\w+$/.test(first)) paths.push(...listPythonModuleFiles(name === "" ? first : `${name}.${first}`, places));
    }
  }
  return { paths, searched: roots, isOpen: OPEN_PYTHON.test(code) };
}

/** Files of a dotted module name, including those of its parent packages. */
export function listPythonModuleFiles(name: string, roots: readonly string[]): readonly string[] {
  if (!/^\w+(?:\.\w+)*$/.test(name)) return [];
  const parts = name.split(".");
  return roots.flatMap((root) =>
    parts.flatMap((_part, at) => {
      const path = join(root, ...parts.slice(0, at + 1));
      return [`${path}.py`, join(path, "__init__.py"), join(path, "__main__.py")];
    }),
  );
}
