import { replaceBracketSets } from "../../core/ports/disk.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { isGlobMatch } from "../paths/glob.ts";
import { type Platform, splitPathSegments } from "../paths/paths.ts";
import { findControlReason, findSecretReason, findShortNameReason } from "../paths/sensitive.ts";
import { expandBraces } from "./reach.ts";
import { getCommandName, type ShellScript, type SimpleCommand, UNKNOWN, type Word } from "./reading.ts";

/** A protected file that a command line names, with the reason. */
export interface ProtectedMention {
  readonly text: string;
  readonly why: DisplayText;
}

/** Names of variables that seem to hold a secret. */
export const SECRET_VARIABLE = /(^|_)(api_?key|key|token|secret|passw(or)?d|passphrase|credentials?|auth|pat)(_|$)/i;

/** Protected file names that a wildcard with few letters may be meant to hide. */
const OFTEN_WANTED = [
  ".env",
  ".env.local",
  ".npmrc",
  ".netrc",
  ".ssh",
  ".aws",
  ".git",
  ".gitconfig",
  ".git-credentials",
  ".pypirc",
  ".kube",
  ".docker",
  ".bashrc",
  ".zshrc",
  ".profile",
  ".vscode",
  ".husky",
  ".autogpt",
  ".github",
  ".cursor",
  ".claude",
  ".mcp.json",
  "id_rsa",
  "id_ed25519",
  "id_ecdsa",
  "credentials",
  "authorized_keys",
];

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

/** All words of a command, including the targets of its redirections. */
export function listCommandWords({ words, assignments, redirects }: SimpleCommand): readonly Word[] {
  return [...words, ...assignments, ...redirects.map(({ target }) => target)];
}

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

/**
 * Creates a function that lists a word's possible texts according to the line's own assignments, so that names assembled from pieces are
 * found. It returns undefined once there are too many to check.
 */
export function createVariableExpander(script: ShellScript): (word: Word) => readonly string[] | undefined {
  let known: Assignments | undefined;
  let left = MOST_CHARACTERS;
  return (word) => {
    if (word.variables.length === 0) return [];
    known ??= collectAssignments(script.commands);
    const texts = expandVariables(word, known);
    left -= texts?.reduce((sum, text) => sum + text.length, 0) ?? left;
    return left > 0 ? texts : undefined;
  };
}

interface Assignments {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Items of loops and positional parameters, which any variable without an assignment may hold. */
  readonly items: readonly string[];
}

const MOST_VALUES = 64;
const MOST_TEXTS = 512;
const MOST_CHARACTERS = 32 * 1024;
const DECLARES = /^(?:export|declare|typeset|readonly|local)$/;

function collectAssignments(commands: readonly SimpleCommand[]): Assignments {
  const values = new Map<string, readonly string[]>();
  const items = new Set<string>();
  for (const command of commands) {
    const name = getCommandName(command) ?? "";
    if (name === "set") for (const { text } of command.words.slice(1)) items.add(text);
    const declared = DECLARES.test(name) ? command.words.slice(1) : [];
    for (const { text } of [...command.assignments, ...declared]) {
      const [whole, variable = "", plus, value = ""] = /^([A-Za-z_]\w*)(\+?)=(.*)$/s.exec(text) ?? [];
      if (whole === undefined) items.add(text);
      else values.set(variable, addAssignedValue(values.get(variable) ?? [], value, plus === "+"));
    }
  }
  return { values, items: [...items] };
}

function addAssignedValue(before: readonly string[], value: string, isAppended: boolean): readonly string[] {
  const made = isAppended ? before.map((one) => one + value) : [];
  return [...new Set([...before, ...made, value])].slice(0, MOST_VALUES + 1);
}

function expandVariables({ text, variables }: Word, { values, items }: Assignments): readonly string[] | undefined {
  const pieces = text.split(UNKNOWN);
  let texts: readonly string[] = [pieces[0] ?? ""];
  for (const [at, piece] of pieces.slice(1).entries()) {
    const name = variables.length === pieces.length - 1 ? (variables[at] ?? "") : "";
    const found = values.get(name) ?? (items.length > 0 ? items : [UNKNOWN]);
    if (found.length > MOST_VALUES || found.length * texts.length > MOST_TEXTS) return undefined;
    texts = texts.flatMap((one) => found.map((value) => one + value + piece));
    if ((texts[0]?.length ?? 0) > MOST_CHARACTERS) return undefined;
  }
  return texts;
}
