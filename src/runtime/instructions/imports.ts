import { posix } from "node:path";

/** A file that instructions import as `@path`. */
interface Import {
  /** Relative to the workspace folder. */
  readonly path: string;
  /** It can't be in the workspace folder. */
  readonly isOutside: boolean;
}

const LONGEST_PATH = 300;

/** The files that a text of this file imports: `@` and a path at the beginning of a word, outside code. */
export function findImports(text: string, file: string): readonly Import[] {
  const found = new Map<string, Import>();
  for (const [, written = ""] of omitCode(text).matchAll(/(?:^|[\s(])@((?:[^\s\\@]|\\ )+)/g)) {
    const name = written.replaceAll("\\ ", " ").replace(/[.,;:!?)\]}'"*_]+$/, "");
    if (name === "" || name.length > LONGEST_PATH) continue;
    const path = posix.join(posix.dirname(file), name);
    const isOutside = /^(?:~|\/|[a-z]:)/i.test(name) || path === ".." || path.startsWith("../");
    found.set(name, { path: isOutside ? name : path, isOutside });
  }
  return [...found.values()];
}

/** Removes code blocks and code spans from a text. */
function omitCode(text: string): string {
  let fence: string | undefined;
  const lines = text.split("\n").filter((line) => {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) return fence === undefined;
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
    return false;
  });
  return lines.join("\n").replace(/`[^`\n]*`/g, "");
}
