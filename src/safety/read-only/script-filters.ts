import { displayText } from "../../texts/display-text.ts";
import { isReason, UNKNOWN } from "../shell/reading.ts";
import type { Check } from "./check.ts";
import { parseArguments } from "./flags.ts";

const SED_FLAGS =
  "-n -e: -E -r -s -u -z --quiet --silent --expression= --regexp-extended --separate --unbuffered --null-data --posix";

/** `sed` with scripts of addresses and commands that only print, delete and replace. */
export const checkSed: Check = (args) => {
  const read = parseArguments(SED_FLAGS, args);
  if (isReason(read)) return read;
  const expressions = args.filter(
    (word, index) =>
      /^(-\w*e|--expression)$/.test(args[index - 1]?.text ?? "") || word.text.startsWith("--expression="),
  );
  const hasFlag = read.flags.has("-e") || read.flags.has("--expression");
  if (hasFlag && expressions.length !== args.filter(({ text }) => /^-\w*e|^--expression/.test(text)).length)
    return displayText("safety.line.misplacedScript");
  const scripts = hasFlag ? expressions : read.operands.slice(0, 1);
  if (scripts.length === 0) return displayText("safety.line.noScript");
  for (const { text, isPattern } of scripts) {
    const script = text.replace(/^--expression=/, "");
    if (isPattern || script.includes(UNKNOWN) || !isHarmlessSed(script))
      return displayText("safety.line.scriptNotReadOnly");
  }
  return read.operands.slice(hasFlag ? 0 : 1).map((word) => ({ word, reveals: true }));
};

const LONGEST_SCRIPT = 500;

/** True when every command of a script prints, deletes, quits or replaces. sed can also write files and run commands. */
function isHarmlessSed(script: string): boolean {
  if (script.length > LONGEST_SCRIPT) return false;
  let at = 0;
  while (at < script.length) {
    const blank = /^[\s;]+/.exec(script.slice(at));
    if (blank) {
      at += blank[0].length;
      continue;
    }
    const end = findSedCommandEnd(script, at);
    if (end === undefined) return false;
    at = end;
  }
  return true;
}

function findSedCommandEnd(script: string, start: number): number | undefined {
  let at = findSedAddressEnd(script, start);
  if (at === undefined) return undefined;
  if (script[at] === ",") at = findSedAddressEnd(script, at + 1);
  if (at === undefined) return undefined;
  const rest = /^\s*!?\s*/.exec(script.slice(at))?.[0].length ?? 0;
  at += rest;
  if (/[pdqQ=]/.test(script[at] ?? "")) return findCommandEnd(script, at + 1);
  if (script[at] !== "s" && script[at] !== "y") return undefined;
  return findSubstitutionEnd(script, at + 1, script[at] === "s");
}

/** A line number, `$`, `/regular expression/`, or nothing. */
function findSedAddressEnd(script: string, at: number): number | undefined {
  const simple = /^(?:\d+(?:~\d+)?|\+\d+|\$)/.exec(script.slice(at));
  if (simple) return at + simple[0].length;
  if (script[at] !== "/") return at;
  const end = findDelimiterEnd(script, at + 1, "/");
  if (end === undefined) return undefined;
  return script[end] === "I" ? end + 1 : end;
}

function findSubstitutionEnd(script: string, at: number, hasFlags: boolean): number | undefined {
  const delimiter = script[at] ?? "";
  if (!/^[^\w\s\\;{}[\]]$/.test(delimiter)) return undefined;
  const middle = findDelimiterEnd(script, at + 1, delimiter);
  const end = middle === undefined ? undefined : findDelimiterEnd(script, middle, delimiter);
  if (end === undefined) return undefined;
  const flags = hasFlags ? (/^[gpiI\d]*/.exec(script.slice(end))?.[0].length ?? 0) : 0;
  return findCommandEnd(script, end + flags);
}

/** The position after the next delimiter. Undefined where versions of sed differ: escaped except `\/`, in brackets, across lines. */
function findDelimiterEnd(script: string, from: number, delimiter: string): number | undefined {
  let end = script.indexOf(delimiter, from);
  while (delimiter === "/" && end !== -1 && /(?<!\\)\\$/.test(script.slice(from, end)))
    end = script.indexOf(delimiter, end + 1);
  if (end === -1) return undefined;
  const part = script.slice(from, end);
  return part.endsWith("\\") || part.includes("\n") || hasOpenBracket(part) ? undefined : end + 1;
}

/** True if a character set is still open at the end, as it is in some versions for `[]x]`, `[^]x]` and `[[:alpha:]x]`. */
function hasOpenBracket(part: string): boolean {
  let at = part.indexOf("[");
  while (at !== -1) {
    let inside = at + (part[at + 1] === "^" ? 2 : 1);
    if (part[inside] === "]") inside++;
    for (; inside < part.length && part[inside] !== "]"; inside++) {
      const kind = part[inside] === "[" ? (part[inside + 1] ?? "") : "";
      if (kind === "" || !":.=".includes(kind)) continue;
      const close = part.indexOf(`${kind}]`, inside + 2);
      if (close === -1) return true;
      inside = close + 1;
    }
    if (inside >= part.length) return true;
    at = part.indexOf("[", inside);
  }
  return false;
}

function findCommandEnd(script: string, at: number): number | undefined {
  const rest = /^[ \t]*(?=[;\n]|$)/.exec(script.slice(at));
  return rest ? at + rest[0].length : undefined;
}

/** awk's functions that only compute. */
const FUNCTIONS = new Set(
  "length substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand strftime mktime systime asort asorti and or xor compl lshift rshift if while for print printf return in getline switch".split(
    " ",
  ),
);

/** `awk` with a program that only prints and computes. */
export const checkAwk: Check = (args) => {
  const read = parseArguments("-F: -v: --field-separator= --assign= --posix --re-interval", args);
  if (isReason(read)) return read;
  const [program, ...files] = read.operands;
  if (!program || program.isPattern || program.text.includes(UNKNOWN) || !isHarmlessAwk(program.text))
    return displayText("safety.line.programNotReadOnly");
  const inputs = files.filter(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  return inputs.map((word) => ({ word, reveals: true }));
};

/**
 * True for a program without pipes, redirections, `getline`, other files, the environment, and functions other than awk's harmless ones.
 * Quoted text is ignored, but only where a quote can't be part of a regular expression or a comment, nor follow a line continuation. A `|` anywhere else is rejected, and so is a `>` where something is printed.
 */
function isHarmlessAwk(program: string): boolean {
  if (program.length > LONGEST_PROGRAM || FORBIDDEN.test(program) || program.includes("\\\n")) return false;
  const bare = program.includes("/") ? program : program.replace(/"(?:[^"\\\n]|\\[^\n])*"/g, '""');
  if (/#[^\n]*\n/.test(bare)) return false;
  if (/[|`@]/.test(bare.replaceAll("||", " ")) || mayRedirect(bare)) return false;
  return [...bare.matchAll(/([A-Za-z_]\w*)\s*\(/g)].every(([, name]) => FUNCTIONS.has(name ?? ""));
}

/** A `>` in an action that prints writes to a file; elsewhere it compares. */
function mayRedirect(bare: string): boolean {
  if (!bare.includes(">")) return false;
  if (bare.includes("/")) return true;
  let depth = 0;
  for (const character of bare) {
    if (character === "{") depth++;
    else if (character === "}") depth--;
    else if (character === ">" && depth !== 0 && bare.includes("print")) return true;
  }
  return false;
}

const LONGEST_PROGRAM = 1000;
const FORBIDDEN =
  /@|\b(?:getline|system|close|fflush|ENVIRON|PROCINFO|ARGV|ARGC|SYMTAB|FUNCTAB|function|func|include|load)\b/;

const JQ_FLAGS =
  "-r -j -a -s -n -c -C -M -S -e -R --raw-output --join-output --ascii-output --slurp --null-input --compact-output --color-output --monochrome-output --sort-keys --exit-status --raw-input --tab --indent= --stream --seq";

/** `jq` with a filter that reads neither modules nor the environment. */
export const checkJq: Check = (args) => {
  const read = parseArguments(JQ_FLAGS, args);
  if (isReason(read)) return read;
  const [filter, ...files] = read.operands;
  if (!filter || filter.isPattern || filter.text.includes(UNKNOWN)) return displayText("safety.line.runtimeFilter");
  if (/\b(?:ENV|env|import|include|modulemeta|input_filename|get_search_list|__prog_args)\b/.test(filter.text))
    return displayText("safety.line.filterReadsElsewhere");
  return files.map((word) => ({ word, reveals: true }));
};
