import type iconvLite from "iconv-lite";
import { isAscii } from "../../core/base/text.ts";
import { createNamesTaker, type RipgrepRules } from "./git-rules.ts";
import { listUnicodeForms } from "./line-matcher.ts";
import { runRipgrep } from "./ripgrep.ts";
import { type FileSearchQuery, SEARCHED_BYTES } from "./search-query.ts";

/** Where ripgrep searches for candidates, relative to the workspace folder `root`. */
export interface CandidatePlace {
  readonly root: string;
  /** With a final `/`; `""` for the workspace folder itself. */
  readonly relative: string;
  readonly rules: RipgrepRules;
  readonly limitsSize: boolean;
  /** Names to leave out at any depth, without wildcards. */
  readonly excluded: readonly string[];
}

/**
 * Finds files that may contain the pattern, by the bytes on disk. It finds too many rather than too few, because each text is searched
 * again. Returns ripgrep's complaints.
 */
export async function findCandidates(
  program: string,
  { root, relative, rules, excluded, limitsSize }: CandidatePlace,
  query: FileSearchQuery,
  encoding: string | undefined,
  take: (paths: readonly string[]) => "go on" | "stop",
): Promise<readonly string[]> {
  const args = [
    ...rules.args,
    ...excluded.map((name) => `--glob=!${name}`),
    "--files-with-matches",
    "--text",
    ...(limitsSize ? [`--max-filesize=${SEARCHED_BYTES}`] : []),
    ...(await createPatternArgs(query)),
    ...(encoding === undefined ? [] : [`--encoding=${encoding}`]),
    "--",
    `./${relative}`,
  ];
  return runRipgrep(program, { args, cwd: root, signal: query.signal, take: createNamesTaker(take) });
}

async function createPatternArgs({ pattern, regex }: FileSearchQuery): Promise<readonly string[]> {
  if (regex) return ["--engine=auto", "--crlf", `--regexp=${pattern}`];
  const isLower = pattern === pattern.toLowerCase();
  const codecs = (await import("iconv-lite")).default;
  const forms = listUnicodeForms(pattern);
  const encodings = isAscii(pattern) ? WIDE : [...WIDE, ...LEGACY];
  const bytes = encodings.flatMap((encoding) =>
    forms.flatMap((form) => createEncodedPatterns(form, encoding, isLower, codecs)),
  );
  const texts = forms.map((form) => `${isLower ? "(?i)" : ""}${escapePattern(form)}`);
  return [...texts, ...new Set(bytes)].map((source) => `--regexp=${source}`);
}

/** The encodings without a byte order mark in which ASCII characters have other bytes. */
const WIDE: readonly string[] = ["utf-16le", "utf-16be"];

/** Possible encodings of a text without a byte order mark that contains non-ASCII letters. */
const LEGACY: readonly string[] = [
  "windows-1252",
  "windows-1250",
  "windows-1251",
  "iso-8859-15",
  "gb18030",
  "shift_jis",
  "big5",
  "euc-kr",
  "euc-jp",
];

/** Regular expressions for the bytes of a text in an encoding; none if the encoding lacks a character. */
function createEncodedPatterns(
  text: string,
  encoding: string,
  ignoresCase: boolean,
  codecs: Pick<typeof iconvLite, "decode" | "encode">,
): readonly string[] {
  const encodeCharacter = (character: string): string | undefined => {
    const bytes = codecs.encode(character, encoding);
    if (codecs.decode(bytes, encoding) !== character) return undefined;
    return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  };
  const parts = [...text].map((character) => {
    const forms = ignoresCase ? [character, character.toUpperCase()] : [character];
    return [...new Set(forms.map(encodeCharacter))].filter((form) => form !== undefined);
  });
  if (parts.some((forms) => forms.length === 0)) return [];
  return [`(?-u)${parts.map((forms) => (forms.length === 1 ? forms[0] : `(?:${forms.join("|")})`)).join("")}`];
}

/** Escapes a text so that ripgrep matches it literally. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|#&~-]/g, "\\$&");
}
