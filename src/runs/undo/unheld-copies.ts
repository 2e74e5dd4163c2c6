import { lstat } from "node:fs/promises";
import type { SeenFile } from "../../core/ports/folder-watch.ts";
import type { FileState } from "./file-state.ts";
import { inParallel } from "./in-parallel.ts";
import type { UndoJournal } from "./journal.ts";

/** A larger file isn't copied before each program that might change it. */
const MOST_FILE_BYTES = 2_000_000;
const MOST_BYTES = 50_000_000;
/** Time for copies before one program. The rest is copied before the next. */
const MOST_MS = 200;
const AT_ONCE = 16;

/** Copies of files whose content is kept nowhere else: the user's uncommitted work. */
export class UnheldCopies {
  private readonly journal: Pick<UndoJournal, "keep">;
  private readonly copies = new Map<string, { readonly seen: string; readonly is: FileState }>();
  private bytes = 0;

  constructor(journal: Pick<UndoJournal, "keep">) {
    this.journal = journal;
  }

  /** Copies files that have changed since they were copied, as far as time and space allow. */
  async add(files: readonly SeenFile[]): Promise<void> {
    const end = performance.now() + MOST_MS;
    const fresh = files.filter(({ path, seen }) => this.copies.get(path)?.seen !== seen);
    for (let start = 0; start < fresh.length && performance.now() < end; start += AT_ONCE)
      await inParallel(fresh.slice(start, start + AT_ONCE), (file) => this.copy(file));
  }

  /** The kept state of a file that looked like this. */
  get(path: string, seen: string | undefined): FileState | undefined {
    const copy = this.copies.get(path);
    return copy?.seen === seen ? copy?.is : undefined;
  }

  private async copy({ path, seen }: SeenFile): Promise<void> {
    const bytes = Number(seen.split(" ")[0]);
    if (bytes > MOST_FILE_BYTES || this.bytes + bytes > MOST_BYTES) return;
    this.bytes += bytes;
    const is = await this.journal.keep(path).catch(() => undefined);
    if (is?.kind === "file" && (await looksLike(path, seen))) this.copies.set(path, { seen, is });
  }
}

/** True if a file still looks as it was seen. */
export async function looksLike(path: string, seen: string | undefined): Promise<boolean> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  if (!stats?.isFile() || seen === undefined) return (stats === undefined) === (seen === undefined);
  return `${seen} `.startsWith(`${stats.size} ${stats.mtimeNs} ${stats.ino} `);
}
