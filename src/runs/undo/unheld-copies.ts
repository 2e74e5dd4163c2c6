import { lstat } from "node:fs/promises";
import type { SeenFile } from "../../core/ports/folder-watch.ts";
import { readFileBytes } from "../../disk/plain-file.ts";
import { formatContentStamp } from "../../disk/stamp.ts";
import { mapInParallel } from "./in-parallel.ts";
import type { HeldContent } from "./journal.ts";

/** A larger file isn't copied before each program that might change it. */
const MOST_FILE_BYTES = 2_000_000;
const MOST_BYTES = 20_000_000;
/** Time for copies before one program. The rest is copied before the next. */
const MOST_MS = 200;
const AT_ONCE = 16;

/**
 * Copies of files whose content is stored nowhere else: the user's uncommitted work. They are in memory, so that files that no program
 * changes leave nothing on the disk.
 */
export class UnheldCopies {
  private copies = new Map<string, { readonly seen: string; readonly content: HeldContent }>();
  private bytes = 0;

  /** Copies files that have changed since they were copied, as far as time and space allow. Others are forgotten. */
  async update(files: readonly SeenFile[]): Promise<void> {
    const end = performance.now() + MOST_MS;
    const known = this.copies;
    this.copies = new Map();
    this.bytes = 0;
    const fresh: SeenFile[] = [];
    for (const file of files) {
      const copy = known.get(file.path);
      if (copy?.seen === file.seen) this.add(file, copy.content);
      else fresh.push(file);
    }
    for (let start = 0; start < fresh.length && performance.now() < end; start += AT_ONCE)
      await mapInParallel(fresh.slice(start, start + AT_ONCE), (file) => this.copy(file));
  }

  /** The content that a file had when it looked like this. */
  get(path: string, seen: string | undefined): HeldContent | undefined {
    const copy = this.copies.get(path);
    return copy?.seen === seen ? copy?.content : undefined;
  }

  private async copy(file: SeenFile): Promise<void> {
    const bytes = Number(file.seen.split(" ")[0]);
    if (bytes > MOST_FILE_BYTES || this.bytes + bytes > MOST_BYTES) return;
    const [stats, content] = await Promise.all([
      lstat(file.path).catch(() => undefined),
      readFileBytes(file.path).catch(() => undefined),
    ]);
    // A copy that was made while the file changed is neither its old content nor its new one.
    if (stats && content?.length === bytes && (await hasSameStamp(file.path, file.seen)))
      this.add(file, { bytes: content, mode: stats.mode & 0o777 });
  }

  private add({ path, seen }: SeenFile, content: HeldContent): void {
    if (this.bytes + content.bytes.length > MOST_BYTES) return;
    this.bytes += content.bytes.length;
    this.copies.set(path, { seen, content });
  }
}

/** True if a file still looks as it was seen. */
export async function hasSameStamp(path: string, seen: string | undefined): Promise<boolean> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  if (!stats?.isFile() || seen === undefined) return (stats === undefined) === (seen === undefined);
  return `${seen} `.startsWith(`${formatContentStamp(stats)} `);
}
