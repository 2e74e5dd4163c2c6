import { cutText } from "../../core/base/text.ts";
import { checkGlobSize, createPathGlobTest } from "../../node/search/glob.ts";

/** Limit on the globs of one file. */
const MOST_GLOBS = 100;
const MOST_PROBLEMS = 5;
const MAX_SHOWN = 80;

/** Globs that match every file. */
const EVERYTHING: ReadonlySet<string> = new Set(["*", "**", "**/*", "/**", "./**"]);

/** Parses the globs in a field: separated by commas outside braces, with or without a list's brackets. */
export function parseGlobs(text: string): readonly string[] {
  const inner = /^\[(.*)\]$/s.exec(text.trim())?.[1] ?? text;
  const globs: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= inner.length; index++) {
    const character = inner[index] ?? ",";
    if (character === "{") depth += 1;
    if (character === "}") depth = Math.max(0, depth - 1);
    if (character !== "," || (depth > 0 && index < inner.length)) continue;
    globs.push(stripGlobQuotes(inner.slice(start, index)));
    start = index + 1;
  }
  return [...new Set(globs.filter((glob) => glob !== ""))];
}

function stripGlobQuotes(text: string): string {
  return text
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2")
    .trim();
}

/** True if one of the globs matches every file. */
export function fitEverything(globs: readonly string[]): boolean {
  return globs.some((glob) => EVERYTHING.has(glob));
}

/** A test of paths relative to the workspace folder, and why some globs can't be used, each as a clause. */
export interface FileTest {
  isMatch(path: string): boolean;
  /** The globs that can be used. */
  readonly usable: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Creates a file test. As in VS Code, a glob matches a path or its end; a glob that begins with `/` matches from the folder on. Time is
 * bounded by the lengths of glob and path, because both come from repositories.
 */
export function createFileTest(globs: readonly string[]): FileTest {
  const usable: string[] = [];
  const problems: string[] = [];
  for (const glob of globs) {
    const problem = explainGlobProblem(glob, usable.length);
    if (problem === undefined) usable.push(glob);
    else if (problems.length < MOST_PROBLEMS) problems.push(problem);
  }
  const tests = usable.map((glob) => createPathGlobTest(expandGlob(glob)));
  return { isMatch: (path) => tests.some((fits) => fits(path)), usable, problems };
}

function explainGlobProblem(glob: string, count: number): string | undefined {
  const named = JSON.stringify(cutText(glob, MAX_SHOWN));
  if (glob.startsWith("!")) return `The glob ${named} excludes files, which isn't supported.`;
  const problem = checkGlobSize(expandGlob(glob));
  if (problem !== undefined) return `The glob ${named} ${problem}.`;
  return count === MOST_GLOBS ? `The glob ${named} is left out: there are more than ${MOST_GLOBS}.` : undefined;
}

/** Prefixes a glob with `**` if it fits anywhere. */
function expandGlob(glob: string): string {
  if (EVERYTHING.has(glob)) return "**";
  const plain = glob.replace(/^\.\//, "").replace(/\/+$/, "/**");
  return plain.startsWith("/") ? plain.slice(1) : `**/${plain}`;
}
