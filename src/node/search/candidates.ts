import type iconvLite from "iconv-lite";
import { type RipgrepJob, runRipgrep } from "./ripgrep.ts";
import { type FileSearchQuery, SEARCHED_BYTES } from "./search-query.ts";
import { HIDDEN } from "./walk.ts";

/** Options that make ripgrep leave out no more than a walk of ours does. */
export const LIKE_OUR_WALK: readonly string[] = [
  "--hidden",
  "--null",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--no-ignore-parent",
  "--no-ignore-dot",
  "--ignore-file-case-insensitive",
  ...[...HIDDEN].map((name) => `--glob=!${name}`),
];

/** Where ripgrep looks for candidates, relative to the workspace folder `root`. */
export interface CandidatePlace {
  readonly root: string;
  /** With a final `/`; `""` for the workspace folder itself. */
  readonly relative: string;
  /** Git ignores the place itself, so that its rules don't count below it. */
  readonly isIgnored: boolean;
  readonly limitsSize: boolean;
  /** Names to leave out at any depth, without wildcards. */
  readonly excluded: readonly string[];
}

/**
 * Finds files in which the pattern may be, by the bytes on disk. It finds too many rather than too few: the text of
 * each is searched again. Returns ripgrep's complaints.
 */
export async function findCandidates(
  program: string,
  { root, relative, isIgnored, excluded, limitsSize }: CandidatePlace,
  query: FileSearchQuery,
  encoding: string | undefined,
  take: (paths: readonly string[]) => "go on" | "stop",
): Promise<readonly string[]> {
  const args = [
    ...LIKE_OUR_WALK,
    ...excluded.map((name) => `--glob=!${name}`),
    ...(isIgnored ? ["--no-ignore-vcs"] : []),
    "--files-with-matches",
    ...(limitsSize ? [`--max-filesize=${SEARCHED_BYTES}`] : []),
    ...(await patternArgs(query)),
    ...(encoding === undefined ? [] : [`--encoding=${encoding}`]),
    "--",
    `./${relative}`,
  ];
  return runRipgrep(program, { args, cwd: root, signal: query.signal, take: namesTaker(take) });
}

/** Splits ripgrep's output into paths, each of which ends with a NUL. */
export function namesTaker(take: (paths: readonly string[]) => "go on" | "stop"): RipgrepJob["take"] {
  let rest: Buffer = Buffer.alloc(0);
  return async (piece) => {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = all.lastIndexOf(0) + 1;
    rest = all.subarray(end);
    if (end === 0) return "go on";
    const names = all.toString("utf8", 0, end - 1).split("\0");
    return take(names.map(withSlashes));
  };
}

/** A path as ripgrep prints it, with `/` and relative to its folder. */
function withSlashes(path: string): string {
  const slashed = process.platform === "win32" ? path.replaceAll("\\", "/") : path;
  return slashed.startsWith("./") ? slashed.slice(2) : slashed;
}

async function patternArgs({ pattern, regex }: FileSearchQuery): Promise<readonly string[]> {
  if (regex) return ["--engine=auto", "--crlf", `--regexp=${pattern}`];
  const isLower = pattern === pattern.toLowerCase();
  const plain = [...(isLower ? ["--ignore-case"] : []), "--fixed-strings", `--regexp=${pattern}`];
  if (/^[\0-\x7f]*$/.test(pattern)) return plain;
  const codecs = (await import("iconv-lite")).default;
  const bytes = LEGACY.flatMap((encoding) => inEncoding(pattern, encoding, isLower, codecs));
  const text = `${isLower ? "(?i)" : ""}${escaped(pattern)}`;
  return [text, ...new Set(bytes)].map((source) => `--regexp=${source}`);
}

/** The encodings without a byte order mark that a text with other letters than ASCII may be in. */
const LEGACY: readonly string[] = [
  ...["windows-1252", "windows-1250", "windows-1251", "iso-8859-15"],
  ...["gb18030", "shift_jis", "big5", "euc-kr", "euc-jp"],
];

/** A regular expression for the bytes of a text in an encoding; none if it lacks a character. */
function inEncoding(
  text: string,
  encoding: string,
  ignoresCase: boolean,
  codecs: Pick<typeof iconvLite, "decode" | "encode">,
): readonly string[] {
  const bytesOf = (character: string): string | undefined => {
    const bytes = codecs.encode(character, encoding);
    if (codecs.decode(bytes, encoding) !== character) return undefined;
    return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  };
  const parts = [...text].map((character) => {
    const forms = ignoresCase ? [character, character.toUpperCase()] : [character];
    return [...new Set(forms.map(bytesOf))].filter((form) => form !== undefined);
  });
  if (parts.some((forms) => forms.length === 0)) return [];
  return [
    `(?-u)${parts.map((forms) => (forms.length === 1 ? forms[0] : `(?:${forms.join("|")})`)).join("")}`,
  ];
}

/** A text as a regular expression of ripgrep that finds just that. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|#&~-]/g, "\\$&");
}
