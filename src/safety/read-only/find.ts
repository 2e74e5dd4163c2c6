import { isLiteral, literalWord, UNKNOWN, type Word } from "../shell/reading.ts";
import type { Check, Use } from "./check.ts";
import { checkHandedOn, type Found } from "./handed-on.ts";

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
const WITH_COMMAND = new Set(["-exec", "-execdir"]);

/** `find` with tests, and with printing or a command that only shows what was found for an action. */
export const find: Check = (args) => {
  const { roots, expression } = partsOf(args);
  const found = foundBy(args);
  const files = readExpression(expression, found);
  if (typeof files === "string") return files;
  return roots.some((root) => /^[*?[\0]/.test(root.text) && !isLiteral(root))
    ? "It has a pattern or a variable in a place where an action could come of it."
    : [...found.roots.map(nameOnly), ...files];
};

/** What `find` with these arguments would come upon when it first does something: tests that stand behind that come too late. */
export function foundBy(args: readonly Word[]): Found {
  const { roots, expression } = partsOf(args);
  const all = expression.map(({ text }) => text);
  const does = all.findIndex((word) => /^-(?:print|exec|ls)/.test(word));
  const words = does === -1 ? all : all.slice(0, does);
  const isOneTest = !all.some((word) => /^(?:!|-not|-o|-or|,|\()$/.test(word));
  const name = words.find((_, at) => /^-i?name$/.test(words[at - 1] ?? ""));
  const only = isOneTest && name !== undefined && !/[[\\]/.test(name) ? { only: [name] } : {};
  return { roots: roots.length > 0 ? roots : [literalWord(".")], ...only };
}

function partsOf(args: readonly Word[]): {
  readonly roots: readonly Word[];
  readonly expression: readonly Word[];
} {
  const first = args.findIndex(
    ({ text, isQuoted }) => text.startsWith("-") || text === "!" || (text === "(" && isQuoted),
  );
  const at = first === -1 ? args.length : first;
  return { roots: args.slice(0, at), expression: args.slice(at) };
}

function readExpression(words: readonly Word[], found: Found): readonly Use[] | string {
  const files: Use[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    if (ALONE.has(word.text) && isLiteral(word)) continue;
    if (WITH_COMMAND.has(word.text) && isLiteral(word)) {
      const end = words.findIndex(({ text }, index) => index > at && /^[;+]$/.test(text));
      const uses = executed(words.slice(at + 1, end), words[end], found);
      if (typeof uses === "string") return uses;
      files.push(...uses);
      at = end;
      continue;
    }
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

/** What a command shows that gets each name, or all of them, in the place of `{}`. */
function executed(words: readonly Word[], end: Word | undefined, found: Found): readonly Use[] | string {
  const [name, ...args] = words;
  const at = args.findIndex(({ text }) => text === "{}");
  const isPlain = name !== undefined && words.every(isLiteral) && end !== undefined;
  if (!isPlain || at === -1 || args.filter(({ text }) => text.includes("{}")).length > 1)
    return "It hands what it finds to a command in a way that is not known to be harmless.";
  if (end.text === "+" && at !== args.length - 1)
    return 'find\'s "+" stands in a place where it is not the end.';
  return checkHandedOn(name.text, args.slice(0, at), args.slice(at + 1), { ...found, comesAs: "whole" });
}

function nameOnly(word: Word): Use {
  return { word, reveals: false };
}
