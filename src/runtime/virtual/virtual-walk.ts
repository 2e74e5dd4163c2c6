import { resolveUri } from "../../core/base/uri-path.ts";
import type { VirtualFiles, VirtualKind } from "../../core/ports/virtual-files.ts";
import { type IgnoreRules, ignoreFilesAbove, ignoreRules } from "../../node/files/ignore-rules.ts";
import { HIDDEN } from "../../node/search/walk.ts";

/** Concurrent calls to a provider: each is slow, and many providers use a network. */
const AT_ONCE = 12;

/** Maximum entries of one folder. */
const MOST_ENTRIES = 20_000;

/** An entry found on a walk. */
export interface VirtualEntry {
  /** Path relative to the workspace folder; a folder's ends with `/`. */
  readonly relative: string;
  readonly kind: VirtualKind;
}

/** The ignore rules of a virtual folder. */
export interface VirtualIgnoreRules extends IgnoreRules {
  /** Reads all ignore files that may apply to a path, in parallel. */
  readAbove(path: string): Promise<void>;
  /** The names in a folder (with its final `/`, or ""), so that missing ignore files aren't asked for. */
  rememberNames(folder: string, names: ReadonlySet<string>): void;
}

/** The rules of the ignore files in a virtual folder. */
export function createVirtualIgnoreRules(root: string, files: VirtualFiles): VirtualIgnoreRules {
  const texts = new Map<string, Promise<string | undefined>>();
  const known = new Map<string, ReadonlySet<string>>();
  const isMissing = (file: string): boolean => {
    const end = file.lastIndexOf("/") + 1;
    return known.get(file.slice(0, end))?.has(file.slice(end)) === false;
  };
  const read = (file: string): Promise<string | undefined> => {
    if (isMissing(file)) return Promise.resolve(undefined);
    const text = texts.get(file) ?? readTextFile(resolveUri(root, file), files);
    texts.set(file, text);
    return text;
  };
  return {
    ...ignoreRules(root, read),
    readAbove: async (path) => void (await Promise.allSettled(ignoreFilesAbove(path).map(read))),
    rememberNames: (folder, names) => void known.set(folder, names),
  };
}

async function readTextFile(path: string, files: VirtualFiles): Promise<string | undefined> {
  const found = await files.stat(path);
  if (!found) return undefined;
  if (found.kind !== "file") throw new Error(`${path} isn't a file.`);
  return new TextDecoder().decode(await files.read(path));
}

/** Where a walk starts. */
export interface VirtualStart {
  /** The workspace folder. */
  readonly root: string;
  /** The folder to start in, relative to `root`, with a final `/`; `""` for the workspace folder itself. */
  readonly relative: string;
}

/**
 * Everything below a folder, level by level, ordered by name, without ignored files. Links are included but not followed. Reads several
 * folders ahead. Calls `ignoredOne` for each ignored entry.
 */
export async function* walkVirtualFolder(
  { root, relative: start }: VirtualStart,
  files: VirtualFiles,
  signal: AbortSignal,
  ignoredOne: () => void = () => undefined,
): AsyncGenerator<VirtualEntry, undefined> {
  const rules = createVirtualIgnoreRules(root, files);
  await rules.readAbove(`${start}x`);
  const isIgnoredStart = start !== "" && (await rules.matchWithParents(start)) === "git";
  const folders = [start];
  const list = (folder: string) =>
    files.listEntries(resolveUri(root, folder)).catch((error: unknown) => {
      if (folder === start) throw error;
      return [];
    });
  for await (const [folder, entries] of mapAhead(iterateGrowingList(folders), list)) {
    signal.throwIfAborted();
    rules.rememberNames(folder, new Set(entries.map(({ name }) => name)));
    const shown = entries.filter(({ name }) => isName(name) && !HIDDEN.has(name)).slice(0, MOST_ENTRIES);
    for (const { name, kind } of shown.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const relative = `${folder}${name}${kind === "folder" ? "/" : ""}`;
      const ignored = await rules.matchPath(relative);
      if (ignored === "agent" || (ignored === "git" && !isIgnoredStart)) {
        ignoredOne();
        continue;
      }
      if (kind === "folder") folders.push(relative);
      yield { relative, kind };
    }
  }
  return undefined;
}

/** False for a name that no entry can have, regardless of the provider. */
function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/");
}

/** Iterates over a list that grows meanwhile. The iterator can continue after reaching the end. */
function iterateGrowingList<T>(items: readonly T[]): Pick<AsyncIterator<T, undefined>, "next" | "return"> {
  let index = 0;
  return {
    next: async () => {
      const [value] = items.slice(index, index + 1);
      if (value === undefined) return { done: true, value: undefined };
      index += 1;
      return { done: false, value };
    },
  };
}

/** Maps several items at a time, and yields the results in order. */
export async function* mapAhead<T, R>(
  source: Pick<AsyncIterator<T, undefined>, "next" | "return">,
  act: (item: T) => Promise<R>,
): AsyncGenerator<readonly [T, R], undefined> {
  const begun: { readonly item: T; readonly result: Promise<R> }[] = [];
  const begin = async (): Promise<boolean> => {
    const next = await source.next();
    if (next.done) return false;
    const result = act(next.value);
    result.catch(() => undefined);
    begun.push({ item: next.value, result });
    return true;
  };
  try {
    for (;;) {
      while (begun.length < AT_ONCE && (await begin()));
      const first = begun.shift();
      if (!first) return undefined;
      yield [first.item, await first.result];
    }
  } finally {
    await source.return?.();
  }
}
