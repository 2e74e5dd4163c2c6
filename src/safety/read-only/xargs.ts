import { readArguments } from "../shell/flags.ts";
import type { SimpleCommand, Word } from "../shell/reading.ts";
import type { Use } from "./check.ts";
import { foundBy } from "./find.ts";
import { checkHandedOn } from "./handed-on.ts";

/** Commands that take any names, flags among them, and tell no more than what is known about files. */
const TAKES_ANY = new Set("ls stat basename dirname realpath readlink".split(" "));

/** Commands that hand on lines of a pipe as they are, each with arguments that change nothing about that and name no file. */
const FILTERS: Readonly<Record<string, RegExp>> = {
  grep: /^(?:-[viwxEFP]+ )*[^-]\S*$/,
  egrep: /^(?:-[viwx]+ )*[^-]\S*$/,
  fgrep: /^(?:-[viwx]+ )*[^-]\S*$/,
  sort: /^(?:-[rnuV]+)?$/,
  head: /^(?:-n )?-?\d*$/,
  tail: /^(?:-n )?-?\d*$/,
  uniq: /^(?:-u)?$/,
  tac: /^$/,
};

/** What `xargs` has a command look at, by where its names come from; a sentence when that is not known. `before`: what stands before it in the same pipe. */
export function xargsUses(words: readonly Word[], before: readonly SimpleCommand[]): readonly Use[] | string {
  const at = words.findIndex(
    ({ text }, index) => !text.startsWith("-") && !/^-[nLPd]$/.test(words[index - 1]?.text ?? ""),
  );
  if (at === -1) return "xargs without a command is not known to be harmless.";
  const flags = readArguments(
    "-0 -r -t -n: -L: -P: -d: --null --no-run-if-empty --max-args= --max-procs= --delimiter=",
    words.slice(0, at),
  );
  if (typeof flags === "string") return flags;
  const [name, ...args] = words.slice(at);
  const [source, ...filters] = before;
  if (!name || !source || !filters.every(handsOn)) return UNKNOWN_NAMES;
  if (source.words[0]?.text !== "find")
    return TAKES_ANY.has(name.text) && givesNames(source)
      ? checkHandedOn(name.text, args, [], { roots: [], comesAs: "pieces" })
      : UNKNOWN_NAMES;
  const comesAs = flags.flags.has("-0") || flags.flags.has("--null") ? "whole" : "pieces";
  const found = foundBy(source.words.slice(1));
  if (comesAs === "pieces" && found.roots.some(({ text }) => /[\s'"\\]/.test(text))) return UNKNOWN_NAMES;
  return checkHandedOn(name.text, args, [], { ...found, comesAs });
}

const UNKNOWN_NAMES = "xargs hands on names that may be flags, or files that nobody knows.";

function handsOn({ words: [name, ...args] }: SimpleCommand): boolean {
  const known = name && Object.hasOwn(FILTERS, name.text) ? FILTERS[name.text] : undefined;
  return known?.test(args.map(({ text }) => text).join(" ")) ?? false;
}

function givesNames({ words }: SimpleCommand): boolean {
  const [name, command] = words;
  return /^(?:ls|fd)$/.test(name?.text ?? "") || (name?.text === "git" && command?.text === "ls-files");
}
