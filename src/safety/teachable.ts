import { rewrites } from "./rewriting.ts";
import { isLiteral, type Script, type SimpleCommand } from "./shell/reading.ts";

const LONGEST = 200;

/** The line that "always allow" would teach, words joined by one blank; undefined for a line that should be looked at each time. */
export function teachable(script: Script): string | undefined {
  if (!script.plain || script.plain.length === 0 || rewrites(script)) return undefined;
  if (!script.plain.every(isFixed)) return undefined;
  const line = taughtLine(script.plain);
  return line.length <= LONGEST ? line : undefined;
}

/** A plain line in the one spelling that taught rules are compared in. */
export function taughtLine(plain: readonly SimpleCommand[]): string {
  const pieces = plain.map(({ joint, words }) => {
    const line = words.map(({ text }) => quoted(text)).join(" ");
    return joint === undefined ? line : `${joint} ${line}`;
  });
  return pieces.join(" ");
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Nothing in it depends on files' names, variables, the end of a pipe or on failing. */
function isFixed({ words, redirects, input, isNegated }: SimpleCommand): boolean {
  return (
    input === undefined &&
    !isNegated &&
    words.every(isLiteral) &&
    redirects.every(({ target }) => target.text === "/dev/null" || target.text === "1")
  );
}
