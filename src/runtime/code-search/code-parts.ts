/** A part of a file. Lines count from 1; `to` is the last one. */
export interface CodeSection {
  readonly from: number;
  readonly to: number;
  /** The names that it declares, or its headings. */
  readonly symbols: readonly string[];
  readonly text: string;
}

/** Neighbors are merged up to this number of lines, and longer parts are split if possible. */
const FEW_LINES = 24;
const MOST_LINES = 60;
/** Minimum lines before a blank line that splits a part. */
const LEAST_LINES = 15;
const MOST_CHARS = 4000;
/** Longer lines are truncated. */
const LONGEST_LINE = 1000;
/** Limits per file, so that an unusual one doesn't take long. Searches don't find the rest. */
const MOST_STARTS = 2000;
const MOST_PARTS = 400;

const DOCUMENTS = /\.(?:md|mdx|markdown|adoc|asciidoc|org|rst|txt)$/i;
/** Extensions of files without declarations. */
const DATA =
  /\.(?:jsonc?|jsonl|ya?ml|toml|ini|cfg|conf|csv|tsv|xml|svg|html?|css|scss|less|properties|env|lock|log|pem|snap)$/i;

/** A line where a part may begin. */
interface Start extends Declaration {
  /** Index of its first line, including comments above it. */
  readonly first: number;
}

/** Cuts a file into parts at its declarations, headings and blank lines. */
export function splitIntoSections(path: string, text: string): readonly CodeSection[] {
  const lines = text.split(/\r?\n/);
  const starts = findStarts(path, lines);
  const sections = cut(lines, starts, 0, lines.length, 0);
  return joinShortSections(sections, lines)
    .slice(0, MOST_PARTS)
    .flatMap(([first, end]) => createSection(lines, starts, first, end));
}

function findStarts(path: string, lines: readonly string[]): readonly Start[] {
  if (DATA.test(path)) return [];
  const isDocument = DOCUMENTS.test(path);
  const read = isDocument ? findHeading : findDeclaration;
  const starts: Start[] = [];
  for (const [index, line] of lines.entries()) {
    const found = read(line);
    if (!found || (!isDocument && isLeadingLine(line))) continue;
    let first = index;
    while (!isDocument && first > 0 && isLeadingLine(lines[first - 1] ?? "")) first -= 1;
    starts.push({ ...found, first });
    if (starts.length === MOST_STARTS) break;
  }
  return starts;
}

type Section = readonly [first: number, end: number];

/** Splits lines at the outermost declarations. Parts that are still too long are split at inner declarations, then at blank lines. */
function cut(
  lines: readonly string[],
  starts: readonly Start[],
  first: number,
  end: number,
  depth: number,
): readonly Section[] {
  const within = starts.filter((start) => start.first > first && start.first < end);
  const outermost = Math.min(...within.map(({ indent }) => indent));
  const at = within.filter(({ indent }) => indent === outermost).map((start) => start.first);
  if (at.length === 0 || depth > 3) return splitByBlankLines(lines, first, end);
  const bounds = [first, ...new Set(at), end];
  return bounds.slice(1).flatMap((to, index) => {
    const from = bounds[index] ?? first;
    return isWithinPartLimits(lines, from, to) ? [[from, to] as const] : cut(lines, starts, from, to, depth + 1);
  });
}

function isWithinPartLimits(lines: readonly string[], first: number, end: number): boolean {
  if (end - first > MOST_LINES) return false;
  let chars = 0;
  for (let index = first; index < end; index++) chars += Math.min(LONGEST_LINE, lines[index]?.length ?? 0);
  return chars <= MOST_CHARS;
}

function splitByBlankLines(lines: readonly string[], first: number, end: number): readonly Section[] {
  const sections: Section[] = [];
  for (let from = first; from < end; ) {
    const to = findPartEnd(lines, from, end);
    sections.push([from, to]);
    from = to;
  }
  return sections;
}

/** Finds the end of a part: the last blank line before it's too long, or else that limit. */
function findPartEnd(lines: readonly string[], from: number, end: number): number {
  let [blank, chars] = [from, 0];
  for (let index = from; index < end; index++) {
    const line = lines[index] ?? "";
    chars += Math.min(LONGEST_LINE, line.length);
    if (index > from && (index - from >= MOST_LINES || chars > MOST_CHARS))
      return blank > from + LEAST_LINES ? blank : index;
    if (line.trim() === "") blank = index;
  }
  return end;
}

/** Joins short neighbors of the same depth. */
function joinShortSections(sections: readonly Section[], lines: readonly string[]): readonly Section[] {
  const result: Section[] = [];
  for (const [first, end] of sections) {
    const last = result.at(-1);
    if (last && end - last[0] <= FEW_LINES && isWithinPartLimits(lines, last[0], end))
      result.splice(-1, 1, [last[0], end]);
    else result.push([first, end]);
  }
  return result;
}

function createSection(
  lines: readonly string[],
  starts: readonly Start[],
  first: number,
  end: number,
): readonly CodeSection[] {
  let [from, to] = [first, end];
  while (from < to && (lines[from] ?? "").trim() === "") from += 1;
  while (to > from && (lines[to - 1] ?? "").trim() === "") to -= 1;
  if (from === to) return [];
  const inside = starts.filter((start) => start.first >= first && start.first < end);
  const outermost = Math.min(...inside.map(({ indent }) => indent));
  const symbols = inside.filter(({ indent }) => indent <= outermost + 4).map(({ name }) => copyString(name));
  const text = lines
    .slice(from, to)
    .map((line) => line.slice(0, LONGEST_LINE))
    .join("\n");
  return [{ from: from + 1, to, symbols: [...new Set(symbols)], text }];
}

/** Copies a piece of a text. Otherwise, the piece would keep the whole text in memory. */
function copyString(piece: string): string {
  return Buffer.from(piece).toString();
}

/** A name that a line declares, with the width of its indentation. */
interface Declaration {
  readonly name: string;
  readonly indent: number;
}

const NAME = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const QUALIFIED = String.raw`~?${NAME}(?:(?:::|\.|#)~?${NAME})*[?!=]?`;

/** Words before a declaration in all the languages, in any order. */
const MODIFIERS =
  "export default declare public private protected internal static abstract final sealed open override virtual async unsafe extern inline partial readonly data local global pub(?:\\([^)]*\\))? mut const constexpr native synchronized suspend tailrec operator infix lateinit unsigned friend typedef create or replace temporary";
/** Words that are followed by the name they declare. */
const KEYWORDS =
  "function\\*? fn func fun def defp defmodule defmacro sub proc procedure class interface type struct enum union trait impl mod module namespace package object protocol extension record actor contract message service rpc macro_rules! macro table view trigger resource newtype instance";

const MODIFIED = `(?:(?:${MODIFIERS.split(" ").join("|")})\\s+)*`;
const BY_KEYWORD = new RegExp(
  String.raw`^(\s*)(?:@\S+\s+)?${MODIFIED}(?:${KEYWORDS.split(" ").join("|")})(?:<[^>]*>)?\s+(?:\([^)]*\)\s*)?(${QUALIFIED})`,
  "iu",
);
/** A named value at the beginning of a line: functions in JavaScript, constants, settings. */
const VALUE = new RegExp(
  String.raw`^(?:export\s+)?(?:const|let|var|val|static|final)\s+(?:mut\s+)?(${NAME})\s*(?:[:=!,;<]|$)`,
  "u",
);
/** A method without a keyword: its parameters, followed by the beginning of its body. */
const METHOD = new RegExp(
  String.raw`^(\s+)(?:[\w$<>\[\],.?*&@]+\s+){0,6}(?:get |set |\*|#)?(${NAME})\s*(?:<[^>]*>)?\([^;=]*(?:\)\s*(?::[^{=]*|const|noexcept|override|throws [\w., ]+|->.*)?\s*\{?|,|\()\s*$`,
  "u",
);
/** A function in C and related languages: a type, a name and parameters at the beginning of a line. */
const PLAIN = new RegExp(String.raw`^(?:[\w:<>,*&\[\]~]+\s+)+[*&]*(${QUALIFIED})\s*\([^;]*$`, "u");
const SCRIPT = new RegExp(String.raw`^(\s*)(${NAME}(?:-\w+)*)\s*\(\)\s*\{?\s*$`, "u");
/** Statements that look like a call with a body. */
const STATEMENT =
  /^\s*(?:\}?\s*(?:if|else|for|foreach|while|until|switch|case|when|match|catch|with|do|try|return|await|yield|throw|new|delete|typeof|using|lock|assert|expect|print|super|import|from|unless|elif|not|and|or)\b|[.)\]},'"`])/;
/** Words that aren't names. */
const NOT_NAMES: ReadonlySet<string> = new Set(
  "if for while switch catch return function new in of is as from extends implements where".split(" "),
);

/** Longer lines don't declare anything, and matching them could take minutes. */
const LONGEST_DECLARATION = 400;

/** The declaration on a line of code, if there is one. Rules of thumb for all languages: a name too many does no harm. */
function findDeclaration(line: string): Declaration | undefined {
  if (line.length > LONGEST_DECLARATION || STATEMENT.test(line)) return undefined;
  const keyword = BY_KEYWORD.exec(line);
  if (keyword) return createDeclaration(keyword[2], keyword[1]);
  const value = VALUE.exec(line);
  if (value) return createDeclaration(value[1], "");
  const method = METHOD.exec(line) ?? SCRIPT.exec(line);
  if (method) return createDeclaration(method[2], method[1]);
  return createDeclaration(PLAIN.exec(line)?.[1], "");
}

function createDeclaration(name: string | undefined, indent = ""): Declaration | undefined {
  if (name === undefined || NOT_NAMES.has(name)) return undefined;
  return { name, indent: measureIndent(indent) };
}

/** The heading on a line of a document: of Markdown, AsciiDoc or Org. */
function findHeading(line: string): Declaration | undefined {
  if (line.length > LONGEST_DECLARATION) return undefined;
  const heading = /^(#{1,6}|={1,6}|\*{1,6})\s+(\S.*?)\s*#*$/.exec(line);
  return heading ? { name: heading[2] ?? "", indent: (heading[1]?.length ?? 1) - 1 } : undefined;
}

/** Width of a line's leading white space. */
function measureIndent(line: string): number {
  const space = /^[ \t]*/.exec(line)?.[0] ?? "";
  return space.replaceAll("\t", "    ").length;
}

/** True for a line that belongs to the declaration below it: a comment, an attribute, a decorator. */
function isLeadingLine(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!include|define|if|endif|!)|--\s|;;|%|"""|'''|@[\w.]+|\[[\w.]+(?:\(.*\))?\]\s*$|<!--|template\s*<)/.test(
    line,
  );
}
