import { literalWord, type Redirect, type SimpleCommand, type Word } from "./reading.ts";

const BLANK = /^[ \t]+/;
const OPERATOR = /^(?:&&|\|\||[|;\n])/;
const REDIRECT = /^(?:2>&1|(?:[12*]?>{1,2})[ \t]*\$null)(?=[\s;|]|$)/;
const BARE = /^[\w./\\:*?=+%~^-][\w./\\:*?=+%~^#-]*(?=[\s;|]|$)/;
const QUOTED = /^(?:'[^'\n]*'|"[^"$`\n]*")(?=[\s;|]|$)/;

/** Reads a PowerShell line that is nothing but commands with plain words, joined by `|`, `;`, `&&`, `||` and line ends. Undefined for anything else. */
export function scanPlainPowerShell(line: string): readonly SimpleCommand[] | undefined {
  if (/[^\n\t\x20-\x7e]/.test(line)) return undefined;
  const commands: SimpleCommand[] = [];
  let words: Word[] = [];
  let redirects: Redirect[] = [];
  let joint: string | undefined;
  let rest = line;
  const finish = (): void => {
    if (words.length > 0)
      commands.push({
        words,
        assignments: [],
        redirects,
        ...(joint === "|" ? { input: "stream" as const } : {}),
        ...(joint === undefined || commands.length === 0 ? {} : { joint }),
      });
    words = [];
    redirects = [];
  };
  while (rest !== "") {
    const blank = BLANK.exec(rest)?.[0];
    const operator = OPERATOR.exec(rest)?.[0];
    const redirect = REDIRECT.exec(rest)?.[0];
    if (operator !== undefined) {
      if (words.length === 0 && operator !== "\n") return undefined;
      finish();
      joint = operator === "\n" ? ";" : operator;
    } else if (redirect !== undefined) redirects.push({ operator: redirect, target: literalWord("$null") });
    const word =
      (blank ?? operator ?? redirect) === undefined ? plainWord(rest, words.length === 0) : undefined;
    const taken = blank ?? operator ?? redirect ?? word?.source;
    if (taken === undefined) return undefined;
    if (word) words.push(word.word);
    rest = rest.slice(taken.length);
  }
  if (words.length === 0 && (joint === "|" || redirects.length > 0)) return undefined;
  finish();
  return commands;
}

function plainWord(
  rest: string,
  isName: boolean,
): { readonly word: Word; readonly source: string } | undefined {
  const quoted = isName ? undefined : QUOTED.exec(rest)?.[0];
  if (quoted !== undefined)
    return { word: { ...literalWord(quoted.slice(1, -1)), isQuoted: true }, source: quoted };
  const source = BARE.exec(rest)?.[0];
  if (source === undefined || source === "--%" || (isName && !/^[A-Za-z][\w.-]*$/.test(source)))
    return undefined;
  return {
    word: { ...literalWord(source), isPattern: /[*?]/.test(source), isHome: source.startsWith("~") },
    source,
  };
}
