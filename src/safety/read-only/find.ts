import { isLiteral, literalWord, UNKNOWN, type Word } from "../shell/reading.ts";
import type { Check, Use } from "./check.ts";

/** What find may test and do: words alone, and words with one value. */
const ALONE = new Set(
  "-depth -d -mount -xdev -noleaf -daystart -empty -true -false -readable -writable -executable -nouser -nogroup -print -print0 -ls -prune -quit ! -not -a -and -o -or ( ) , -E".split(
    " ",
  ),
);
const WITH_VALUE = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -amin -atime -cmin -ctime -mmin -mtime -newermt -perm -user -group -uid -gid -links -inum -printf -used -fstype".split(
    " ",
  ),
);
const WITH_FILE = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);

/** `find` with tests and with nothing but printing for an action. */
export const find: Check = (args) => {
  const first = args.findIndex(
    ({ text, isQuoted }) => text.startsWith("-") || text === "!" || (text === "(" && isQuoted),
  );
  const roots = first === -1 ? args : args.slice(0, first);
  const files = readExpression(first === -1 ? [] : args.slice(first));
  if (typeof files === "string") return files;
  const uses = (roots.length > 0 ? roots : [literalWord(".")]).map(nameOnly);
  return roots.some((root) => /^[*?[\0]/.test(root.text) && !isLiteral(root))
    ? "It has a pattern or a variable in a place where an action could come of it."
    : [...uses, ...files];
};

function readExpression(words: readonly Word[]): readonly Use[] | string {
  const files: Use[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    if (ALONE.has(word.text) && isLiteral(word)) continue;
    const takesFile = WITH_FILE.has(word.text);
    if (!takesFile && !WITH_VALUE.has(word.text))
      return `find's ${JSON.stringify(word.text)} is not known to read only.`;
    const value = words[++at];
    if (!value || value.isPattern || value.isBraced || value.text.includes(UNKNOWN))
      return "It has a test whose value is only known once it runs.";
    if (takesFile) files.push(nameOnly(value));
  }
  return files;
}

function nameOnly(word: Word): Use {
  return { word, reveals: false };
}
