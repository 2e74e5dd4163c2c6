import { basename, join } from "node:path";
import { readFileText } from "../../disk/plain-file.ts";
import { loadConversionTest } from "../../node/git/attributes.ts";
import type { GitIndex } from "../../node/git/git-index.ts";
import type { Borrowed } from "./own-repository.ts";
import type { SourceTree } from "./source-tree.ts";

/** Attributes with which git changes a file's content on its way into the repository. */
const CONVERTS = /(?:^|\s)[-!]?(?:text|eol|crlf|ident|filter|working-tree-encoding)\b|\[attr\]/m;
const MOST_CHARACTERS = 400_000_000;

/** Creates a test for blobs whose size differs from the file on the disk, which rules out the same content. */
async function createSizeTest(
  { repository, git, settings }: Borrowed,
  attributes: readonly string[],
  index: GitIndex,
): Promise<(blob: string, bytes: number) => boolean> {
  const files = [...attributes, join(repository.gitFolder, "info", "attributes")];
  const texts = await Promise.all(files.map((file) => readFileText(file).catch(() => "")));
  const byDefault = ["true", "input"].includes(settings.get("core.autocrlf")?.toLowerCase() ?? "");
  if (!byDefault && !texts.some((text) => CONVERTS.test(text))) return () => false;
  const blobs = new Set([...(index.listNames() ?? [])].flatMap((name) => index.get(name)?.blob ?? []));
  const answer = await git(["cat-file", "--batch-check=%(objectname) %(objectsize)"], {
    input: [...blobs].map((blob) => `${blob}\n`).join(""),
    most: MOST_CHARACTERS,
  });
  const sizes = new Map<string, number>();
  if (answer.ok)
    for (const line of answer.text.split("\n")) {
      const [blob = "", bytes] = line.split(" ");
      if (/^\d+$/.test(bytes ?? "")) sizes.set(blob, Number(bytes));
    }
  return (blob, bytes) => sizes.get(blob) !== bytes;
}

/** Creates a test for files whose blobs differ in bytes from the file on the disk. */
export async function createConversionTest(
  tree: SourceTree,
  borrowing: Borrowed | undefined,
  files: readonly string[],
): Promise<(file: string, blob: string, bytes: number) => boolean> {
  if (!borrowing || !tree.index) return () => false;
  const attributes = files.filter((file) => basename(file) === ".gitattributes");
  const paths = attributes.map((file) => join(tree.root, file));
  const byRule = await loadConversionTest(paths, [borrowing.repository]);
  const bySize = await createSizeTest(borrowing, paths, tree.index);
  return (file, blob, bytes) => bySize(blob, bytes) || byRule(join(tree.root, file));
}
