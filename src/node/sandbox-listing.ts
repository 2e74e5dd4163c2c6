import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { boundedPatterns } from "./ignore-patterns.ts";
import { USERS_FILE } from "./named-ignored.ts";

/** What is in a folder, by path relative to it; nothing where it cannot be read. */
export interface SandboxListing {
  readonly path: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Those of them that an `.autogptignore` names. */
  readonly keptOut: readonly string[];
}

/** So many entries of a workspace are looked at, the nearest to its top first: each line in the sandbox waits for that. */
const MOST_ENTRIES = 10_000;

/** Folders that are not looked into: what others published, and git's own, of which only the top matters. */
const BULK = /(?:^|\/)(?:node_modules|\.git)$/;

/** What is directly in a folder. */
export function shallowListing(folder: string): SandboxListing {
  const all = entries(folder, "");
  return { path: folder, ...sorted(all), keptOut: [] };
}

/** What is in a workspace folder and below it, with what is directly in its `.git`. Nothing is looked for in folders that are kept out. */
export function workspaceListing(folder: string): SandboxListing {
  const found: Entry[] = entries(folder, ".git/");
  const keptOut: string[] = [];
  const rules: Rules[] = [];
  const waiting = [""];
  for (let below = waiting.shift(); below !== undefined; below = waiting.shift()) {
    const here = entries(folder, below);
    if (here.some(({ name }) => name === below + USERS_FILE)) rules.push(rulesIn(folder, below));
    for (const entry of here) {
      if (isKeptOut(entry, rules)) keptOut.push(entry.name);
      else if (entry.isFolder && !BULK.test(entry.name)) waiting.push(`${entry.name}/`);
    }
    found.push(...here);
    if (found.length > MOST_ENTRIES) break;
  }
  return { path: folder, ...sorted(found), keptOut };
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

interface Rules {
  readonly below: string;
  readonly rules: Ignore;
}

function rulesIn(folder: string, below: string): Rules {
  const text = readFileSync(join(folder, below, USERS_FILE), "utf8");
  return { below, rules: ignore().add(boundedPatterns(text)) };
}

function isKeptOut({ name, isFolder }: Entry, all: readonly Rules[]): boolean {
  return all.some(
    ({ below, rules }) =>
      name.startsWith(below) && rules.ignores(`${name.slice(below.length)}${isFolder ? "/" : ""}`),
  );
}

function sorted(all: readonly Entry[]): Pick<SandboxListing, "files" | "folders"> {
  const names = (isFolder: boolean): string[] =>
    all.filter((entry) => entry.isFolder === isFolder).map(({ name }) => name);
  return { files: names(false), folders: names(true) };
}

function entries(folder: string, below: string): Entry[] {
  try {
    return readdirSync(join(folder, below), { withFileTypes: true })
      .slice(0, MOST_ENTRIES)
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => ({ name: below + entry.name, isFolder: entry.isDirectory() }));
  } catch {
    return [];
  }
}
