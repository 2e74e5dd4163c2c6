import { readdirSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { fileTextSync } from "../../plain-file.ts";
import { boundedPatterns } from "../files/ignore-rules.ts";
import { AGENT_IGNORE_FILE } from "../files/ignored-paths.ts";

/** The content of a folder by relative path; empty if it can't be read. */
export interface SandboxListing {
  readonly path: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Entries that an `.autogptignore` names. */
  readonly keptOut: readonly string[];
  /** Links by their targets within the folder. Links to the outside, pipes and the like have their own names as targets. */
  readonly links: readonly { readonly name: string; readonly leadsTo: string }[];
  /** There was more than is listed. */
  readonly isCut: boolean;
}

/** Maximum number of entries to inspect, those nearest to the top first. Each sandboxed line waits for this. */
const MOST_ENTRIES = 10_000;

/** Folders that aren't listed: published packages, and git's own folder, which is protected as a whole. */
const BULK = /(?:^|\/)(?:node_modules|\.git)$/i;

/** Lists a workspace folder and everything below it, except in excluded folders. */
export function workspaceListing(folder: string): SandboxListing {
  const found: Entry[] = [];
  const keptOut: string[] = [];
  const rules: Rules[] = [];
  const waiting = [""];
  for (let below = waiting.shift(); below !== undefined; below = waiting.shift()) {
    const here = entries(folder, below);
    if (here.some(({ name }) => name === below + AGENT_IGNORE_FILE)) rules.push(rulesIn(folder, below));
    for (const entry of here) {
      if (isKeptOut(entry, rules)) keptOut.push(entry.name);
      else if (entry.kind === "folder" && !BULK.test(entry.name)) waiting.push(`${entry.name}/`);
    }
    found.push(...here);
    if (found.length > MOST_ENTRIES) break;
  }
  const names = (kind: Entry["kind"]): string[] =>
    found.filter((entry) => entry.kind === kind).map(({ name }) => name);
  return {
    path: folder,
    files: names("file"),
    folders: names("folder"),
    keptOut,
    links: found.flatMap(({ name, leadsTo }) => (leadsTo === undefined ? [] : [{ name, leadsTo }])),
    isCut: waiting.length > 0,
  };
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

function rulesIn(folder: string, below: string): Rules {
  const path = join(folder, below, AGENT_IGNORE_FILE);
  return { below, rules: ignore().add(boundedPatterns(rulesText(path))) };
}

/** A file of rules that can't be read keeps everything out, as it does for the agent's own commands. */
function rulesText(path: string): string {
  try {
    return fileTextSync(realpathSync(path));
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

function entries(folder: string, below: string): Entry[] {
  try {
    return readdirSync(join(folder, below), { withFileTypes: true })
      .slice(0, MOST_ENTRIES)
      .flatMap((entry): Entry[] => {
        const name = below + entry.name;
        if (entry.isSymbolicLink()) return linkAt(folder, name);
        if (entry.isDirectory()) return [{ name, kind: "folder" }];
        return entry.isFile() ? [{ name, kind: "file" }] : [{ name, kind: "other", leadsTo: name }];
      });
  } catch {
    return [];
  }
}

/** A link. The target is left out if it's outside the folder, which isn't visible anyway. */
function linkAt(folder: string, name: string): Entry[] {
  try {
    const leadsTo = relative(folder, realpathSync(join(folder, name)))
      .split(sep)
      .join("/");
    return leadsTo === "" || leadsTo.startsWith("..")
      ? [{ name, kind: "link", leadsTo: name }]
      : [{ name, kind: "link", leadsTo }];
  } catch {
    return [{ name, kind: "link", leadsTo: name }];
  }
}
