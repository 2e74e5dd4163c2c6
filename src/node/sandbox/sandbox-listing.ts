import { lstatSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { readFileTextSync } from "../../disk/plain-file.ts";
import type { FolderListing } from "../../walls/sandbox-view.ts";
import { decodeName, readEntriesSync, toDiskPath } from "../files/byte-names.ts";
import { limitPatterns } from "../files/ignore-rules.ts";
import { AGENT_IGNORE_FILE } from "../files/ignored-paths.ts";

/** The content of a folder by relative path; empty if it can't be read. */
export interface SandboxListing extends FolderListing {
  /** Some entries aren't listed. */
  readonly isCut: boolean;
  /** Unlisted folders: those beyond the limit, and those of published packages. */
  readonly rest: readonly string[];
}

/** Maximum number of entries to inspect, starting at the top. Each sandboxed line waits for this. */
const MOST_ENTRIES = 10_000;

/** Folders that aren't listed: published packages, and git's own folder, which is protected as a whole. */
const BULK = /(?:^|\/)(?:node_modules|\.git)$/i;

/** Lists a workspace folder and everything below it, except in excluded folders. */
export function listWorkspaceFolder(folder: string): SandboxListing {
  const found: Entry[] = [];
  const keptOut: string[] = [];
  const rules: Rules[] = [];
  const waiting = [""];
  const unread: string[] = [];
  for (let below = waiting.shift(); below !== undefined; below = waiting.shift()) {
    const all = listEntries(folder, below);
    const here = all.slice(0, MOST_ENTRIES);
    if (all.length > here.length) unread.push(below);
    if (here.some(({ name }) => name === below + AGENT_IGNORE_FILE)) rules.push(readRules(folder, below));
    for (const entry of here) {
      if (isKeptOut(entry, rules)) keptOut.push(entry.name);
      else if (entry.kind === "folder") (BULK.test(entry.name) ? unread : waiting).push(`${entry.name}/`);
    }
    found.push(...here);
    if (found.length > MOST_ENTRIES) break;
  }
  const listFoundNames = (kind: Entry["kind"]): string[] =>
    found.filter((entry) => entry.kind === kind).map(({ name }) => name);
  return {
    path: folder,
    files: listFoundNames("file"),
    folders: listFoundNames("folder"),
    keptOut,
    links: found.flatMap(({ name, leadsTo }) => (leadsTo === undefined ? [] : [{ name, leadsTo }])),
    isCut: waiting.length > 0,
    rest: [...unread, ...waiting],
  };
}

/**
 * Finds changes after a time in a listing's unlisted folders. Uses change times, which no program can set. In packages, only repositories
 * count.
 */
export function findChangesInRest(
  { path, rest }: SandboxListing,
  since: number,
  known: KnownFolders = new Map(),
): SandboxListing {
  const found: Entry[] = [];
  const waiting = [...rest];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    if (GIT.test(below)) continue;
    const folder = listSubfolders(path, below, known);
    const isOfPackages = PACKAGES.test(below);
    for (const name of folder.names) if (!isOfPackages || PACKAGES.test(name)) waiting.push(name);
    if (isOfPackages) for (const name of [below, ...folder.names]) found.push({ name: `${name}.git`, kind: "folder" });
    else if (folder.changedMs >= since - CLOCK_MS) found.push(...listEntries(path, below));
  }
  const changed = found.filter(({ name }) => hasChanged(join(path, name), since));
  const listChangedNames = (kind: Entry["kind"]): string[] =>
    changed.filter((entry) => entry.kind === kind).map(({ name }) => name);
  const links = changed.flatMap(({ name, leadsTo }) => (leadsTo === undefined ? [] : [{ name, leadsTo }]));
  return {
    path,
    files: listChangedNames("file"),
    folders: listChangedNames("folder"),
    keptOut: [],
    links,
    isCut: false,
    rest: [],
  };
}

const GIT = /(?:^|\/)\.git\/$/i;
/** A folder of published packages, or of one owner's packages. */
const PACKAGES = /(?:^|\/)node_modules\/(?:@[^/]*\/)?$/i;

/** How far a disk's clock may be behind. */
const CLOCK_MS = 20;

/** Subfolders by folder, with the time of the folder's last change. Most stay the same from line to line. */
export type KnownFolders = Map<string, { readonly changedMs: number; readonly names: readonly string[] }>;

/** Two changes within this time may have the same timestamp. */
const SETTLED_MS = 2000;

function listSubfolders(top: string, below: string, known: KnownFolders) {
  const path = join(top, below);
  const changedMs = lstatSync(toDiskPath(path), { throwIfNoEntry: false })?.ctimeMs ?? 0;
  const before = known.get(path);
  if (before?.changedMs === changedMs) return before;
  const isOfPackages = PACKAGES.test(below);
  const inside = listEntries(top, below).filter(({ kind }) => kind === "folder" || (isOfPackages && kind === "link"));
  const now = { changedMs, names: inside.map(({ name }) => `${name}/`) };
  if (Date.now() - changedMs > SETTLED_MS) known.set(path, now);
  return now;
}

/** True for a file or a folder whose metadata has changed after a time. */
export function hasChanged(path: string, since: number): boolean {
  const stats = lstatSync(toDiskPath(path), { throwIfNoEntry: false });
  return stats !== undefined && stats.ctimeMs >= since - CLOCK_MS;
}

interface Entry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  readonly leadsTo?: string;
}

interface Rules {
  readonly below: string;
  readonly rules: Ignore;
}

function readRules(folder: string, below: string): Rules {
  const path = join(folder, below, AGENT_IGNORE_FILE);
  return { below, rules: ignore().add(limitPatterns(readRulesText(path))) };
}

/** Reads a file of rules. An unreadable file excludes everything, as it does for the agent's own commands. */
function readRulesText(path: string): string {
  try {
    return readFileTextSync(realpathSync(path));
  } catch {
    return "*\n";
  }
}

function isKeptOut({ name, kind }: Entry, all: readonly Rules[]): boolean {
  return all.some(
    ({ below, rules }) =>
      name.startsWith(below) && rules.ignores(`${name.slice(below.length)}${kind === "folder" ? "/" : ""}`),
  );
}

function listEntries(folder: string, below: string): Entry[] {
  try {
    return readEntriesSync(join(folder, below)).flatMap((entry): Entry[] => {
      const name = below + entry.name;
      if (entry.isSymbolicLink()) return readLink(folder, name);
      if (entry.isDirectory()) return [{ name, kind: "folder" }];
      return entry.isFile() ? [{ name, kind: "file" }] : [{ name, kind: "other", leadsTo: name }];
    });
  } catch {
    return [];
  }
}

/** Reads a link. The target is left out if it's outside the folder, where it isn't visible anyway. */
function readLink(folder: string, name: string): Entry[] {
  try {
    const leadsTo = relative(folder, decodeName(realpathSync(toDiskPath(join(folder, name)), "buffer")))
      .split(sep)
      .join("/");
    return leadsTo === "" || leadsTo.startsWith("..")
      ? [{ name, kind: "link", leadsTo: name }]
      : [{ name, kind: "link", leadsTo }];
  } catch {
    return [{ name, kind: "link", leadsTo: name }];
  }
}
