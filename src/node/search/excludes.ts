import type { IgnoreRules } from "../files/ignore-rules.ts";
import { checkGlobSize, createPathGlobTest } from "./glob.ts";

/** Globs of `files.exclude` or `search.exclude`, relative to the workspace folder. Globs with a condition are ignored. */
export type ExcludeSetting = Readonly<Record<string, unknown>>;

/** The settings of a workspace folder that exclude files. */
export interface ExcludeSettings {
  /** Applies to listings and searches. */
  readonly files: ExcludeSetting;
  /** Applies to searches and mentions. */
  readonly search: ExcludeSetting;
}

/** Files and folders that settings exclude. */
export interface Excludes {
  /** Whether a setting excludes the path itself; its parents aren't checked. `path` is relative, without a final `/`. */
  has(path: string): boolean;
  /** Names that are left out at any depth. */
  readonly names: readonly string[];
}

export const NO_EXCLUDES: Excludes = { has: () => false, names: [] };

/** Reads settings that exclude files. Globs that are too large are ignored. */
export function parseExcludes(...settings: readonly ExcludeSetting[]): Excludes {
  const globs = settings.flatMap((setting) => Object.keys(setting).filter((glob) => setting[glob] === true));
  const plain = globs.map((glob) => glob.replace(/\/$/, ""));
  const names = new Set(plain.flatMap((glob) => /^\*\*\/([\w. -]+)$/.exec(glob)?.[1] ?? []));
  const tests = plain
    .filter((glob) => !/^\*\*\/[\w. -]+$/.test(glob) && checkGlobSize(glob) === undefined)
    .map(createPathGlobTest);
  if (names.size === 0 && tests.length === 0) return NO_EXCLUDES;
  const has = (path: string) =>
    names.has(path.slice(path.lastIndexOf("/") + 1)) || tests.some((matches) => matches(path));
  return { has, names: [...names] };
}

/** Rules that treat excluded paths like paths that git ignores. */
export function addExcludes(rules: IgnoreRules, { has, names }: Excludes): IgnoreRules {
  if (names.length === 0 && has === NO_EXCLUDES.has) return rules;
  const findExclude = (path: string) => (has(path.replace(/\/$/, "")) ? "git" : undefined);
  return {
    ...rules,
    matchPath: async (path) => (await rules.matchPath(path)) ?? findExclude(path),
    loadMatcher: async (folder) => {
      const ignored = await rules.loadMatcher(folder);
      return (path) => ignored(path) ?? findExclude(path);
    },
    matchWithParents: async (path) => {
      const parts = path.replace(/\/$/, "").split("/");
      const above = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
      return (await rules.matchWithParents(path)) ?? above.map(findExclude).find((why) => why !== undefined);
    },
  };
}
