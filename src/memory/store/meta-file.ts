import path from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { displayText } from "../../texts/display-text.ts";
import { type ConfirmWriting, DamagedFileError, readPlainFile } from "./durable-file.ts";
import { MemoryError } from "./memory-error.ts";

/** The contents of `meta.json`. */
export interface MemoryMetadata {
  readonly format: number;
  readonly embedder: string;
  /** Absent until the first vector. */
  readonly dimensions?: number;
}

/** The version of the folder layout that this program writes. */
export const FOLDER_FORMAT = 2;
const META_FILE = "meta.json";
/** The program's own files are far smaller, and parsing a large one would block the program. */
const MAX_META_BYTES = 64 * 1024;

/** Reads `meta.json`; undefined for a new memory. Throws `MemoryError` if a newer program wrote it. */
export async function readMeta(folder: string): Promise<MemoryMetadata | undefined> {
  const found = await readPlainFile(path.join(folder, META_FILE), MAX_META_BYTES).catch((error: unknown) => {
    if (error instanceof DamagedFileError) return undefined;
    throw error;
  });
  // A damaged one is rewritten, because every memory names its embedder itself.
  const value = found && tryJson(found.bytes.toString());
  if (typeof value !== "object" || !value || !("format" in value)) return undefined;
  if (typeof value.format !== "number" || value.format > FOLDER_FORMAT)
    throw new MemoryError(displayText("trouble.memoryFromNewerVersion"));
  const { format } = value;
  const embedder = "embedder" in value && typeof value.embedder === "string" ? value.embedder : "";
  const dimensions = "dimensions" in value ? Number(value.dimensions) : Number.NaN;
  return Number.isInteger(dimensions) && dimensions > 0 && dimensions <= 65536
    ? { format, embedder, dimensions }
    : { format, embedder };
}

export function writeMeta(folder: string, meta: MemoryMetadata, confirm: ConfirmWriting): Promise<void> {
  const text = `${JSON.stringify(meta, undefined, 2)}\n`;
  return replaceFile(path.join(folder, META_FILE), text, { durable: true, private: true, confirm });
}
