import { deletionOf } from "./deletion.ts";
import { everyCommand, nameOf, type Script, type SimpleCommand } from "./shell/reading.ts";

/** Commands that delete, or overwrite what is not theirs. */
const REWRITERS = new Set(
  "rm rmdir unlink shred truncate mv dd trash srm rimraf remove-item ri del erase rd move-item mi clear-content kill killall pkill".split(
    " ",
  ),
);

/** git's ways of losing work that was not committed, and of changing what runs later. */
const LOSING = new Set(
  "clean reset checkout restore switch stash rm rebase push filter-branch gc prune update-ref config worktree submodule".split(
    " ",
  ),
);

/** True when a line openly deletes or throws away work; what a program does inside is not seen. */
export function rewrites(script: Script): boolean {
  return everyCommand(script).some(isRewriting);
}

function isRewriting(command: SimpleCommand): boolean {
  const name = nameOf(command) ?? "";
  const args = command.words.slice(1).map(({ text }) => text);
  if (REWRITERS.has(name) || deletionOf(command).targets.length > 0) return true;
  if (name === "git") return args.some((arg) => LOSING.has(arg));
  const overwrites = command.redirects.some(
    ({ operator, target }) =>
      /(?<!>)>(?![>&])/.test(operator) && !/^(?:\/dev\/null|\$null)$/.test(target.text),
  );
  return (
    overwrites ||
    (/^(?:sed|perl|ruby)$/.test(name) && args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg)))
  );
}
