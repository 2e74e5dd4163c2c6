/** A name that a line declares, with the width of its indentation. */
export interface Declaration {
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
const LONGEST_LINE = 400;

/** The declaration on a line of code, if there is one. Rules of thumb for all languages: a name too many does no harm. */
export function findDeclaration(line: string): Declaration | undefined {
  if (line.length > LONGEST_LINE || STATEMENT.test(line)) return undefined;
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
export function findHeading(line: string): Declaration | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  const heading = /^(#{1,6}|={1,6}|\*{1,6})\s+(\S.*?)\s*#*$/.exec(line);
  return heading ? { name: heading[2] ?? "", indent: (heading[1]?.length ?? 1) - 1 } : undefined;
}

/** Width of a line's leading white space. */
function measureIndent(line: string): number {
  const space = /^[ \t]*/.exec(line)?.[0] ?? "";
  return space.replaceAll("\t", "    ").length;
}

/** True for a line that belongs to the declaration below it: a comment, an attribute, a decorator. */
export function isLeadingLine(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!include|define|if|endif|!)|--\s|;;|%|"""|'''|@[\w.]+|\[[\w.]+(?:\(.*\))?\]\s*$|<!--|template\s*<)/.test(
    line,
  );
}
