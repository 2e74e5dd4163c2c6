import { isInside, type Platform } from "./paths.ts";
import { pathOf } from "./reach.ts";
import { everyCommand, nameOf, type Script, type SimpleCommand, type Word } from "./shell/reading.ts";

/** Programs that write to, or take away, all the files among their arguments. */
const ALL = new Set(
  "rm rmdir unlink mv tee touch mkdir truncate shred chmod chown chgrp srm trash remove-item new-item set-content add-content move-item".split(
    " ",
  ),
);
/** Programs that write to their last argument. */
const LAST = new Set("cp install rsync ln copy-item".split(" "));

/** Where anybody may write. */
const FREE =
  /^\/(?:tmp|var\/tmp|private\/tmp)(?:\/|$)|^\/dev\/(?:null|zero|tty|stdout|stderr|stdin|fd\/\d+)$/;

/** The first file outside the workspace that a line openly writes to or takes away, as it is spelt. */
export function writtenOutside(
  script: Script,
  folders: readonly string[],
  platform: Platform,
  cwd?: string,
): string | undefined {
  const bases = cwd === undefined ? folders : [cwd];
  const isOutside = (word: Word): boolean => {
    if (word.isHome) return true;
    return bases.some((base) => {
      const path = pathOf(word, base);
      return path !== undefined && !FREE.test(path) && !isInside(path, folders, platform);
    });
  };
  return everyCommand(script).flatMap(writtenBy).find(isOutside)?.text;
}

function writtenBy(command: SimpleCommand): readonly Word[] {
  const name = nameOf(command) ?? "";
  const operands = command.words.slice(1).filter(({ text }) => !text.startsWith("-"));
  const redirected = command.redirects.flatMap(({ operator, target }) =>
    operator.includes(">") && !/^(?:\d+|-)$/.test(target.text) ? [target] : [],
  );
  if (ALL.has(name)) return [...redirected, ...operands];
  if (LAST.has(name)) return [...redirected, ...operands.slice(-1)];
  const files = name === "dd" ? operands.filter(({ text }) => text.startsWith("of=")) : [];
  return [...redirected, ...files.map((word) => ({ ...word, text: word.text.slice(3) }))];
}
