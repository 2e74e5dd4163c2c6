import { visitTerms } from "../../memory/search/words.ts";
import type { CodeSection } from "./code-parts.ts";

/** The words of a part. Its path and names count twice, because they also occur in its text. */
export function buildPartText(path: string, { symbols, text }: Pick<CodeSection, "symbols" | "text">): string {
  return `${formatNameWords(path)}\n${symbols.map(formatNameWords).join(" ")}\n${text}`;
}

/** Sufficient length of comments. `FIRST_CHARS`: length of text used without them. */
const ENOUGH_COMMENTS = 40;
const FIRST_CHARS = 600;

/** Describes a part in plain words: the end of its path, its names, and its comments, or its text if there are hardly any comments. */
export function buildMeaningText(path: string, { symbols, text }: Pick<CodeSection, "symbols" | "text">): string {
  const comments = extractComments(text);
  const more = comments.length > ENOUGH_COMMENTS ? "" : text.slice(0, FIRST_CHARS);
  return separateNameParts(`${path.split("/").slice(-2).join("/")}\n${symbols.join(" ")}\n${comments}\n${more}`);
}

/** Splits names into words: "readAllLines" becomes "read All Lines". */
function separateNameParts(text: string): string {
  return text.replace(/[/._-]+/g, " ").replace(/(\p{Ll})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1$2 ");
}

/** The words of a whole file: its path, its names and its comments. */
export function buildOutlineText(path: string, parts: readonly CodeSection[]): string {
  const names = formatNameWords(path);
  return [names, names, ...parts.map(({ symbols, text }) => `${symbols.join(" ")}\n${extractComments(text)}`)].join(
    "\n",
  );
}

/** The words in a path or name. A word in capitals is separated from the next: "HTMLParser" contains "HTML". */
function formatNameWords(name: string): string {
  return name.replace(/[/._-]+/g, " ").replace(/(\p{Lu}+)(?=\p{Lu}\p{Ll})/gu, "$1 ");
}

function extractComments(text: string): string {
  const lines = text.matchAll(/^[ \t]*(?:\/\/|\/\*\*?|\*(?!\/)|#|--|;|%|"{3}|'{3})\s*(.*)$/gm);
  return Array.from(lines, ([, words]) => words).join("\n");
}

/** Lines of an excerpt, and characters of one line. */
const EXCERPT_LINES = 6;
const LONGEST_LINE = 160;

/** The lines of a part that contain most of a query's words. `lines` are those of the part. */
export function findExcerpt(
  lines: readonly string[],
  query: string,
): { readonly first: number; readonly text: string } {
  const wanted = new Set<number>();
  visitTerms(query, (term) => wanted.add(term));
  const found = lines.map((line) => {
    const terms = new Set<number>();
    visitTerms(line.slice(0, 1000), (term) => {
      if (wanted.has(term)) terms.add(term);
    });
    return terms;
  });
  let [best, most] = [0, 0];
  for (let first = 0; first === 0 || first + EXCERPT_LINES <= lines.length; first++) {
    const terms = new Set(found.slice(first, first + EXCERPT_LINES).flatMap((some) => [...some]));
    if (terms.size > most) [best, most] = [first, terms.size];
  }
  const shown = lines.slice(best, best + EXCERPT_LINES).map((line) => line.slice(0, LONGEST_LINE).trimEnd());
  return { first: best, text: removeIndent(shown).join("\n") };
}

function removeIndent(lines: readonly string[]): readonly string[] {
  const widths = lines.filter((line) => line !== "").map((line) => line.length - line.trimStart().length);
  const least = Math.min(...widths, LONGEST_LINE);
  return lines.map((line) => line.slice(least));
}
