import { isObject, tryJson } from "../../core/base/json.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";

/** A file that defines how a project's tests are run. */
export interface Manifest {
  readonly place: ResolvedPath;
  readonly text: string;
}

/** Files of a folder by name; undefined for one that is missing or can't be read. */
export type ReadManifest = (name: string) => Promise<Manifest | undefined>;

/** How a project's tests are run. */
export interface TestScript {
  /** Name of the runner or package manager. */
  readonly runner: string;
  /** Its command line, or the module that Python runs. */
  readonly command: { readonly line: string } | { readonly pythonModule: string };
  /** Separates further arguments from the command line's own. */
  readonly separator?: string;
  /** The files that define it. */
  readonly manifests: readonly Manifest[];
  /** The manifest's own command line, which the command runs. */
  readonly script?: string;
}

type Found = Omit<TestScript, "runner"> & { readonly runner?: string };

/** One kind of project. */
interface Kind {
  readonly runner: string;
  find(read: ReadManifest): Promise<Found | undefined>;
}

/** Kinds of projects, in the order in which one is chosen. */
const KINDS: readonly Kind[] = [
  { runner: "npm", find: findPackageScript },
  { runner: "deno", find: (read) => findLineForManifest(read, "deno test", ["deno.json", "deno.jsonc"]) },
  { runner: "pytest", find: findPytestScript },
  { runner: "cargo", find: (read) => findLineForManifest(read, "cargo test", ["Cargo.toml"]) },
  { runner: "go", find: (read) => findLineForManifest(read, "go test ./...", ["go.mod"]) },
  { runner: "maven", find: (read) => findWrapperScript(read, "mvnw", "mvn", "-B test", ["pom.xml"]) },
  {
    runner: "gradle",
    find: (read) => findWrapperScript(read, "gradlew", "gradle", "test", ["build.gradle", "build.gradle.kts"]),
  },
  { runner: "rspec", find: (read) => findLineForManifest(read, "bundle exec rspec", [".rspec"]) },
  { runner: "composer", find: findComposerScript },
  {
    runner: "phpunit",
    find: (read) => findLineForManifest(read, "vendor/bin/phpunit", ["phpunit.xml", "phpunit.xml.dist"]),
  },
  { runner: "mix", find: (read) => findLineForManifest(read, "mix test", ["mix.exs"]) },
  { runner: "swift", find: (read) => findLineForManifest(read, "swift test", ["Package.swift"]) },
  { runner: "dart", find: (read) => findLineForManifest(read, "dart test", ["pubspec.yaml"]) },
  { runner: "make", find: makeTarget },
  { runner: "unittest", find: findUnittestScript },
];

/** The names of the runners that a call can choose. */
export const RUNNERS: readonly string[] = [...new Set(KINDS.map(({ runner }) => runner))];

/** Lists all ways of running tests that a folder's manifests define, the usual one first. */
export async function listTestScripts(read: ReadManifest): Promise<readonly TestScript[]> {
  const found = await Promise.all(
    KINDS.map(async ({ runner, find }) => {
      const script = await find(read);
      return script && { runner, ...script };
    }),
  );
  return found.filter((script) => script !== undefined);
}

/** Names of the files that define how tests are run, to search for in subfolders. */
export const MANIFEST_GLOB =
  "**/{package.json,pyproject.toml,pytest.ini,Cargo.toml,go.mod,pom.xml,build.gradle,build.gradle.kts,composer.json,mix.exs,Makefile}";

const LOCK_FILES = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
] as const;

/** The script that `npm init` writes when there are no tests. */
const NO_TESTS = /^echo .*no test specified/;

async function findPackageScript(read: ReadManifest): Promise<Found | undefined> {
  const manifest = await read("package.json");
  const script = findScript(manifest);
  if (!manifest || script === undefined || NO_TESTS.test(script)) return undefined;
  const runner = await determinePackageManager(manifest, read);
  const line = runner === "bun" ? "bun run test" : `${runner} test`;
  const watchless = findNoWatchFlag(script);
  return {
    command: { line: [line, ...(watchless ? [...getSeparatorArguments(runner), watchless] : [])].join(" ") },
    ...(runner === "npm" && !watchless ? { separator: "--" } : {}),
    manifests: [manifest],
    // npm runs these around it.
    script: [findScript(manifest, "pretest"), script, findScript(manifest, "posttest")]
      .filter((line) => line !== undefined)
      .join("\n"),
  };
}

/** npm passes on only the arguments after a separator. */
function getSeparatorArguments(runner: string): readonly string[] {
  return runner === "npm" ? ["--"] : [];
}

/** Finds the flag that makes a runner end by itself instead of watching for changes. */
function findNoWatchFlag(script: string): string | undefined {
  const [last = ""] = script.split(/&&|\|\||[;|]/).slice(-1);
  if (/\bvitest\b/.test(last) && !/\bvitest (?:run|related|bench|list)\b|--run\b|--watch=false|--no-watch/.test(last))
    return "--run";
  return /\bjest\b.*--watch(?:All)?(?![=\w])/.test(last) ? "--watchAll=false" : undefined;
}

async function determinePackageManager({ text }: Manifest, read: ReadManifest): Promise<string> {
  const manifest = tryJson(text);
  const named = isObject(manifest) ? manifest.packageManager : undefined;
  const own = typeof named === "string" ? /^(npm|pnpm|yarn|bun)@/.exec(named)?.[1] : undefined;
  if (own !== undefined) return own;
  for (const [file, runner] of LOCK_FILES) if (await read(file)) return runner;
  return "npm";
}

function findScript(manifest: Manifest | undefined, name = "test"): string | undefined {
  const json = manifest && tryJson(manifest.text);
  const scripts = isObject(json) ? json.scripts : undefined;
  const test = isObject(scripts) ? scripts[name] : undefined;
  const lines = (Array.isArray(test) ? test : [test]).filter((line) => typeof line === "string");
  return lines.length === 0 ? undefined : lines.join(" && ");
}

async function findComposerScript(read: ReadManifest): Promise<Found | undefined> {
  const manifest = await read("composer.json");
  const script = findScript(manifest);
  if (!manifest || script === undefined) return undefined;
  return { command: { line: "composer test" }, separator: "--", manifests: [manifest], script };
}

/** In the order in which make looks for them. */
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

async function makeTarget(read: ReadManifest): Promise<Found | undefined> {
  const files = await Promise.all(MAKEFILES.map(read));
  const manifest = files.find((file) => file !== undefined);
  const rules = [...`${manifest?.text ?? ""}\n`.matchAll(/^(test|check)[ \t]*:(?!=).*\n(?:\t.*\n?)*/gm)];
  const target = rules[0]?.[1];
  if (!manifest || target === undefined) return undefined;
  // Later rules add to earlier ones, or replace them; those before the colon run first.
  const own = rules.filter(([, name]) => name === target).map(([rule]) => rule.trim());
  return { command: { line: `make ${target}` }, manifests: [manifest], script: own.join("\n") };
}

const PYTHON_FILES = ["pytest.ini", "conftest.py", "tests/conftest.py", "tox.ini", "setup.cfg", "pyproject.toml"];
const NEEDED = ["requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements/dev.txt"];

async function findPytestScript(read: ReadManifest): Promise<Found | undefined> {
  const files = (await Promise.all([...PYTHON_FILES, ...NEEDED].map(read))).filter((file) => file !== undefined);
  const manifest = files.find(
    ({ place, text }) => /(?:^|\/)(?:pytest\.ini|conftest\.py)$/.test(place.label) || /\bpytest\b/.test(text),
  );
  return manifest && { command: { pythonModule: "pytest" }, manifests: [manifest] };
}

/** Python's own runner finds tests in a package. It's chosen if nothing names pytest. */
async function findUnittestScript(read: ReadManifest): Promise<Found | undefined> {
  if (await findPytestScript(read)) return undefined;
  const manifest = (await read("tests/__init__.py")) ?? (await read("test/__init__.py"));
  return manifest && { command: { pythonModule: "unittest" }, manifests: [manifest] };
}

async function findLineForManifest(
  read: ReadManifest,
  line: string,
  names: readonly string[],
): Promise<Found | undefined> {
  for (const name of names) {
    const manifest = await read(name);
    if (manifest) return { command: { line }, manifests: [manifest] };
  }
  return undefined;
}

async function findWrapperScript(
  read: ReadManifest,
  wrapper: string,
  program: string,
  args: string,
  names: readonly string[],
): Promise<Found | undefined> {
  const own = await read(wrapper);
  const found = await findLineForManifest(read, `${own ? `./${wrapper}` : program} ${args}`, names);
  return found && { ...found, manifests: [...found.manifests, ...(own ? [own] : [])] };
}
