import { replaceBracketSets } from "../../core/ports/disk.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { isGlobMatch } from "../paths/glob.ts";
import { type Platform, splitPathSegments } from "../paths/paths.ts";
import { findControlReason, findSecretReason, findShortNameReason } from "../paths/sensitive.ts";
import { expandBraces } from "./reach.ts";
import { listCommandWords, UNKNOWN, type Word } from "./reading.ts";
import type { ShellScript } from "./script.ts";
import { createVariableExpander } from "./spelling.ts";

/** A protected file that a command line names, with the reason. */
export interface ProtectedMention {
  readonly text: string;
  readonly why: DisplayText;
}

/** Names of variables that seem to hold a secret. */
export const SECRET_VARIABLE = /(^|_)(api_?key|key|token|secret|passw(or)?d|passphrase|credentials?|auth|pat)(_|$)/i;

/** Protected file names that a wildcard with few letters may be meant to hide. */
const OFTEN_WANTED =
  ".env .env.local .npmrc .netrc .ssh .aws .git .gitconfig .git-credentials .pypirc .kube .docker .bashrc .zshrc .profile .vscode .husky .autogpt .github .cursor .claude .mcp.json id_rsa id_ed25519 id_ecdsa credentials authorized_keys".split(
    " ",
  );

/** The first protected file or variable that a line names: as an argument, in a redirection, inside a script. */
export function findProtectedMention(script: ShellScript, platform: Platform): ProtectedMention | undefined {
  const spelled = createVariableExpander(script);
  for (const command of script.commands) {
    for (const word of listCommandWords(command)) {
      const texts = spelled(word);
      if (!texts) return { text: `$${word.variables[0]}`, why: displayText("safety.line.tooManyValues") };
      const mention = findWordMention(word, texts, platform);
      if (mention) return mention;
    }
  }
  return undefined;
}

/** The first protected file that a program given as text names. */
export function mentionInCode(code: string): ProtectedMention | undefined {
  if (code.length > LONGEST_CODE)
    return { text: "more files than can be checked", why: displayText("safety.line.mayBeProtected") };
  for (const piece of new Set([...[code, ...joinCodeTexts(code)].flatMap(listPathPieces)])) {
    const names = splitPathSegments(piece);
    const why = findSecretReason(names) ?? findControlReason(names);
    if (why !== undefined && /[./]/.test(piece)) return { text: piece, why };
  }
  return undefined;
}

const LONGEST_CODE = 20_000;

/** Checks a word, also with its braces and variables expanded. A word that is too complex to expand is checked as it is. */
function findWordMention(word: Word, spelled: readonly string[], platform: Platform): ProtectedMention | undefined {
  const texts = word.isBraced ? expandBraces(word.text.slice(0, LONGEST_PATTERN)) : [];
  for (const text of [word.text, ...texts, ...spelled]) {
    const mention = mentionInOne({ ...word, text }, platform);
    if (mention) return mention;
  }
  if (!word.isBraced) return undefined;
  const pattern = word.text.slice(0, LONGEST_PATTERN).replace(/\{[^{}]*\}/g, "*");
  const mention = mentionInOne({ ...word, text: pattern, isPattern: true }, platform);
  return mention && { ...mention, text: word.text };
}

function mentionInOne(word: Word, platform: Platform): ProtectedMention | undefined {
  const variable = word.variables.find((name) => SECRET_VARIABLE.test(name));
  if (variable !== undefined) return { text: `$${variable}`, why: displayText("safety.line.secretVariable") };
  const readings = new Set([word.text, ...joinCodeTexts(word.text), decodeAddressEscapes(word.text)]);
  for (const piece of [...readings].flatMap(listPathPieces)) {
    const names = splitPathSegments(piece.startsWith("-") ? piece.slice(2) : piece, platform);
    const why = findSecretReason(names) ?? findControlReason(names) ?? findShortNameReason(names, platform);
    if (why !== undefined) return { text: piece, why };
  }
  const pattern = word.text.slice(0, LONGEST_PATTERN).replace(PATHSPEC, "");
  const why = explainPatternMatch(splitPathSegments(pattern), word.isPattern ? 1 : 2);
  return why === undefined ? undefined : { text: word.text, why };
}

/** Marks before git's own patterns. */
const PATHSPEC = /^:(?:\([^)]*\)|[!^/]+)/;

/** Joins texts that code concatenates: `"a" + "b"` and `"a" "b"`, and in another version also `'a'.'b'`. */
function joinCodeTexts(code: string): readonly string[] {
  const joined = code.replace(/["'`]\s*(?:\+|\|\|)?\s*["'`]/g, "");
  return [joined, joined.replace(/["'`]\s*\.{1,2}\s*["'`]/g, "")];
}

/** An address with its escapes decoded. */
function decodeAddressEscapes(text: string): string {
  return text.replace(/%([2-7][\da-f])/gi, (_all, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Pieces of a text that may be paths: `.env` in `--file=.env`, `HEAD:.env` and `@.env`, and the paths in code. */
export function listPathPieces(text: string): readonly string[] {
  return text.split(SEPARATORS).filter((piece) => piece !== "" && piece.length < 4096);
}

const LONGEST_PATTERN = 4096;
const SEPARATORS = new RegExp(`[\\s"'\`(),;:@<>|&{}=?#+${UNKNOWN}]+`);

/** Explains why a wildcard may mean a protected name. The shell expands an unquoted one, and a program may expand a quoted one. */
function explainPatternMatch(names: readonly string[], leastLetters: 1 | 2): DisplayText | undefined {
  const suspect = names.find((name) => {
    const literal = replaceBracketSets(name).replace(/[*?]/g, "");
    if (literal === name || literal.length < leastLetters || !/^[.[]|^id|cred|auth/.test(name)) return false;
    return OFTEN_WANTED.some((wanted) => mayMatchName(name, wanted));
  });
  return suspect === undefined ? undefined : displayText("safety.line.mayMatchProtected");
}

function mayMatchName(pattern: string, name: string): boolean {
  return isGlobMatch(replaceBracketSets(pattern).slice(0, 64), name);
}
