import { omitUndefined } from "../../core/base/objects.ts";
import { resolveUri } from "../../core/base/uri-path.ts";
import { findUnsavedFileText, type UnsavedTexts } from "../../core/ports/unsaved-texts.ts";
import type { VirtualFiles } from "../../core/ports/virtual-files.ts";
import type { ResolvedPath, SearchMatch, Workspace } from "../../core/ports/workspace.ts";
import { findRootAround, getPathInRoot, type Root } from "../../node/files/roots.ts";
import type { FolderOutline, OutlineLimits } from "../../node/search/folder-outline.ts";
import { createGlobTest } from "../../node/search/glob.ts";
import { addUnicodeForms, createRegexMatcher, createTextMatcher } from "../../node/search/line-matcher.ts";
import {
  decodeTextForSearch,
  demandOneLine,
  LARGE_BYTES,
  normalizeLineEnds,
  SEARCHED_BYTES,
} from "../../node/search/search-query.ts";
import { createOmissions, describeOmissions, formatMatches } from "../../node/search/search-results.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import { createVirtualPaths, listVirtualRoots } from "./places.ts";
import { mapAhead, type VirtualEntry, walkVirtualFolder } from "./virtual-walk.ts";

/** The virtual folders that are listed and searched. */
export interface VirtualSearched {
  readonly files: VirtualFiles;
  readonly roots: readonly Root[];
  /** Texts in editors that aren't saved; they are searched in place of the files. */
  readonly unsaved?: UnsavedTexts | undefined;
  /** Files whose content isn't shown, by path relative to their workspace folder. */
  isLeftOut(relative: string): boolean;
}

/** Lists the entries below a folder, sorted by name. If there are more than the limit, the nearest levels have priority. */
export async function listVirtual(
  place: ResolvedPath,
  { files, roots }: Pick<VirtualSearched, "files" | "roots">,
  { glob, limit, signal }: Parameters<Workspace["list"]>[1],
): ReturnType<Workspace["list"]> {
  const passes = glob === undefined ? () => true : createGlobTest(glob);
  const labels: string[] = [];
  for (const { root, relative: start } of listWalkStarts(place, { files, roots }))
    for await (const { relative } of walkVirtualFolder({ root: root.path, relative: start }, files, signal)) {
      const plain = relative.replace(/\/$/, "");
      if (!passes(plain.slice(start.length)) && !passes(plain)) continue;
      if (labels.length >= limit) return { labels: labels.sort(), more: true };
      labels.push(`${root.prefix}${relative}`);
    }
  return { labels: labels.sort(), more: false };
}

/** Finds matching lines below a folder or in a file. Files are read several at a time. */
export async function searchVirtual(
  place: ResolvedPath,
  searched: VirtualSearched,
  { pattern, regex, glob, limit, signal, reportMatches }: Parameters<Workspace["search"]>[1],
): ReturnType<Workspace["search"]> {
  demandOneLine({ pattern, regex, limit, signal });
  const matcher = regex ? createRegexMatcher(addUnicodeForms(pattern), signal) : createTextMatcher(pattern);
  const passes = glob === undefined ? () => true : createGlobTest(glob);
  const matches: SearchMatch[] = [];
  const omitted = createOmissions();
  const largest = place.kind === "file" ? LARGE_BYTES : SEARCHED_BYTES;
  const candidates =
    place.kind === "file" ? yieldOnly(place) : walkFilesBelow(place, searched, passes, signal, omitted);
  let more = false;
  try {
    for await (const [{ label, path }, text] of mapAhead(candidates, (file) =>
      readSearchedText(file, searched, largest),
    )) {
      signal.throwIfAborted();
      if (text === "unread") omitted.large.set(label, path);
      if (text === "unread" || text.lines === undefined) continue;
      if (text.isUnsaved) omitted.unsaved += 1;
      const lines = await matcher.match(text.lines, limit + 1);
      signal.throwIfAborted();
      omitted.ended = lines === undefined;
      const shown = formatMatches(label, lines ?? []).slice(0, limit - matches.length);
      more = matches.length + (lines?.length ?? 0) > limit;
      matches.push(...shown);
      if (shown.length > 0) reportMatches?.(shown);
      if (more || omitted.ended) break;
    }
  } finally {
    await matcher.close();
  }
  const note = describeOmissions(omitted);
  return { matches, more, ...omitUndefined({ note }) };
}

interface Candidate {
  readonly path: string;
  readonly label: string;
}

async function* yieldOnly({ path, label }: ResolvedPath): AsyncGenerator<Candidate, undefined> {
  yield { path, label };
  return undefined;
}

async function* walkFilesBelow(
  place: ResolvedPath,
  searched: VirtualSearched,
  passes: (path: string) => boolean,
  signal: AbortSignal,
  omitted: { secret: number; ignored: number },
): AsyncGenerator<Candidate, undefined> {
  for (const { root, relative: start } of listWalkStarts(place, searched)) {
    const isWanted = ({ kind, relative }: VirtualEntry): boolean =>
      kind === "file" && (passes(relative.slice(start.length)) || passes(relative));
    const at = { root: root.path, relative: start };
    for await (const met of walkVirtualFolder(at, searched.files, signal, () => {
      omitted.ignored += 1;
    })) {
      if (!isWanted(met)) continue;
      if (searched.isLeftOut(met.relative)) omitted.secret += 1;
      else yield { path: resolveUri(root.path, met.relative), label: `${root.prefix}${met.relative}` };
    }
  }
  return undefined;
}

/** The starting points of walks below a folder. There are several if it represents all workspace folders. */
function listWalkStarts(
  place: ResolvedPath,
  { files, roots }: Pick<VirtualSearched, "files" | "roots">,
): readonly { readonly root: Root; readonly relative: string }[] {
  const paths = createVirtualPaths(files);
  if (place.label === "." && roots.length > 1) return roots.map((root) => ({ root, relative: "" }));
  const root = findRootAround(place.path, roots, paths);
  if (!root) return [];
  const below = getPathInRoot(place.path, root, paths);
  return [{ root, relative: below === "" ? "" : `${below}/` }];
}

/** A file's lines, ending with `\n`; undefined for a binary file. */
async function readSearchedText(
  { path }: Candidate,
  { files, unsaved }: VirtualSearched,
  largest: number,
): Promise<{ readonly lines: string | undefined; readonly isUnsaved: boolean } | "unread"> {
  const open = findUnsavedFileText(unsaved, path);
  if (open) return { lines: normalizeLineEnds(open.read().file), isUnsaved: true };
  try {
    const found = await files.stat(path);
    if (!found || found.bytes > largest) return "unread";
    return { lines: await decodeTextForSearch(Buffer.from(await files.read(path))), isUnsaved: false };
  } catch {
    return "unread";
  }
}

/** Lists files and folders of a virtual workspace without ignored ones and links, as far as the limits allow. */
export async function listVirtualOutline(
  folders: readonly WorkspaceFolder[],
  files: VirtualFiles,
  { names, milliseconds, isLeftOut }: OutlineLimits,
): Promise<FolderOutline> {
  const signal = AbortSignal.timeout(milliseconds);
  const labels: string[] = [];
  const unread = new Set<string>();
  for (const { path, prefix } of await listVirtualRoots(folders, files)) {
    if (prefix !== "") labels.push(prefix);
    const seen: string[] = [];
    let folder = "";
    let isWhole = true;
    try {
      for await (const { relative, kind } of walkVirtualFolder({ root: path, relative: "" }, files, signal)) {
        folder = relative.slice(0, relative.lastIndexOf("/", relative.length - 2) + 1);
        isWhole = labels.length + seen.length < names;
        if (!isWhole) break;
        if ((kind === "file" || kind === "folder") && !isLeftOut(relative)) seen.push(relative);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      isWhole = false;
    }
    labels.push(...seen.map((label) => prefix + label));
    // Folders are read in the order in which they are found.
    const later = seen.slice(seen.indexOf(folder) + 1).filter((label) => label.endsWith("/"));
    if (!isWhole) for (const label of [folder, ...later]) unread.add(prefix + label);
  }
  return { labels, unread };
}
