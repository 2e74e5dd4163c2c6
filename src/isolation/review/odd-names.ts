import { limitToOneCall } from "../../core/base/async.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { findSpellingProblem } from "../../node/files/path-resolution.ts";
import { CONFUSABLES } from "./confusables.ts";

/** True for a name that hides something, looks like a program's flag, or has another meaning on another system. */
export function isOddName(file: string): boolean {
  const isFlag = /(?:^|\/)[-~]/.test(file);
  const isHidden = escapeInvisible(file) !== file || file.includes("\\");
  return isFlag || isHidden || findSpellingProblem(file, true) !== undefined || file.split("/").some(mayMislead);
}

/** Scripts that ordinary names of these languages mix. */
const EAST_ASIAN = ["Han", "Hiragana", "Katakana", "Bopomofo", "Hangul"];
/** Scripts that may share a word with Latin letters. European scripts are excluded, because their letters look like Latin ones. */
const BESIDE_LATIN = [
  "Arabic",
  "Bengali",
  "Devanagari",
  "Ethiopic",
  "Gujarati",
  "Gurmukhi",
  "Hebrew",
  "Kannada",
  "Khmer",
  "Lao",
  "Malayalam",
  "Myanmar",
  "Oriya",
  "Sinhala",
  "Tamil",
  "Telugu",
  "Thaana",
  "Thai",
  "Tibetan",
];
const SCRIPTS = [
  ...EAST_ASIAN,
  ...BESIDE_LATIN,
  "Latin",
  "Cyrillic",
  "Greek",
  "Armenian",
  "Georgian",
  "Cherokee",
  "Lisu",
  "Coptic",
].map((name) => ({ name, letter: new RegExp(`^\\p{scx=${name}}$`, "u") }));

/** Letters and digits of a word, with their marks. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Combining marks after letters of a script that has composed forms. */
const LOOSE_MARK = /(?:^|[^\p{L}\p{M}\p{N}]|[\p{scx=Latin}\p{scx=Cyrillic}\p{scx=Greek}\p{N}])\p{M}/u;
/** Letters that only phoneticians write; those of African and other languages are left out. */
const PHONETIC = /^(?![ɓɔɖɗəɛɠɣɨɩɲɵʃʉʊʋʌʒʔ])[\u0250-\u02af\u1d00-\u1dbf]$/;
/** Latin letters used in ordinary writing, although they look like others. */
const ORDINARY_LETTER = /^[ıæœÆŒ]$/;
/** Full-width marks and spaces next to East Asian letters, and the number sign next to Cyrillic letters. */
const EAST_ASIAN_MARK =
  /(?<=[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}])[（）：；，？！～\u3000]|[（）：；，？！～\u3000](?=[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}])/gu;
const NUMBER_SIGN = /№(?=.*\p{Script=Cyrillic})|(?<=\p{Script=Cyrillic}.*)№/gu;
/** Punctuation used in ordinary sentences, and East Asian full stops. */
const ORDINARY_SIGN = /[–—‘’“”„…·«»、。・「」『』ー]/gu;
/** Emoji with their joining characters. */
const EMOJI = /\p{Extended_Pictographic}(?:\ufe0e|\ufe0f|\u200d|[\u{1f3fb}-\u{1f3ff}])*|[\d#*]\ufe0f?\u20e3/gu;

/** True for a path segment that people can mistake for another, in the manner of UTS 39. */
function mayMislead(given: string): boolean {
  if (/^\s|\s{4}|[\s.]$/.test(given)) return true;
  if (/^[ -~]*$/.test(given)) return false;
  const name = given.normalize("NFC").replace(EMOJI, "");
  const plain = name.replace(EAST_ASIAN_MARK, "").replace(NUMBER_SIGN, "").replace(ORDINARY_SIGN, "");
  if (plain.normalize("NFKC") !== plain || /(?! )[\p{Zs}\p{C}]/u.test(plain)) return true;
  if (LOOSE_MARK.test(name)) return true;
  const signs = plain.replace(WORD, "");
  if ([...signs].some((sign) => sign > "~" && /[!-/:-@[-`{-~]/.test(getLookalikes(sign)))) return true;
  return (name.match(WORD) ?? []).some(isMixedWord);
}

function isMixedWord(word: string): boolean {
  const letters = [...word].filter((letter) => letter > "~" && !/^\p{M}$/u.test(letter));
  const scripts = new Set([...word].flatMap((letter) => findLetterScript(letter) ?? []));
  const isLatinLookalike = (letter: string, likeness: RegExp): boolean =>
    likeness.test(getLookalikes(letter)) && !ORDINARY_LETTER.test(letter);
  if (letters.some((letter) => PHONETIC.test(letter) || (isLatin(letter) && isLatinLookalike(letter, /^[!-~]+$/))))
    return true;
  if (scripts.size < 2) return false;
  const others = [...scripts].filter((script) => script !== "Latin");
  const isOrdinary =
    others.every((script) => script === "East Asian") ||
    (others.length === 1 && BESIDE_LATIN.includes(others[0] ?? ""));
  const likeness = scripts.has("East Asian") ? /^[0-9A-Za-z]+$/ : /^[!-~]+$/;
  return !isOrdinary || letters.some((letter) => isLatinLookalike(letter, likeness));
}

function isLatin(letter: string): boolean {
  return /^\p{Script=Latin}$/u.test(letter);
}

/** The script of a letter, with all East Asian ones as one; undefined for letters shared by all scripts. */
function findLetterScript(letter: string): string | undefined {
  if (/^[\p{Script=Common}\p{Script=Inherited}]$/u.test(letter)) return undefined;
  const name = SCRIPTS.find((script) => script.letter.test(letter))?.name ?? "another";
  return EAST_ASIAN.includes(name) ? "East Asian" : name;
}

/** Well-known names, for which people mistake look-alikes. */
const KNOWN = new Set(
  [
    "readme license licence copying changelog contributing security codeowners makefile dockerfile jenkinsfile",
    "vagrantfile rakefile gemfile procfile brewfile justfile package package-lock yarn pnpm-lock tsconfig composer",
    "cargo pyproject requirements setup conftest manage index main app server client config settings tests utils",
    "core src lib init __init__ build deploy install update login auth admin users scripts docs public",
  ].flatMap((line) => line.split(" ")),
);

/** Names, grouped by the common form of names that look alike. */
export type NameShapes = ReadonlyMap<string, ReadonlySet<string>>;

/** The shapes of names, as they're written and in lower case. */
export function collectNameShapes(names: Iterable<string>): NameShapes {
  const shapes = new Map<string, Set<string>>();
  for (const name of names)
    for (const shape of listNameShapes(name))
      shapes.set(shape, (shapes.get(shape) ?? new Set()).add(normalizeNameCase(name)));
  return shapes;
}

const known = limitToOneCall(() => collectNameShapes(KNOWN));

/** True for a new name that looks like a neighboring name or a well-known one, without being that name. */
export function isLookalikeName(name: string, besideIt: NameShapes): boolean {
  const stem = name.replace(/(?<=.)\..*$/u, "");
  return isLike(name, besideIt) || (!KNOWN.has(normalizeNameCase(stem)) && isLike(stem, known()));
}

function isLike(name: string, shapes: NameShapes): boolean {
  return listNameShapes(name).some((shape) =>
    [...(shapes.get(shape) ?? [])].some((one) => one !== normalizeNameCase(name)),
  );
}

function listNameShapes(name: string): readonly string[] {
  return [name, name.toLowerCase()].map((one) =>
    [...one.normalize("NFKD")].map(getLookalikes).join("").normalize("NFKD"),
  );
}

/** Normalizes a name as a disk that ignores case does. */
function normalizeNameCase(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** The appearance of each character. */
const likenesses = limitToOneCall(() => {
  const found = new Map<string, string>();
  for (const row of CONFUSABLES) {
    const end = row.lastIndexOf(" ");
    for (const character of row.slice(end + 1)) found.set(character, row.slice(0, end));
  }
  return found;
});

/** The characters that one looks like. */
function getLookalikes(character: string): string {
  return likenesses().get(character) ?? character;
}
