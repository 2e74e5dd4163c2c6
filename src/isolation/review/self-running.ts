import { isObject, tryJson } from "../../core/base/json.ts";
import { COMPOSER_EVENT, DEPENDENCIES, LIFECYCLE } from "./manifests.ts";

/** Finds the parts of an ordinary file that run without being requested, or that decide what runs. */
interface SelfRunning {
  /** Matches the file's name in lower case. */
  readonly name: RegExp;
  listParts(text: string): readonly string[] | undefined;
}

/** Finds lines that match a pattern, and strips their whitespace. */
function createLineMatcher(pattern: RegExp): SelfRunning["listParts"] {
  return (text) => text.split(/\r\n|\r|\n/).flatMap((line) => (pattern.test(line) ? [line.replace(/\s+/g, "")] : []));
}

/** Finds tables of a TOML file, and single lines, that match a pattern. */
function createTomlMatcher(table: RegExp, line: RegExp): SelfRunning["listParts"] {
  return (text) => {
    let isMeant = false;
    return text.split(/\r\n|\r|\n/).flatMap((one) => {
      const plain = one.replace(/["'\s]/g, "");
      if (plain.startsWith("[")) isMeant = table.test(plain);
      return (isMeant && plain !== "" && !plain.startsWith("#")) || line.test(plain) ? [plain] : [];
    });
  };
}

/** Elements of an XML file. */
function createElementMatcher(pattern: RegExp): SelfRunning["listParts"] {
  return (text) => (text.match(pattern) ?? []).map((element) => element.replace(/\s+/g, ""));
}

/** Scripts that run along with another one. */
const ALONG = /^(?:pre|post)(.+)$/;
const HOOKED = [
  "husky",
  "simple-git-hooks",
  "lint-staged",
  "nano-staged",
  "pre-commit",
  "pre-push",
  "gitHooks",
  "ghooks",
  "trustedDependencies",
  "allowScripts",
  "lavamoat",
  "packageManager",
  "gypfile",
  "publishConfig",
  "pnpm",
];
/** A dependency that comes from elsewhere than the registry. */
const ELSEWHERE =
  /^(?:git|https?:|ssh:|file:|link:|portal:|patch:|exec:|npm:|github:|gitlab:|[\w.-]+\/[\w.-]+(?:#|$))/i;

/** Tools with settings that may name modules to load. */
const TOOLS = /^(?:prettier|eslintConfig|babel|jest|mocha|ava|stylelint|commitlint|release|nyc|c8|postcss)$/;
const LOADING = /\.{1,2}\/|require|import|plugin|extends|loader|parser|reporter|transform|setup|preset|runner|hook/i;

function listPackageParts(text: string): readonly string[] | undefined {
  const found = tryJson(text.replace(/^\ufeff/, ""));
  if (!isObject(found)) return undefined;
  const scripts = isObject(found.scripts) ? found.scripts : {};
  const pick = (from: unknown, isMeant: (key: string, value: unknown) => boolean): readonly string[] =>
    Object.entries(isObject(from) ? from : {}).flatMap(([key, value]) =>
      isMeant(key, value) ? [JSON.stringify([key, value])] : [],
    );
  return [
    ...pick(scripts, (key) => LIFECYCLE.test(key) || isAlong(key, scripts)),
    ...pick(found, (key) => HOOKED.includes(key)),
    ...pick(found, (key, value) => TOOLS.test(key) && LOADING.test(JSON.stringify(value))),
    ...Object.keys(found)
      .filter((key) => DEPENDENCIES.test(key))
      .flatMap((key) => pick(found[key], (_name, value) => typeof value === "string" && ELSEWHERE.test(value))),
  ];
}

function isAlong(script: string, scripts: Readonly<Record<string, unknown>>): boolean {
  const [, other] = ALONG.exec(script) ?? [];
  return other !== undefined && Object.hasOwn(scripts, other);
}

function listComposerParts(text: string): readonly string[] | undefined {
  const found = tryJson(text);
  if (!isObject(found)) return undefined;
  const { scripts, config, repositories, autoload } = found;
  const events = Object.entries(isObject(scripts) ? scripts : {}).filter(([key]) => COMPOSER_EVENT.test(key));
  const plugins = isObject(config) ? config["allow-plugins"] : undefined;
  const files = isObject(autoload) ? autoload.files : undefined;
  return [...events, repositories, plugins, files].flatMap((one) => JSON.stringify(one) ?? []);
}

/** Hosts from which a lock file downloads. */
function listDownloadHosts(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:https?|git|ssh)[\w+]*:\/\/[^/\s"']+/g)].map(([address]) => address);
}

const SELF_RUNNING: readonly SelfRunning[] = [
  { name: /^package\.json$/, listParts: listPackageParts },
  { name: /^composer\.json$/, listParts: listComposerParts },
  {
    name: /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|composer\.lock|cargo\.lock|poetry\.lock|uv\.lock|pipfile\.lock|gemfile\.lock)$/,
    listParts: listDownloadHosts,
  },
  {
    name: /^pyproject\.toml$/,
    listParts: createTomlMatcher(
      /^\[+(?:build-system|tool\.(?:hatch\.(?:build|metadata)\.hooks|pdm\.build|poetry\.build|setuptools\.(?:cmdclass|ext-modules)|cibuildwheel|uv\.sources|uv\.index|poetry\.source)|project\.entry-points\.pytest11)/,
      /build-(?:system|backend)|backend-path|cmdclass|^(?:addopts|pythonpath|plugins|init-hook|load-plugins)=|(?:^|[^\w])(?:git\+|https?:\/\/)/,
    ),
  },
  {
    name: /^cargo\.toml$/,
    listParts: createTomlMatcher(
      /^\[+(?:patch|replace)/,
      /^(?:package\.)?build=|[{,](?:git|path|registry)=|^(?:git|path|registry)=/,
    ),
  },
  {
    name: /^requirements.*\.txt$|^constraints.*\.txt$/,
    listParts: createLineMatcher(/^\s*-|git\+|https?:\/\/|file:|^\s*[./]/),
  },
  {
    name: /^(?:makefile|.*\.mk|makefile\..*)$/,
    listParts: createLineMatcher(
      /\$[({]\s*(?:shell|eval|file|guile)\b|^[^\t#]*!=|^\s*[-s]?include\b|^\s*-?load\b|^(?!\t).*\b(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKE|BASH_ENV|ENV|PATH|LD_\w+|NODE_OPTIONS|PYTHON\w+|GIT_\w+)\s*[:?+]*=|\.DEFAULT_GOAL/,
    ),
  },
  {
    name: /^(?:.*\.gemspec|gemfile|rakefile|podfile|mix\.exs|package\.swift|build\.sbt|.*\.gradle|.*\.gradle\.kts|cmakelists\.txt|.*\.cmake|meson\.build)$/,
    listParts: createLineMatcher(
      /extensions|[`]|%x|\b(?:system|exec|spawn|fork|eval|popen|require|load|source|plugin|plugins|apply|url|uri|git|path|maven|repositories|process|runtime|cmd|code|port|file|io|kernel|include|fetchcontent\w*|externalproject\w*|execute_process|add_custom_\w+|run_command|init|getenv|env)\b|\.!|\.execute|Process/i,
    ),
  },
  {
    name: /^pom\.xml$/,
    listParts: createElementMatcher(
      /<(build|reporting|repositories|pluginRepositories|profiles|parent|distributionManagement)\b[\s\S]*?<\/\1>/g,
    ),
  },
  {
    name: /\.(?:cs|fs|vb|vcx|js|pro|sql)proj$|\.(?:props|targets)$/,
    listParts: createElementMatcher(
      /<(?:Target|Exec|UsingTask|Import|Sdk|Pre\w+Event|Post\w+Event|Analyzer|Compiler\w*|CodeTaskFactory|Task)\b[^>]*>[^<]*|InitialTargets="[^"]*"/gi,
    ),
  },
  {
    name: /^(?:dockerfile.*|.*\.dockerfile|containerfile.*)$/,
    listParts: createLineMatcher(/^\s*#\s*(?:syntax|check)\s*=|--(?:security|network|mount)\b/i),
  },
  {
    name: /^(?:docker-)?compose.*\.ya?ml$/,
    listParts: createLineMatcher(
      /privileged|docker\.sock|cap_add|security_opt|devices|network_mode|\bpid:|\bipc:|userns|env_file|extends|include|^\s*-\s*["']?(?:\/|~|\.\.|\$\{?HOME)|source:\s*(?:\/|~|\.\.)/,
    ),
  },
  { name: /^(?:tsconfig.*|jsconfig.*)\.json$/, listParts: createLineMatcher(/plugins|transform|"name"\s*:/) },
  {
    name: /^\.(?:eslintrc|prettierrc|babelrc|mocharc|stylelintrc|swcrc|nycrc|c8rc|releaserc|commitlintrc|postcssrc)(?:\.\w+)?$|^\.(?:rubocop|solargraph)\w*\.ya?ml$/,
    listParts: createLineMatcher(LOADING),
  },
  {
    name: /^(?:\.?pylintrc|\.flake8|\.?mypy\.ini|pytest\.ini|setup\.cfg|\.coveragerc|phpunit\.xml.*|phpstan.*\.neon.*)$/,
    listParts: createLineMatcher(/hook|plugin|path|addopts|cmdclass|bootstrap|extension|command/i),
  },
  { name: /^go\.(?:mod|work)$/, listParts: createLineMatcher(/replace|=>|^\s*toolchain|^\s*tool\b/) },
  {
    name: /^gradle\.properties$/,
    listParts: createLineMatcher(/jvmargs|java\.home|init|systemProp|distributionUrl/i),
  },
];

/** True if a change adds parts to an ordinary file that run without being requested, or that decide what runs. */
export function isSelfRunningChange(file: string, before: string | undefined, after: string): boolean {
  const name = (file.split("/").at(-1) ?? "").toLowerCase();
  const { listParts } = SELF_RUNNING.find((one) => one.name.test(name)) ?? {};
  if (!listParts) return false;
  const added = listParts(after);
  if (!added) return true;
  const known = new Set(before === undefined ? [] : listParts(before));
  return added.some((part) => !known.has(part));
}
