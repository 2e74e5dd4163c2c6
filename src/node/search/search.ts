import { basename, dirname, join, sep } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { findUnsavedFileText, type UnsavedText } from "../../core/ports/unsaved-texts.ts";
import type { ResolvedPath, SearchMatch, TextEncoding, Workspace } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { readWholeFile } from "../files/file-version.ts";
import { runInFolder } from "../files/held-folder.ts";
import { GIT_IGNORE_FILE } from "../files/ignore-rules.ts";
import type { Root } from "../files/roots.ts";
import { type Excludes, NO_EXCLUDES } from "./excludes.ts";
import type { IndexedFolders } from "./file-index.ts";
import { createGlobTest } from "./glob.ts";
import { countOmittedEntries, type LeftOutBelow } from "./index-contents.ts";
import { addUnicodeForms, createRegexMatcher, createTextMatcher, type LineMatcher } from "./line-matcher.ts";
import { RipgrepFailure } from "./ripgrep.ts";
import { findLinesByRipgrep } from "./ripgrep-lines.ts";
import { searchFolder } from "./ripgrep-search.ts";
import type { SearchParts } from "./search-parts.ts";
import {
  ALL_LARGE_BYTES,
  decodeForSearch,
  demandOneLine,
  type FileSearchQuery,
  LARGE_BYTES,
  normalizeLineEnds,
  ONE_FILE_BYTES,
  SEARCHED_BYTES,
} from "./search-query.ts";
import {
  createOmissions,
  describeOmissions,
  formatMatches,
  type MatchTexts,
  type Omissions,
} from "./search-results.ts";
import { HIDDEN, readSmallFile, type WalkStart, walk, walkStarts } from "./walk.ts";

/** Finds the matching lines in one file, or in all files below a folder. */
export async function searchPlace(
  place: ResolvedPath,
  roots: readonly Root[],
  wanted: FileSearchQuery,
  parts: SearchParts,
): ReturnType<Workspace["search"]> {
  demandOneLine(wanted);
  const query = wanted.regex ? { ...wanted, pattern: addUnicodeForms(wanted.pattern) } : wanted;
  const program = await parts.files?.ripgrep();
  if (program === undefined) return new Search(query, parts).run(place, roots);
  try {
    return await new Search(query, parts, program).run(place, roots);
  } catch (error) {
    if (!(error instanceof RipgrepFailure)) throw error;
    return new Search(query, parts, undefined, error.message).run(place, roots);
  }
}

/** A search in progress, with ripgrep if `program` is given. */
class Search {
  private readonly matches: SearchMatch[] = [];
  private more = false;
  /** One file is searched. */
  private isAlone = false;
  private readonly omissions: Omissions;
  private readonly query: FileSearchQuery;
  private readonly parts: SearchParts;
  private readonly program: string | undefined;
  private readonly passes: (path: string) => boolean;
  /** Matches lines without ripgrep. */
  private readonly matcher: LineMatcher | undefined;

  constructor(query: FileSearchQuery, parts: SearchParts, program?: string, failure?: string) {
    this.query = query;
    this.parts = parts;
    this.program = program;
    this.passes = query.glob === undefined ? () => true : createGlobTest(query.glob);
    const { pattern, regex, signal } = query;
    if (!regex) this.matcher = createTextMatcher(pattern);
    else if (program === undefined) this.matcher = createRegexMatcher(pattern, signal);
    this.omissions = { ...createOmissions(), ...omitUndefined({ slow: failure }) };
  }

  async run(place: ResolvedPath, roots: readonly Root[]): ReturnType<Workspace["search"]> {
    try {
      if (place.kind === "file") await this.searchFile(place);
      for (const { start, prefix } of place.kind === "folder" ? this.listStarts(place, roots) : []) {
        await (this.program === undefined
          ? this.searchByWalking(start, prefix)
          : this.searchByRipgrep(this.program, start, prefix));
        if (this.more || this.omissions.ended) break;
      }
      if (place.kind === "folder") await this.searchLargeFiles();
    } finally {
      await this.matcher?.close();
    }
    const note = describeOmissions(this.omissions);
    return { matches: this.matches, more: this.more, ...omitUndefined({ note }) };
  }

  private listStarts(place: ResolvedPath, roots: readonly Root[]): ReturnType<typeof walkStarts> {
    return walkStarts(place, roots, (root) => this.getExcludes(root));
  }

  private findEncoding({ root }: WalkStart, relative: string): TextEncoding | undefined {
    return this.parts.files?.findEncoding(join(root, relative));
  }

  private getExcludes(root: string): Excludes {
    return this.parts.files?.getSearchExcludes(root) ?? NO_EXCLUDES;
  }

  private async searchFile(place: ResolvedPath): Promise<void> {
    const edited = findUnsavedFileText(this.parts.unsaved, place.path);
    this.isAlone = true;
    await this.searchText(place, edited ?? (() => readBytes(place)), place.encoding);
  }

  /** Searches the files that were too large to search with the others, within the limits. */
  private async searchLargeFiles(): Promise<void> {
    const { large } = this.omissions;
    let room = ALL_LARGE_BYTES;
    for (const [label, path] of [...large]) {
      if (this.more || this.omissions.ended) return;
      const bytes = await runInFolder(dirname(path), (at) =>
        readSmallFile(at(basename(path)), Math.min(room, LARGE_BYTES)),
      ).catch(() => undefined);
      if (!bytes) continue;
      room -= bytes.length;
      large.delete(label);
      await this.searchText({ label, path }, async () => bytes, this.parts.files?.findEncoding(path));
    }
  }

  /** Searches one text, and returns whether to continue the search. */
  private async searchText(
    { label, path }: Pick<ResolvedPath, "label" | "path">,
    source: UnsavedText | (() => Promise<Buffer | undefined>),
    encoding: TextEncoding | undefined,
  ): Promise<"go on" | "stop"> {
    const { query, omissions } = this;
    const bytes = typeof source === "function" ? await source() : undefined;
    if (typeof source === "function" && !bytes) omissions.large.set(label, path);
    const searched =
      typeof source === "function"
        ? bytes && (await decodeForSearch(bytes, encoding))
        : { text: normalizeLineEnds(source.read().file), isBinary: false };
    if (typeof source !== "function") omissions.unsaved += 1;
    if (!searched) return "go on";
    const { text, isBinary } = searched;
    if (isBinary) return this.searchBinary(label, text);
    const room = query.limit - this.matches.length;
    const found = await this.match([text], query.limit + 1);
    query.signal.throwIfAborted();
    if (!found) omissions.ended = true;
    const matches = formatMatches(label, found?.[0] ?? []);
    this.matches.push(...matches.slice(0, room));
    this.more = matches.length > room;
    if (room > 0 && matches.length > 0) query.reportMatches?.(matches.slice(0, room));
    return this.more || omissions.ended ? "stop" : "go on";
  }

  /** Adds a matching binary file's name. */
  private async searchBinary(label: string, text: string): Promise<"go on" | "stop"> {
    const found = await this.match([text], 1);
    this.query.signal.throwIfAborted();
    if (!found) this.omissions.ended = true;
    if ((found?.[0] ?? []).length > 0) this.omissions.binary.add(label);
    else if (this.isAlone) this.omissions.onlyBinary = label;
    return found ? "go on" : "stop";
  }

  private readonly match: MatchTexts = async (texts, most) => {
    const { query, program, matcher } = this;
    if (!matcher)
      return program === undefined ? [] : findLinesByRipgrep(program, query.pattern, texts, most, query.signal);
    const found = [];
    for (const text of texts) {
      const lines = await matcher.match(text, most);
      if (!lines) return undefined;
      found.push(lines);
    }
    return found;
  };

  private async searchByWalking(start: WalkStart, prefix: string): Promise<void> {
    const unsaved = await this.collectUnsavedTexts(start);
    this.omissions.ignored += await walk(start, this.query.signal, async ({ relative, kind, read }) => {
      if (kind !== "file" || !this.isIncluded(start, relative)) return "go on";
      if (this.parts.leftOut(relative)) {
        this.omissions.secret += 1;
        return "go on";
      }
      const edited = unsaved.get(relative);
      unsaved.delete(relative);
      return this.searchText(
        { label: `${prefix}${relative}`, path: join(start.root, relative) },
        edited ?? (() => read(SEARCHED_BYTES)),
        this.findEncoding(start, relative),
      );
    });
    if (this.more || this.omissions.ended) return;
    for (const [relative, edited] of unsaved)
      if ((await this.searchText({ label: `${prefix}${relative}`, path: edited.path }, edited, undefined)) === "stop")
        return;
  }

  private async searchByRipgrep(program: string, start: WalkStart, prefix: string): Promise<void> {
    const { query, omissions, match } = this;
    const unsaved = await this.collectUnsavedTexts(start);
    omissions.unsaved += unsaved.size;
    const isListed = this.parts.files?.isListed(start.root) === true;
    const counted = this.countOmittedEntries(start);
    // Ripgrep is a fifth slower if it has to look at sizes.
    const limitsSize = !isListed || (await counted)?.allLarge !== 0;
    const folders = isListed ? await this.parts.files?.loadFolders(start.root, query.signal) : undefined;
    const met = new Set<string>();
    const shouldSearch = (relative: string) => {
      if (this.parts.leftOut(relative)) met.add(relative);
      return this.shouldSearch(start, relative);
    };
    const { names } = this.getExcludes(start.root);
    const findEncoding = (relative: string) => this.findEncoding(start, relative);
    const search = {
      start,
      prefix,
      query,
      omissions,
      match,
      unsaved,
      shouldSearch,
      excluded: names,
      findEncoding,
      limitsSize,
      ...(folders ? { ignoreFiles: listIgnoreFiles(folders) } : {}),
    };
    const room = query.limit - this.matches.length;
    const { matches, more } = await searchFolder(program, search, room);
    const leftOut = await counted;
    omissions.secret += leftOut?.secret ?? met.size;
    for (const relative of leftOut?.large ?? [])
      if (await this.shouldSearch(start, relative))
        omissions.large.set(`${prefix}${relative}`, join(start.root, relative));
    omissions.ignored += leftOut?.ignored ?? 0;
    this.matches.push(...matches);
    this.more = more;
  }

  /** Counts the entries that a search leaves out; undefined if files aren't listed, as in an ignored folder. */
  private async countOmittedEntries({ root, relative, rules }: WalkStart): Promise<LeftOutBelow | undefined> {
    const { signal } = this.query;
    const isIncluded = (file: string) => this.passes(file.slice(relative.length)) || this.passes(file);
    const folders = await this.parts.files?.loadFolders(root, signal).catch(() => undefined);
    const isExcluded = relative !== "" && (await rules.matchWithParents(relative)) !== undefined;
    const excludes = isExcluded ? NO_EXCLUDES : this.getExcludes(root);
    return folders?.has(relative)
      ? countOmittedEntries(folders, relative, isIncluded, excludes, signal).catch(() => undefined)
      : undefined;
  }

  /** The unsaved texts that a walk from `start` would find on the disk, by relative path. */
  private async collectUnsavedTexts(start: WalkStart): Promise<Map<string, UnsavedText>> {
    const folder = join(start.root, start.relative).replace(/[\\/]$/, "");
    const found = new Map<string, UnsavedText>();
    for (const text of this.parts.unsaved?.listTextsBelow(folder) ?? []) {
      if (!isAtOrBelow(text.path, folder)) continue;
      const relative = text.path
        .slice(start.root.length + 1)
        .split(sep)
        .join("/");
      if (await this.shouldSearch(start, relative)) found.set(relative, text);
    }
    return found;
  }

  private isIncluded(start: WalkStart, relative: string): boolean {
    return this.passes(relative.slice(start.relative.length)) || this.passes(relative);
  }

  /** Whether a walk from `start` would search a file: globs, secrets and ignore files don't exclude it. */
  private async shouldSearch(start: WalkStart, relative: string): Promise<boolean> {
    const { relative: folder, rules } = start;
    const names = relative.slice(folder.length).split("/");
    if (!this.isIncluded(start, relative) || this.parts.leftOut(relative)) return false;
    if (names.some((name) => HIDDEN.has(name))) return false;
    const ignored = await rules.matchWithParents(relative);
    if (ignored !== "git") return ignored === undefined;
    return folder !== "" && (await rules.matchWithParents(folder)) === "git";
  }
}

function listIgnoreFiles(folders: IndexedFolders): readonly string[] {
  return [...folders]
    .filter(([, { names }]) => names.includes(GIT_IGNORE_FILE))
    .map(([folder]) => `${folder}${GIT_IGNORE_FILE}`);
}

async function readBytes({ path, bytes }: ResolvedPath): Promise<Buffer | undefined> {
  if (bytes > ONE_FILE_BYTES) return undefined;
  return (await runInFolder(dirname(path), (at) => readWholeFile(at(basename(path))))).bytes;
}
