import { isObject, tryJson } from "../../core/base/json.ts";

/** A line of a manifest that names a script, a dependency or a program. */
export interface ManifestLine {
  readonly text: string;
  /** It takes effect when the manifest is installed or built; otherwise once it is started. */
  readonly isInstalled: boolean;
}

/** How a kind of manifest names what is installed and started. */
interface Manifest {
  /** Matches the file's name in lower case. */
  readonly name: RegExp;
  /** Undefined if the manifest can't be read. */
  listLines(text: string): readonly ManifestLine[] | undefined;
}

/** Scripts that a package manager runs while it installs or publishes. */
export const LIFECYCLE =
  /^(?:(?:pre|post)?(?:install|uninstall|prepare|pack|publish|version|restart|shrinkwrap)|(?:pre|post)(?:start|stop|test)|prepublishOnly|dependencies)$/;
/** Tables of package.json and composer.json with dependencies. */
export const DEPENDENCIES = /^(?:dev|peer|optional|bundled?)?dependencies$|^(?:overrides|resolutions)$/i;
const REQUIRED = /^require(?:-dev)?$|^repositories$/;
/** Events at which Composer runs scripts by itself. */
export const COMPOSER_EVENT = /^(?:pre|post)-|^init$|\\/;

function createJsonLister(dependencies: RegExp, lifecycle: RegExp): Manifest["listLines"] {
  return (text) => {
    const found = tryJson(text.replace(/^\ufeff/, ""));
    if (!isObject(found)) return undefined;
    return Object.entries(found).flatMap(([section, entries]): readonly ManifestLine[] => {
      const isDependency = dependencies.test(section);
      if (section !== "scripts" && section !== "bin" && !isDependency) return [];
      return listEntries(section, entries).map(([key, value]) => ({
        text: `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
        isInstalled: isDependency || (section === "scripts" && lifecycle.test(key)),
      }));
    });
  };
}

function listEntries(section: string, value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [[section, value]];
}

/** Lists the lines of the tables that match, or of a whole file without tables, except for those that only describe. */
function createLineLister(plain: RegExp, table?: RegExp): Manifest["listLines"] {
  return (text) => {
    // Keys above the first table may belong to one by their dots.
    let isMeant = true;
    let listsPackages = false;
    return text.split(/\r\n|\r|\n/).flatMap((line) => {
      const shown = line.trim().replace(/\s+/g, " ");
      const isHeader = table !== undefined && shown.startsWith("[");
      if (isHeader) {
        isMeant = table.test(shown.replace(/["'\s]/g, ""));
        listsPackages = /dependenc|packages\]/i.test(shown);
      }
      // A package may have any name, also one that describes elsewhere.
      const isPlain = listsPackages ? shown.startsWith("#") : plain.test(shown);
      const isPart = isMeant && !isHeader && /\w/.test(shown) && !isPlain;
      return isPart ? [{ text: shown, isInstalled: true }] : [];
    });
  };
}

const DESCRIBES =
  /^#|^(?:version|name|description|summary|(?:long_)?description|authors?|maintainers?|license|license-files|readme|keywords|categories|classifiers|edition|homepage|repository|documentation|url)\s*=/i;

const MANIFESTS: readonly Manifest[] = [
  { name: /^package\.json$/, listLines: createJsonLister(DEPENDENCIES, LIFECYCLE) },
  { name: /^composer\.json$/, listLines: createJsonLister(REQUIRED, COMPOSER_EVENT) },
  {
    name: /^(?:pyproject\.toml|pipfile)$/,
    listLines: createLineLister(
      DESCRIBES,
      /^\[+(?:project\]|project\.(?:scripts|gui-scripts|entry-points|optional-dependencies)|build-system|dependency-groups|packages|dev-packages|source|tool\.(?:poetry|pdm|hatch|uv|setuptools|flit)\b)/,
    ),
  },
  { name: /^setup\.cfg$/, listLines: createLineLister(DESCRIBES, /^\[options/) },
  {
    name: /^cargo\.toml$/,
    listLines: createLineLister(
      DESCRIBES,
      /^\[+(?:package\]|workspace|target|bin|lib|features|patch|replace|(?:dev-|build-)?dependencies)/,
    ),
  },
  { name: /^(?:requirements.*|constraints.*)\.txt$/, listLines: createLineLister(/^#/) },
  { name: /^go\.mod$/, listLines: createLineLister(/^\/\/|^module\b|^(?:require|exclude|retract|replace) \($/) },
  { name: /^(?:gemfile|.*\.gemspec)$/, listLines: createLineLister(/^#|^\w+\.version\s*=/) },
  { name: /^build\.gradle(?:\.kts)?$/, listLines: createLineLister(/^\/\/|^\/?\*|^version\b/) },
  {
    name: /^pom\.xml$/,
    listLines: (text) =>
      listElements(text).map((element) => ({ text: element.replace(/\s+/g, " "), isInstalled: true })),
  },
];

/** The elements of a pom.xml that name what is installed. Takes time in proportion to the text, also if elements have no end. */
function listElements(text: string): readonly string[] {
  const found: string[] = [];
  const endless = new Set<string>();
  let from = 0;
  for (const { 0: start, 1: tag = "", index } of text.matchAll(/<(dependency|plugin|extension|parent)\b/g)) {
    if (index < from || endless.has(tag)) continue;
    const end = text.indexOf(`</${tag}>`, index + start.length);
    if (end === -1) endless.add(tag);
    else {
      from = end + tag.length + "</>".length;
      found.push(text.slice(index, from));
    }
  }
  return found;
}

/** The lines that a change adds to a manifest; undefined for another file, or for a manifest that can't be read. */
export function listAddedManifestLines(
  file: string,
  before: string | undefined,
  after: string,
): readonly ManifestLine[] | undefined {
  const name = (file.split("/").at(-1) ?? "").toLowerCase();
  const { listLines } = MANIFESTS.find((one) => one.name.test(name)) ?? {};
  const known = new Set((before === undefined ? [] : (listLines?.(before) ?? [])).map(({ text }) => text));
  return listLines?.(after)?.filter(({ text }) => !known.has(text));
}
