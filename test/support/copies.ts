import { mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { readBaseContents } from "../../src/isolation/copy/base-content.ts";
import type { Copy, CopyChange } from "../../src/isolation/copy/copy.ts";
import { listCopyChanges } from "../../src/isolation/copy/copy-changes.ts";
import { createCopy, type NewCopy } from "../../src/isolation/copy/create-copy.ts";

/** Copies folders to a place beside them, in `copies/run`. */
export async function copyOf(top: string, folders: readonly string[], more: Partial<NewCopy> = {}): Promise<Copy> {
  await mkdir(join(top, "copies"), { recursive: true });
  return createCopy({
    run: "run",
    home: join(top, "copies", "run"),
    folders: folders.map((path) => ({ name: basename(path), path })),
    lend: [],
    quotaBytes: 1e9,
    signal: new AbortController().signal,
    reportProgress: () => undefined,
    ...more,
  });
}

/** The contents of changed files when their copy was made, from git or from where they are kept. */
export async function baseTexts(changes: readonly CopyChange[]): Promise<ReadonlyMap<CopyChange, string>> {
  const found = new Map([...(await readBaseContents(changes))].map(([change, bytes]) => [change, String(bytes)]));
  for (const change of changes)
    if (change.base?.held && "kept" in change.base.held)
      found.set(change, await readFile(change.base.held.kept, "utf8"));
  return found;
}

/** The changes of a copy by their paths: what each was and is. */
export async function changesOf(copy: Copy): Promise<Readonly<Record<string, string>>> {
  const changes = await listCopyChanges(copy, new AbortController().signal);
  return Object.fromEntries(changes.map((change) => [change.file, wording(change)]));
}

function wording({ base, now }: CopyChange): string {
  return `${base?.kind ?? "none"} → ${now?.kind ?? "none"}`;
}
