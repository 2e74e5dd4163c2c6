import { limitToOneCall } from "../../core/base/async.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { findSpellingProblem } from "../../node/files/path-resolution.ts";
import { CONFUSABLES } from "./confusables.ts";

/** True for a name that hides something, is a flag to programs, or means something else on another system. */
export function isOddName(file: string): boolean {
  const isFlag = /(?:^|\/)[-~]/.test(file);
  const isHidden = escapeInvisible(file) !== file || file.includes("\\");
  return (
    isFlag || isHidden || findSpellingProblem(file, true) !== undefined || file.split("/").some(mayMislead)
  );
}

/** Letters that are written together in ordinary names of these languages. */
const EAST_ASIAN = ["Han", "Hiragana", "Katakana", "Bopomofo", "Hangul"];
/** Scripts that Latin letters are written with in one word. Those of Europe aren't: they share letters' shapes with Latin. */
const BESIDE_LATIN = [
  ...["Arabic", "Bengali", "Devanagari", "Ethiopic", "Gujarati", "Gurmukhi", "Hebrew", "Kannada", "Khmer"],
  ...["Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana", "Thai", "Tibetan"],
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
/** Marks that follow a letter of a script whose letters have composed forms. */
const LOOSE_MARK = /(?:^|[^\p{L}\p{M}\p{N}]|[\p{scx=Latin}\p{scx=Cyrillic}\p{scx=Greek}\p{N}])\p{M}/u;
/** Letters that only phoneticians write; those of African and other languages are left out. */
const PHONETIC = /^(?![ɓɔɖɗəɛɠɣɨɩɲɵʃʉʊʋʌʒʔ])[\u0250-\u02af\u1d00-\u1dbf]$/;
/** Latin letters that languages write, although they look like others. */
const ORDINARY_LETTER = /^[ıæœÆŒ]$/;
/** Full-width marks and blanks between East Asian letters, and the number sign beside Cyrillic ones. */
const EAST_ASIAN_MARK =
  /(?<=[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}])[（）：；，？！～\u3000]|[（）：；，？！～\u3000](?=[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}])/gu;
const NUMBER_SIGN = /№(?=.*\p{Script=Cyrillic})|(?<=\p{Script=Cyrillic}.*)№/gu;
/** Signs that languages write in sentences, and East Asian full stops. */
const ORDINARY_SIGN = /[–—‘’“”„…·«»、。・「」『』ー]/gu;
/** Emoji with what joins their parts. */
const EMOJI =
  /\p{Extended_Pictographic}(?:\ufe0e|\ufe0f|\u200d|[\u{1f3fb}-\u{1f3ff}])*|[\d#*]\ufe0f?\u20e3/gu;

/** True for one name of a path that people can take for another, in the manner of UTS 39. */
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
  if (
    letters.some(
      (letter) => PHONETIC.test(letter) || (isLatin(letter) && isLatinLookalike(letter, /^[!-~]+$/)),
    )
  )
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

/** The script of a letter, East Asian ones as one; undefined for those of all scripts. */
function findLetterScript(letter: string): string | undefined {
  if (/^[\p{Script=Common}\p{Script=Inherited}]$/u.test(letter)) return undefined;
  const name = SCRIPTS.find((script) => script.letter.test(letter))?.name ?? "another";
  return EAST_ASIAN.includes(name) ? "East Asian" : name;
}

/** Names that people know, and take their look-alikes for. */
const KNOWN = new Set(
  [
    "readme license licence copying changelog contributing security codeowners makefile dockerfile jenkinsfile",
    "vagrantfile rakefile gemfile procfile brewfile justfile package package-lock yarn pnpm-lock tsconfig composer",
    "cargo pyproject requirements setup conftest manage index main app server client config settings tests utils",
    "core src lib init __init__ build deploy install update login auth admin users scripts docs public",
  ].flatMap((line) => line.split(" ")),
);

/** Names by the form that all names share that look like one. */
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

/** True for a new name that looks like another one beside it, or like a name that everyone knows, and is neither. */
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

/** The form in which names are equal to a disk that ignores case. */
function normalizeNameCase(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** The look of each character. */
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
