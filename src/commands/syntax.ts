import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { LineCounter, parseAllDocuments } from "yaml";
import type { PythonSyntax } from "../core/ports/programs.ts";

/** A text that a change leaves in a file. */
interface ChangedText {
  readonly label: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Longer texts aren't checked, since the parsers take long for them. */
const MOST_CHARACTERS = 500_000;

type Check = PythonSyntax;

/** Describes the place where a change has broken the syntax of a file; "" if there is none. Runs nothing of the workspace. */
export async function describeBrokenSyntax(
  { label, before, after }: ChangedText,
  python: PythonSyntax | undefined,
  signal: AbortSignal,
): Promise<string> {
  for (const check of listSyntaxChecks(label, python)) {
    const fault = await findSyntaxFault(after, check, signal);
    if (typeof fault !== "object") return "";
    const isNew = before === undefined || before.trim() === "";
    if (!isNew && (await findSyntaxFault(before, check, signal)) !== "fine") continue;
    return `${isNew ? "Its syntax is wrong" : "This change has broken its syntax"}: line ${fault.line}: ${fault.message}.`;
  }
  return "";
}

async function findSyntaxFault(text: string, check: Check, signal: AbortSignal): ReturnType<Check> {
  if (text.trim() === "" || text.length > MOST_CHARACTERS) return undefined;
  return check(text, signal);
}

/** Lists the checks of a file by its name. A later check is for texts that failed an earlier one before. */
function listSyntaxChecks(label: string, python: PythonSyntax | undefined): readonly Check[] {
  if (/\.jsonc$/i.test(label) || HAS_COMMENTS.test(label)) return [createJsonCheck(false)];
  if (/\.json$/i.test(label)) return [createJsonCheck(true), createJsonCheck(false)];
  if (/\.ya?ml$/i.test(label)) return [checkYaml];
  return python && /\.pyi?$/i.test(label) ? [python] : [];
}

/** JSON files whose programs allow comments and commas at the end. */
const HAS_COMMENTS =
  /(?:^|\/)(?:\.(?:vscode|devcontainer)\/[^/]*|(?:ts|js)config[^/]*|\.?(?:devcontainer|eslintrc|swcrc|babelrc|jshintrc|tslint|deno|turbo|nx|api-extractor|language-configuration|settings))\.json$/i;

function createJsonCheck(isStrict: boolean): Check {
  return async (text) => {
    const errors: ParseError[] = [];
    parse(text, errors, { disallowComments: isStrict, allowTrailingComma: !isStrict });
    const [first] = errors;
    if (!first) return "fine";
    const message = printParseErrorCode(first.error).replace(
      /(?<=[a-z])[A-Z]/g,
      (letter) => ` ${letter.toLowerCase()}`,
    );
    return { line: text.slice(0, first.offset).split(/\r\n|\r|\n/).length, message: `${message} (JSON)` };
  };
}

/** A template's marks aren't YAML until it's filled in. */
const IS_TEMPLATE = /\{\{|\{%|<%/;

async function checkYaml(text: string): ReturnType<Check> {
  if (IS_TEMPLATE.test(text)) return undefined;
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, logLevel: "silent" });
  const first = [...documents].flatMap(({ errors }) => errors)[0];
  return first ? { line: lineCounter.linePos(first.pos[0]).line, message: `${first.message} (YAML)` } : "fine";
}
