import picomatch from "picomatch";
import { WorkspaceError } from "../../core/ports/workspace.ts";

const LONGEST_GLOB = 200;
const MOST_STARS = 3;
const MOST_LEVELS = 4;

/** True for a glob with so many wildcards that it could take very long to match. */
export function isSlowGlob(glob: string): boolean {
  const names = glob.split("/");
  return (
    glob.length > LONGEST_GLOB ||
    names.filter((name) => name.includes("**")).length > MOST_LEVELS ||
    names.some((name) => (name.replaceAll("**", "*").match(/\*/g)?.length ?? 0) > MOST_STARS)
  );
}

/**
 * A test of paths (with `/`) against a glob. A glob without `/` matches file names in any folder. Throws a
 * `WorkspaceError` for globs that could take very long to match.
 */
export function globTest(glob: string): (path: string) => boolean {
  const names = glob.split("/");
  if (isSlowGlob(glob))
    throw new WorkspaceError(
      `The glob "${glob.slice(0, LONGEST_GLOB)}" has too many wildcards. Use a simpler one, like "*.ts" or "src/**/*.test.ts".`,
    );
  const matches = picomatch(glob.replace(/^\.?\//, ""), {
    dot: true,
    noextglob: true,
    maxLength: LONGEST_GLOB,
  });
  if (names.length > 1) return (path) => matches(path);
  return (path) => matches(path.slice(path.lastIndexOf("/") + 1));
}
