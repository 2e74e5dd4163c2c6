import { join } from "node:path";
import { isObject, tryJson } from "../../core/base/json.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { readPlainFile } from "../store/durable-file.ts";

/** A file that was examined. Its text was added to the memory unless it was skipped. */
export interface IngestedFile {
  readonly bytes: number;
  /** In milliseconds since 1970. */
  readonly modified: number;
  /** SHA-256 of its content. */
  readonly hash: string;
  /** The sizes used to split its text: piece length and overlap, as in `1600/160`. */
  readonly cut: string;
  /** The number of its pieces. */
  readonly pieces: number;
  readonly skipped?: SkipReason;
  /** More on why it was skipped, as a clause. */
  readonly why?: string;
}

const SKIP_REASONS = ["protected", "large", "binary", "unreadable", "empty", "link", "full"] as const;

/** Why a file isn't added. */
export type SkipReason = (typeof SKIP_REASONS)[number];

const FILE = "ingested.json";
const VERSION = 1;
/** Larger than the list of a full memory's files. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Lists the files that were added to a memory, by source. With it, unchanged files are skipped, and memories of deleted files are removed.
 * A damaged or foreign manifest only costs time.
 */
export class IngestManifest {
  readonly files: Map<string, IngestedFile>;
  private readonly path: string;
  private isChanged = false;

  private constructor(path: string, files: Map<string, IngestedFile>) {
    this.path = path;
    this.files = files;
  }

  /** Reads the manifest of a memory folder; unreadable entries are left out. */
  static async read(folder: string): Promise<IngestManifest> {
    const path = join(folder, FILE);
    const read = await readPlainFile(path, MAX_BYTES).catch(() => undefined);
    return new IngestManifest(path, parseIngestedFiles(read ? tryJson(read.bytes.toString("utf8")) : undefined));
  }

  set(source: string, file: IngestedFile): void {
    this.files.set(source, file);
    this.isChanged = true;
  }

  delete(source: string): void {
    if (this.files.delete(source)) this.isChanged = true;
  }

  /** Resolves once the manifest is on the disk. */
  async save(): Promise<void> {
    if (!this.isChanged) return;
    this.isChanged = false;
    const text = JSON.stringify({ version: VERSION, files: Object.fromEntries(this.files) });
    await replaceFile(this.path, text, { durable: true, private: true });
  }
}

function parseIngestedFiles(value: unknown): Map<string, IngestedFile> {
  const files = new Map<string, IngestedFile>();
  if (!isObject(value) || value.version !== VERSION || !isObject(value.files)) return files;
  for (const [source, entry] of Object.entries(value.files)) {
    const file = isObject(entry) ? readFile(entry) : undefined;
    if (file) files.set(source, file);
  }
  return files;
}

function readFile(entry: Readonly<Record<string, unknown>>): IngestedFile | undefined {
  const { bytes, modified, hash, cut, pieces, why } = entry;
  if (typeof bytes !== "number" || typeof modified !== "number" || typeof pieces !== "number") return undefined;
  if (typeof hash !== "string" || typeof cut !== "string") return undefined;
  const skipped = SKIP_REASONS.find((reason) => reason === entry.skipped);
  const reason = skipped ? { skipped, ...(typeof why === "string" ? { why } : {}) } : {};
  return { bytes, modified, hash, cut, pieces, ...reason };
}
