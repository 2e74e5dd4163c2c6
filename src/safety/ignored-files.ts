import type { Disk, IgnoredFile } from "../core/disk.ts";
import { piecesOf, wordsOf } from "./mentions.ts";
import type { Ground } from "./read-only/looks.ts";
import { everyCommand, nameOf, type Script, type Word } from "./shell/reading.ts";

/** The first ignored file that a line names, wherever in it the name stands and whatever link or wildcard leads there. */
export async function ignoredIn(
  script: Script,
  { folder, folders }: Pick<Ground, "folder" | "folders">,
  disk: Disk,
): Promise<IgnoredFile | undefined> {
  const commands = everyCommand(script);
  const words = commands.flatMap(wordsOf);
  const places = [folder, ...commands.flatMap((command) => foldersEntered(command.words, nameOf(command)))];
  const texts = new Set(words.flatMap(namesIn));
  const patterns = [...new Set(words.filter(({ isPattern }) => isPattern).map(({ text }) => text))];
  for (const place of places.slice(0, MOST_PLACES)) {
    const from = absolute(folder, place);
    for (const text of patterns.slice(0, MOST_PATTERNS))
      for (const path of (await disk.realPaths(absolute(from, text), true)) ?? []) texts.add(path);
    const found = await disk.ignored([...texts], from, folders);
    if (found) return found;
  }
  return undefined;
}

const MOST_PATTERNS = 20;
const MOST_PLACES = 8;

function namesIn({ text }: Word): readonly string[] {
  return [text, ...piecesOf(text).map((piece) => (piece.startsWith("-") ? piece.slice(2) : piece))];
}

/** Where `cd`, `git -C` and their like lead: names are looked for there, too. */
function foldersEntered(words: readonly Word[], name: string | undefined): readonly string[] {
  const enters = name === "cd" || name === "pushd" || name === "set-location";
  return words
    .filter(({ text }, at) => (enters && at > 0 && !text.startsWith("-")) || words[at - 1]?.text === "-C")
    .map(({ text }) => text);
}

function absolute(folder: string, text: string): string {
  return /^(?:[\\/]|[a-z]:[\\/])/i.test(text) ? text : `${folder}/${text}`;
}
