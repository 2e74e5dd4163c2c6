import type { Disk } from "../core/disk.ts";
import { piecesOf, wordsOf } from "./mentions.ts";
import type { Ground } from "./read-only/looks.ts";
import { protectionOf } from "./sensitive.ts";
import { everyCommand, type Script, type Word } from "./shell/reading.ts";

/** A protected file to which something that a line names leads by a link or a wildcard. */
export interface LinkedFile {
  /** As the line names it. */
  readonly text: string;
  readonly why: string;
}

const MOST_NAMES = 500;
const MOST_PATTERNS = 20;
const MOST_ABOVE = 8;

/** The first protected file that a line reaches by another name: links are followed as they lead now. */
export async function linkedIn(
  script: Script,
  { folder, folders, platform }: Ground,
  disk: Disk,
): Promise<LinkedFile | undefined> {
  const words = everyCommand(script).flatMap(wordsOf);
  const texts = new Set(words.filter(({ isPattern }) => !isPattern).flatMap(namesIn));
  if (texts.size > MOST_NAMES)
    return { text: `one of ${texts.size} names`, why: "may lead to a protected file" };
  const absolute = (text: string): string =>
    /^(?:[\\/]|[a-z]:[\\/])/i.test(text) ? text : `${folder}/${text}`;
  for (const text of texts) {
    const path = absolute(text);
    for (const name of await leadsTo(path, disk)) {
      const why = name === path ? undefined : protectionOf({ path: name, how: "write" }, folders, platform);
      if (why !== undefined) return { text, why };
    }
  }
  const patterns = new Set(words.filter(({ isPattern }) => isPattern).map(({ text }) => text));
  for (const text of [...patterns].slice(0, MOST_PATTERNS)) {
    for (const path of (await disk.realPaths(absolute(text), true)) ?? []) {
      const why = protectionOf({ path, how: "read" }, folders, platform);
      if (why !== undefined) return { text, why };
    }
  }
  return undefined;
}

/** A word, and the paths that are only a part of it, as in `--file=notes.txt`. */
function namesIn({ text }: Word): readonly string[] {
  const pieces = piecesOf(text).filter((piece) => /^[\w@.~/\\-]+$/.test(piece));
  return [text, ...pieces].filter((name) => name !== "" && name.length < LONGEST && !/[\0\n]/.test(name));
}

const LONGEST = 4096;

/** The real path of a file, or of one that would be new there, and the links on the way to it; none where that can't be determined. */
async function leadsTo(path: string, disk: Disk): Promise<readonly string[]> {
  let at = path;
  for (let above = 0; above < MOST_ABOVE; above++) {
    const found = (await disk.realPaths(at, false)) ?? [];
    if (found.length > 0) return found.map((name) => name + path.slice(at.length));
    const end = at.lastIndexOf("/");
    if (end <= 0) return [];
    at = at.slice(0, end);
  }
  return [];
}
