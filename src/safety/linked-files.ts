import type { Disk } from "../core/disk.ts";
import { wordsOf } from "./mentions.ts";
import type { Ground } from "./read-only/looks.ts";
import { protectionOf } from "./sensitive.ts";
import { everyCommand, type Script } from "./shell/reading.ts";

/** A protected file to which something that a line names leads by a link. */
export interface LinkedFile {
  /** As the line names it. */
  readonly text: string;
  readonly why: string;
}

const MOST_NAMES = 100;
const MOST_ABOVE = 8;

/** The first protected file that a line reaches by another name: links are followed as they lead now. */
export async function linkedIn(
  script: Script,
  { folder, folders, platform }: Ground,
  disk: Disk,
): Promise<LinkedFile | undefined> {
  const words = everyCommand(script).flatMap(wordsOf);
  const texts = [...new Set(words.map(({ text }) => text))].filter((text) => /^[\w@.~/\\-]+$/.test(text));
  if (texts.length > MOST_NAMES)
    return { text: `one of ${texts.length} names`, why: "may lead to a protected file" };
  for (const text of texts) {
    const path = /^(?:[\\/]|[a-z]:[\\/])/i.test(text) ? text : `${folder}/${text}`;
    for (const name of await leadsTo(path, disk)) {
      const why = name === path ? undefined : protectionOf({ path: name, how: "write" }, folders, platform);
      if (why !== undefined) return { text, why };
    }
  }
  return undefined;
}

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
