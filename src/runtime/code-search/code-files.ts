import { type BigIntStats, lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { TextEncoding } from "../../core/ports/workspace.ts";
import { sha256 } from "../../disk/sha256.ts";
import { runInFolder } from "../../node/files/held-folder.ts";
import { decodeTextForSearch } from "../../node/search/search-query.ts";
import { readSmallFile } from "../../node/search/walk.ts";
import { computeStamp } from "../../node/watch/file-stamps.ts";

/** Formats without text, or with text that isn't written by hand. */
const NO_CODE =
  /\.(?:png|jpe?g|gif|bmp|ico|icns|webp|avif|tiff?|psd|svg|mp[34]|wav|ogg|flac|avi|mov|mkv|webm|ttf|otf|woff2?|eot|pdf|docx?|xlsx?|pptx?|od[tsp]|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|exe|dll|so|dylib|a|o|obj|lib|pdb|wasm|pyc|pyo|bin|dat|db|sqlite3?|parquet|npy|npz|pkl|onnx|pt|safetensors|gguf|map|min\.(?:js|css|mjs)|lock|log|snap|pem|crt|der|vsix|ipynb)$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|npm-shrinkwrap\.json|go\.sum)$/i;
/** Data formats, which are searched by lines. Only small files, such as settings, are worth more. */
const DATA = /\.(?:jsonc?|jsonl|ndjson|geojson|ya?ml|csv|tsv|xml|txt|html?|css|scss|less|sql|po|properties|svg)$/i;

/** Limits on the size of a file. */
const MOST_CODE_BYTES = 1024 * 1024;
const MOST_DATA = 100 * 1024;
/** Code with longer lines on average was generated. */
const LONG_LINE = 300;
const SHORT_TEXT = 5000;

/** True if a file with this path is indexed. */
export function isCode(path: string): boolean {
  return !NO_CODE.test(path);
}

/** True if a file of this size is indexed. */
export function isSmall(path: string, bytes: number): boolean {
  return bytes > 0 && bytes <= (DATA.test(path) ? MOST_DATA : MOST_CODE_BYTES);
}

/** True for generated code, such as minified files. */
function isGenerated(text: string): boolean {
  if (text.length < SHORT_TEXT) return false;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return text.length / lines > LONG_LINE;
}

/** The stamp of a file; undefined if it's too large or not a file. */
export function readCodeStamp(root: string, relative: string): string | undefined {
  const stats = findFolderEntry(root, relative);
  return stats?.isFile() && isSmall(relative, Number(stats.size)) ? computeStamp(stats) : undefined;
}

/** Metadata of a folder's entry; undefined if it's missing or unreadable. */
export function findFolderEntry(root: string, relative: string): BigIntStats | undefined {
  try {
    return lstatSync(join(root, relative), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A file's text and the SHA-256 of its bytes. The text is "" if it's generated or missing. Undefined if the file can't be read. */
export async function readCode(
  root: string,
  relative: string,
  encoding: TextEncoding | undefined,
): Promise<{ readonly text: string; readonly hash: string } | undefined> {
  const path = join(root, relative);
  const bytes = await runInFolder(dirname(path), (at) => readSmallFile(at(basename(path)), MOST_CODE_BYTES)).catch(
    () => undefined,
  );
  if (!bytes || !isSmall(relative, bytes.length)) return undefined;
  const text = (await decodeTextForSearch(bytes, encoding).catch(() => undefined)) ?? "";
  return { text: isGenerated(text) ? "" : text, hash: sha256(bytes) };
}
