import { literalWord, type Word } from "../shell/reading.ts";
import type { Check, Use } from "./check.ts";
import { FILES } from "./files.ts";
import { SEARCH } from "./search.ts";
import { TEXT } from "./text.ts";

/** What a command like `find` comes upon. */
export interface Found {
  /** The folders that it looks through; every name that it gives begins with one of them. */
  readonly roots: readonly Word[];
  /** Patterns that the last name of each fits; absent: any. */
  readonly only?: readonly string[];
}

/** Commands that may get whatever was found: they show files, or what is known of them, and do the same for one file and for many. */
const SHOW = new Set(
  "cat head tail nl grep egrep fgrep sort cut wc ls stat file du md5sum sha1sum sha256sum sha512sum cksum basename dirname realpath readlink".split(
    " ",
  ),
);

/** Stands for what was found among the arguments; no file of a workspace is called so. */
const ANY = "\u{1}found";

/** What a command looks at that gets names between its arguments, or why it is not known to read only, as a sentence. */
export function checkHandedOn(
  name: string,
  before: readonly Word[],
  after: readonly Word[],
  { roots, only, comesAs }: Found & { readonly comesAs: "whole" | "pieces" },
): readonly Use[] | string {
  const check: Check | undefined = SHOW.has(name) ? { ...FILES, ...TEXT, ...SEARCH }[name] : undefined;
  if (!check) return `${JSON.stringify(name)} is not among the commands that may be handed what was found.`;
  const uses = check([...before, literalWord(ANY), literalWord(ANY), ...after]);
  if (typeof uses === "string") return uses;
  const files = uses.filter(({ word }) => word.text === ANY);
  if (files.length === 0)
    return /^(?:base|dir)name$/.test(name) ? uses : "It takes what was found for something else than a file.";
  const [{ reveals } = { reveals: true }] = files;
  const below = reveals ? ({ below: "all", handsOn: comesAs } as const) : {};
  return [
    ...uses.filter((use) => !files.includes(use)),
    ...roots.map((word) => ({ word, reveals, ...below, ...(only ? { only } : {}) })),
  ];
}
