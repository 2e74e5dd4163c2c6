import { cutText } from "../core/base/text.ts";
import { fitsPathGlob, globProblem } from "../safety/paths/glob.ts";

/** Limit on the patterns of one file. */
const MOST_ALTERNATIVES = 100;
const MOST_PROBLEMS = 5;
const MAX_SHOWN = 80;

/** Globs that fit every file. */
const EVERYTHING: ReadonlySet<string> = new Set(["*", "**", "**/*", "/**", "./**"]);

/** The globs in a field: separated by commas that no braces enclose, in a list's brackets or not. */
export function globsIn(text: string): readonly string[] {
  const inner = /^\[(.*)\]$/s.exec(text.trim())?.[1] ?? text;
  const globs: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= inner.length; index++) {
    const character = inner[index] ?? ",";
    if (character === "{") depth += 1;
    if (character === "}") depth = Math.max(0, depth - 1);
    if (character !== "," || (depth > 0 && index < inner.length)) continue;
    globs.push(plainGlob(inner.slice(start, index)));
    start = index + 1;
  }
  return [...new Set(globs.filter((glob) => glob !== ""))];
}

function plainGlob(text: string): string {
  return text
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2")
    .trim();
}

/** True if one of the globs fits every file. */
export function fitEverything(globs: readonly string[]): boolean {
  return globs.some((glob) => EVERYTHING.has(glob));
}

/** A test of paths relative to the workspace folder, and why some globs can't be used, each as a clause. */
export interface FileTest {
  fits(path: string): boolean;
  /** The globs that can be used. */
  readonly usable: readonly string[];
  readonly problems: readonly string[];
}

/**
 * A path fits if one of the globs fits it, or the end of it, as in VS Code; a glob that begins with `/` fits from the folder on. `*`, `?`,
 * `**` and `{a,b}` have a meaning. Time is bounded by the lengths of glob and path, because both come from repositories.
 */
export function fileTest(globs: readonly string[]): FileTest {
  const patterns: (readonly string[])[] = [];
  const usable: string[] = [];
  const problems: string[] = [];
  for (const glob of globs) {
    const alternatives = EVERYTHING.has(glob) ? ["**"] : alternativesOf(glob);
    const problem = problemOf(glob, alternatives, patterns.length);
    if (problem === undefined) {
      usable.push(glob);
      patterns.push(...alternatives.map(namesIn));
    } else if (problems.length < MOST_PROBLEMS) problems.push(problem);
  }
  const fits = (path: string): boolean => {
    const names = path.split("/");
    return patterns.some((pattern) => fitsPathGlob(pattern, names));
  };
  return { fits, usable, problems };
}

function problemOf(glob: string, alternatives: readonly string[], count: number): string | undefined {
  const named = JSON.stringify(cutText(glob, MAX_SHOWN));
  if (glob.startsWith("!")) return `The glob ${named} excludes files, which isn't supported.`;
  const problem = globProblem(glob);
  if (problem !== undefined) return `The glob ${named} ${problem}.`;
  if (count + alternatives.length > MOST_ALTERNATIVES)
    return `The glob ${named} is left out: there are more than ${MOST_ALTERNATIVES} globs and alternatives.`;
  return undefined;
}

/** The names of a pattern, after `**` if it fits anywhere. */
function namesIn(glob: string): readonly string[] {
  const names = glob.replace(/^\.\//, "").replace(/\/+$/, "/**").split("/");
  return names[0] === "" ? names.slice(1) : ["**", ...names];
}

/** A glob without its outermost braces, once for each of their alternatives; more than the limit if there are too many. */
function alternativesOf(glob: string): readonly string[] {
  const found: string[] = [];
  const waiting = [glob];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const braces = /\{([^{}]*)\}/.exec(next);
    if (!braces) found.push(next);
    else
      for (const one of (braces[1] ?? "").split(",").toReversed())
        waiting.push(next.slice(0, braces.index) + one + next.slice(braces.index + braces[0].length));
    if (found.length + waiting.length > MOST_ALTERNATIVES) return [...found, ...waiting];
  }
  return found;
}
