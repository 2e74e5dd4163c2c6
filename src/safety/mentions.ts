import { withoutSets } from "../core/without-sets.ts";
import { spelledOut } from "./assigned.ts";
import { segments } from "./paths.ts";
import { withoutBraces } from "./reach.ts";
import { controlIn, secretIn } from "./sensitive.ts";
import { type Script, type SimpleCommand, UNKNOWN, type Word } from "./shell/reading.ts";

/** A protected file that a command line names, with the reason. */
export interface Mention {
  readonly text: string;
  readonly why: string;
}

/** A variable of such a name holds what nobody should see. */
const SECRET_VARIABLE = /(^|_)(api_?key|key|token|secret|passw(or)?d|passphrase|credentials?|auth|pat)(_|$)/i;

/** Names of files that a wildcard of a few letters may be meant to hide. */
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

/** The first protected file or variable that a line names, wherever it stands in it: as an argument, in a redirection, within a script. */
export function protectedMention(script: Script): Mention | undefined {
  const spelled = spelledOut(script);
  for (const command of script.commands) {
    for (const word of wordsOf(command)) {
      const texts = spelled(word);
      if (!texts) return { text: `$${word.variables[0]}`, why: "stands for more than can be looked through" };
      const mention = mentionIn(word, texts);
      if (mention) return mention;
    }
  }
  return undefined;
}

/** The first protected file that a program names, when it is given as text. */
export function mentionInCode(code: string): Mention | undefined {
  if (code.length > LONGEST_CODE)
    return { text: "more than can be looked through", why: "may be a protected file" };
  for (const piece of new Set(piecesOf(code))) {
    const names = segments(piece);
    const why = secretIn(names) ?? controlIn(names);
    if (why !== undefined && /[./]/.test(piece)) return { text: piece, why };
  }
  return undefined;
}

const LONGEST_CODE = 20_000;

/** All words of a command, what it is redirected to among them. */
export function wordsOf({ words, assignments, redirects }: SimpleCommand): readonly Word[] {
  return [...words, ...assignments, ...redirects.map(({ target }) => target)];
}

/** With braces and with variables that the line sets, what the shell makes of them; a text that is too intricate stays as it is. */
function mentionIn(word: Word, spelled: readonly string[]): Mention | undefined {
  const texts = word.isBraced ? withoutBraces(word.text.slice(0, LONGEST_PATTERN)) : [];
  for (const text of [word.text, ...texts, ...spelled]) {
    const mention = mentionInOne({ ...word, text });
    if (mention) return mention;
  }
  if (!word.isBraced) return undefined;
  const pattern = word.text.slice(0, LONGEST_PATTERN).replace(/\{[^{}]*\}/g, "*");
  const mention = mentionInOne({ ...word, text: pattern, isPattern: true });
  return mention && { ...mention, text: word.text };
}

function mentionInOne(word: Word): Mention | undefined {
  const variable = word.variables.find((name) => SECRET_VARIABLE.test(name));
  if (variable !== undefined)
    return { text: `$${variable}`, why: "is a variable that seems to hold a secret" };
  for (const piece of piecesOf(word.text)) {
    const names = segments(piece.startsWith("-") ? piece.slice(2) : piece);
    const why = secretIn(names) ?? controlIn(names);
    if (why !== undefined) return { text: piece, why };
  }
  const why = patternFor(segments(word.text.slice(0, LONGEST_PATTERN)), word.isPattern ? 1 : 2);
  return why === undefined ? undefined : { text: word.text, why };
}

/** Half of `--file=.env`, of `HEAD:.env`, of `@.env`, and the paths in a line of code. */
export function piecesOf(text: string): readonly string[] {
  return text.split(SEPARATORS).filter((piece) => piece !== "" && piece.length < 4096);
}

const LONGEST_PATTERN = 4096;
const SEPARATORS = new RegExp(`[\\s"'\`(),;:@<>|&{}=?#+${UNKNOWN}]+`);

/** A wildcard that leaves little open but a protected name: for the shell, or between quotes for a program, which may mean another thing by it. */
function patternFor(names: readonly string[], leastLetters: 1 | 2): string | undefined {
  const suspect = names.find((name) => {
    const literal = withoutSets(name).replace(/[*?]/g, "");
    if (literal === name || literal.length < leastLetters || !/^[.[]|^id|cred|auth/.test(name)) return false;
    return OFTEN_WANTED.some((wanted) => couldBe(name, wanted));
  });
  return suspect === undefined ? undefined : "may stand for a protected file";
}

function couldBe(pattern: string, name: string): boolean {
  const source = withoutSets(pattern)
    .slice(0, 64)
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("?", ".")
    .replace(/\*+/g, "[^/]*");
  return new RegExp(`^${source}$`).test(name);
}
