import type { SimpleCommand, Word } from "../shell/reading.ts";

const MOST_FOLDERS = 16;

/**
 * The folders that each command of a line may stand in, relative to the one that the line starts in. Whether `cd` gets there is not known,
 * but what hangs on it by `&&` runs only if it did, unless it may be left out itself. Undefined where they are too many.
 */
export function foldersOf(flow: readonly SimpleCommand[]): readonly (readonly string[])[] | undefined {
  let all: readonly string[] = [""];
  let sure = all;
  let before: SimpleCommand | undefined;
  const found: (readonly string[])[] = [];
  for (const command of flow) {
    if (!before || before.isNegated || !hangsOn(command, before)) sure = all;
    before = command;
    found.push(sure);
    const folder = folderChange(command);
    if (!folder) continue;
    const enter = (base: string): string => (base === "" ? folder.text : `${base}/${folder.text}`);
    all = [...all, ...all.map(enter)];
    sure = command.joint === "||" || command.joint === "|" ? all : sure.map(enter);
    if (all.length > MOST_FOLDERS) return undefined;
  }
  return found;
}

/** The folder that `cd` would go to. In a loop it would go on and on, so that is not followed. */
export function folderChange({ words, redirects, within }: SimpleCommand): Word | undefined {
  const [name, folder, more] = words;
  return name?.text === "cd" && folder && !more && redirects.length === 0 && !within ? folder : undefined;
}

/** It runs only after the one before it went well, and where that stood; a `cd` in a pipe leads nobody else away. */
function hangsOn({ joint }: SimpleCommand, before: SimpleCommand): boolean {
  return joint === "&&" || (joint === "|" && folderChange(before) === undefined);
}
