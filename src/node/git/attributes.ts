import { basename, dirname, join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { readFileText } from "../../disk/plain-file.ts";
import { limitPatterns } from "../files/ignore-rules.ts";

/** Attributes with which git stores a file in another form than on the disk, even if both have the same size. */
const CONVERTS = /\s(?:filter=|working-tree-encoding=|ident(?:\s|$))/;

/** True for the real path of a file that git may store in another form than on the disk. */
export type IsConverted = (path: string) => boolean;

/** Reads attribute files: a `.gitattributes`, or a repository's `info/attributes`, whose patterns apply to its root. */
export async function loadConversionTest(
  files: readonly string[],
  repositories: readonly { readonly root: string; readonly gitFolder: string }[],
): Promise<IsConverted> {
  const below = files.map((file) => ({ file, folder: dirname(file) }));
  const own = repositories.map(({ root, gitFolder }) => ({
    file: join(gitFolder, "info", "attributes"),
    folder: root,
  }));
  const found = await Promise.all(
    [...below, ...own].map(async ({ file, folder }) => ({
      start: join(folder, "/"),
      patterns: parsePatterns(await readFileText(file).catch(() => "")),
    })),
  );
  const rules = found.flatMap(({ start, patterns }) => (patterns ? [{ start, patterns }] : []));
  return (path) =>
    rules.some(
      ({ start, patterns }) =>
        path.startsWith(start) && patterns.ignores(path.slice(start.length).replaceAll("\\", "/")),
    );
}

export function isAttributesFile(path: string): boolean {
  return basename(path) === ".gitattributes";
}

/** Parses patterns. Attributes may be unset in subfolders, and macros can contain them; then more files count as converted, never fewer. */
function parsePatterns(text: string): Ignore | undefined {
  const lines = text.split(/\r?\n/).filter((line) => CONVERTS.test(line));
  if (lines.length === 0) return undefined;
  const patterns = lines.map((line) => (/^\s*(?:\[attr\]|")/.test(line) ? "*" : (line.trim().split(/\s/)[0] ?? "*")));
  return ignore().add(limitPatterns(patterns.join("\n")));
}
