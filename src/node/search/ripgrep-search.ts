import { basename, dirname, join } from "node:path";
import type { UnsavedText } from "../../core/ports/unsaved-texts.ts";
import type { SearchMatch, TextEncoding } from "../../core/ports/workspace.ts";
import { runInFolder } from "../files/held-folder.ts";
import { createYielder } from "../processes/event-loop.ts";
import { type CandidatePlace, findCandidates } from "./candidates.ts";
import { NO_RULES, writeRipgrepRules } from "./git-rules.ts";
import type { LineMatch } from "./line-matcher.ts";
import { hasPatternFailed } from "./ripgrep-lines.ts";
import {
  decodeForSearch,
  type FileSearchQuery,
  normalizeLineEnds,
  SEARCHED_BYTES,
  type SearchedText,
} from "./search-query.ts";
import { formatMatches, type MatchTexts, type Omissions } from "./search-results.ts";
import { readSmallFile, type WalkStart } from "./walk.ts";
import { WalkOrder } from "./walk-order.ts";

/** Files to read and to match at a time. */
const BATCH = 48;

/** After this time, a search with enough matches doesn't wait for ripgrep to check all other files. */
const LONG_MS = 3000;

/** A search below one folder. */
export interface FolderSearch {
  readonly start: WalkStart;
  /** Precedes each label. */
  readonly prefix: string;
  readonly query: FileSearchQuery;
  readonly omissions: Omissions;
  readonly match: MatchTexts;
  /** Unsaved texts by path relative to the workspace folder. */
  readonly unsaved: ReadonlyMap<string, UnsavedText>;
  /** Files that are too large to search may be among them. */
  readonly limitsSize: boolean;
  /** Names that settings leave out at any depth. */
  readonly excluded: readonly string[];
  /** Git's ignore files in the workspace folder, if they are listed. */
  readonly ignoreFiles?: readonly string[];
  /** Whether to search a file that ripgrep found. */
  shouldSearch(relative: string): Promise<boolean>;
  /** The encoding that the user has set for a file, or for the folder if `relative` is "". */
  findEncoding(relative: string): TextEncoding | undefined;
}

/**
 * Searches below a folder. Ripgrep only finds files that may match. Each file is then checked, read and matched by this code, so the
 * results are the same as a walk's. `most` limits the matches.
 */
export async function searchFolder(
  program: string,
  search: FolderSearch,
  most: number,
): Promise<{ readonly matches: readonly SearchMatch[]; readonly more: boolean }> {
  const files = new MatchedFiles(search, most);
  const { start, query } = search;
  const isIgnored = start.relative !== "" && (await start.rules.matchWithParents(start.relative)) === "git";
  const excluded = isIgnored ? [] : search.excluded;
  const { root, relative } = start;
  const rules = isIgnored
    ? NO_RULES
    : await writeRipgrepRules(program, root, relative, query.signal, search.ignoreFiles);
  const place = { root, relative, rules, excluded, limitsSize: search.limitsSize };
  await findAll(program, place, search, files).finally(rules.close);
  return files.collectMatches();
}

async function findAll(
  program: string,
  place: CandidatePlace,
  { query, unsaved, omissions, findEncoding, prefix }: FolderSearch,
  files: MatchedFiles,
): Promise<void> {
  const since = performance.now();
  const take = (paths: readonly string[]) => {
    for (const path of paths) files.addFile(path);
    return files.isEnough && performance.now() - since > LONG_MS ? "stop" : "go on";
  };
  for (const path of unsaved.keys()) files.addFile(path);
  const complaints = [...(await findCandidates(program, place, query, undefined, take))];
  const encoding = chooseSecondEncoding(query, findEncoding(""));
  if (encoding !== undefined) complaints.push(...(await findCandidates(program, place, query, encoding, take)));
  if (hasPatternFailed(complaints, query.pattern)) omissions.ended = true;
  for (const line of complaints) {
    const name = /^rg: (?:\.[\\/])?(.+): .*\(os error \d+\)$/.exec(line)?.[1];
    if (name !== undefined) omissions.unreadable.add(`${prefix}${name}`);
  }
}

/** The encoding for a second search, because ripgrep reads bytes as UTF-8. Undefined if that would find the same, or if it's impossible. */
function chooseSecondEncoding(
  { pattern, regex }: FileSearchQuery,
  wanted: TextEncoding | undefined,
): string | undefined {
  if (!wanted || wanted.encoding === "utf-8") return undefined;
  const isWide = wanted.encoding.startsWith("utf-16");
  if (!isWide && !regex && /^[\0-\x7f]*$/.test(pattern)) return undefined;
  try {
    // Ripgrep knows the same names.
    return new TextDecoder(wanted.encoding).encoding;
  } catch {
    return undefined;
  }
}

/** The files of a search that may match. Matching begins while other files are still being found. */
class MatchedFiles {
  private readonly search: FolderSearch;
  private readonly most: number;
  private readonly order = new WalkOrder();
  private readonly known = new Map<string, readonly LineMatch[]>();
  private queue: string[] = [];
  private early: Promise<void> | undefined;
  private earlyMatches = 0;

  constructor(search: FolderSearch, most: number) {
    this.search = search;
    this.most = most;
  }

  /** True if there are more matches than wanted. */
  get isEnough(): boolean {
    return this.earlyMatches > this.most;
  }

  addFile(relative: string): void {
    this.order.add(relative);
    if (this.isEnough || this.queue.length >= BATCH) return;
    this.queue.push(relative);
    this.early ??= this.matchEarly();
    this.early.catch(() => undefined);
  }

  /** All matches, in the order of a walk. */
  async collectMatches(): Promise<{ readonly matches: readonly SearchMatch[]; readonly more: boolean }> {
    await this.early;
    const { query, prefix, omissions } = this.search;
    const matches: SearchMatch[] = [];
    for await (const batch of this.order.iterateBatches(BATCH, query.signal)) {
      await this.matchAll(batch);
      for (const relative of batch) {
        if (!this.known.has(relative)) await this.matchAll([relative]);
        const found = formatMatches(`${prefix}${relative}`, this.known.get(relative) ?? []);
        const room = this.most - matches.length;
        matches.push(...found.slice(0, room));
        if (found.length > room) return { matches, more: true };
      }
      if (omissions.ended) break;
    }
    return { matches, more: false };
  }

  private async matchEarly(): Promise<void> {
    while (this.queue.length > 0 && !this.isEnough) {
      const batch = this.queue;
      this.queue = [];
      await this.matchAll(batch);
      for (const relative of batch) this.earlyMatches += this.known.get(relative)?.length ?? 0;
    }
    this.early = undefined;
  }

  /** Matches the files that weren't matched yet. */
  private async matchAll(batch: readonly string[]): Promise<void> {
    const { query, match, omissions, prefix } = this.search;
    const breathe = createYielder(query.signal);
    const read: ({ readonly relative: string } & SearchedText)[] = [];
    for (const relative of batch) {
      await breathe();
      if (this.known.has(relative)) continue;
      this.known.set(relative, []);
      const searched = (await this.search.shouldSearch(relative)) ? await this.readText(relative) : undefined;
      if (searched) read.push({ relative, ...searched });
    }
    if (read.length === 0 || omissions.ended) return;
    const texts = read.map(({ text }) => text);
    const found = await match(texts, this.most + 1);
    query.signal.throwIfAborted();
    if (!found) omissions.ended = true;
    for (const [index, { relative, isBinary }] of read.entries()) {
      const matches = found?.[index];
      if (isBinary && matches && matches.length > 0) omissions.binary.add(`${prefix}${relative}`);
      const lines = isBinary && matches ? [] : matches;
      if (lines) this.known.set(relative, lines);
      else if (found) this.known.delete(relative);
      if (lines && lines.length > 0) query.reportMatches?.(formatMatches(`${prefix}${relative}`, lines));
    }
  }

  private async readText(relative: string): Promise<SearchedText | undefined> {
    const { start, unsaved, omissions, prefix } = this.search;
    const edited = unsaved.get(relative);
    if (edited) return { text: normalizeLineEnds(edited.read().file), isBinary: false };
    const path = join(start.root, relative);
    const bytes = await runInFolder(dirname(path), (at) => readSmallFile(at(basename(path)), SEARCHED_BYTES)).catch(
      () => undefined,
    );
    if (!bytes) omissions.large.set(`${prefix}${relative}`, path);
    return bytes && decodeForSearch(bytes, this.search.findEncoding(relative));
  }
}
