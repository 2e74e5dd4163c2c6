import { readArguments } from "../shell/flags.ts";
import { UNKNOWN } from "../shell/reading.ts";
import type { Check } from "./check.ts";

/** awk's own functions that only calculate. */
const FUNCTIONS = new Set(
  "length substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand strftime mktime systime asort asorti and or xor compl lshift rshift if while for print printf return in getline switch".split(
    " ",
  ),
);

/** `awk` with a program that only prints and calculates. */
export const awk: Check = (args) => {
  const read = readArguments("-F: -v: --field-separator= --assign= --posix --re-interval", args);
  if (typeof read === "string") return read;
  const [program, ...files] = read.operands;
  if (!program || program.isPattern || program.text.includes(UNKNOWN) || !isHarmlessAwk(program.text))
    return "Its program is not known to read only.";
  const inputs = files.filter(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  return inputs.map((word) => ({ word, reveals: true }));
};

/**
 * True for a program without pipes, redirections, `getline`, other files, the environment, and functions that are not awk's harmless ones.
 * Text between quotes is left out, but only where no slash can make a quote part of a regular expression, and no comment or broken line
 * can make quotes and braces something else; a `|` anywhere else is taken for the worst, and so is a `>` where something is printed.
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
