import { formatQuantity } from "../../core/base/text.ts";
import {
  type Command,
  createPreparedCall,
  type PrepareContext,
  type PreparedCall,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath, Symbols, Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  FILE_ALIASES,
  FILENAME,
  getNumberArgument,
  getRequiredText,
  getTextArgument,
} from "../arguments.ts";
import { formatFileCount, formatGroupedMatches } from "../line-texts.ts";
import { createFailure, createSuccess, NO_FILE, NOTHING_FOUND } from "../outcomes.ts";
import { createTouch, describeMissingFile } from "../places.ts";
import { explainWithheldSymbols } from "./language-services.ts";

const MOST = 200;

/** Finds where a name is used. */
export function findReferences(workspace: Workspace, symbols: Symbols | undefined): Command {
  return {
    name: "find_references",
    aliases: ["find_usages", "get_references"],
    category: "code",
    effect: "read",
    traits: {
      titles: [{ code: "FindReferences", text: "symbol" }],
      rank: 110,
      reads: "search",
      needsEditor: true,
    },
    description:
      "Finds the uses of a function, class or variable, through the language services. If the name is ambiguous, give a file and line where it occurs.",
    parameters: createObjectSchema(
      {
        symbol: { type: "string", minLength: 1, maxLength: 200 },
        filename: FILENAME,
        line: { type: "integer", minimum: 1 },
      },
      ["symbol"],
    ),
    argumentAliases: {
      ...FILE_ALIASES,
      name: "symbol",
      query: "symbol",
      symbol_name: "symbol",
      identifier: "symbol",
      line_number: "line",
    },
    withheld: () => explainWithheldSymbols(symbols),
    prepare: (args, preparing) => prepare(workspace, symbols, args, preparing),
  };
}

async function prepare(
  workspace: Workspace,
  symbols: Symbols | undefined,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  if (!symbols) return createFailure("There is no language service here.");
  const name = getRequiredText(args, "symbol").trim();
  const filename = getTextArgument(args, "filename");
  const place = filename === undefined ? undefined : await workspace.locate(filename);
  if (place?.kind === "missing")
    return createFailure(await describeMissingFile(workspace, place.label, signal), NO_FILE);
  const line = getNumberArgument(args, "line");
  const where = place ? ` in "${place.label}"${line === undefined ? "" : `, line ${line}`}` : "";
  return createPreparedCall(
    "read",
    `Find where the ${JSON.stringify(name)}${where} is used.`,
    (running) => searchReferences(workspace, symbols, { name, place, line }, running.signal),
    { touches: place ? [createTouch(place, "read")] : [] },
  );
}

interface ReferenceQuery {
  readonly name: string;
  readonly place: ResolvedPath | undefined;
  readonly line: number | undefined;
}

async function searchReferences(
  workspace: Workspace,
  symbols: Symbols,
  { name, place, line }: ReferenceQuery,
  signal: AbortSignal,
): Promise<Outcome> {
  const definition = place ? undefined : (await symbols.find(name, signal)).find((one) => one.name === name);
  if (!place && !definition)
    return createFailure(
      `The language services know no ${JSON.stringify(name)}. Name a file that has it, or look for it with search_files.`,
      NOTHING_FOUND,
    );
  const file = place ?? (await workspace.locate(definition?.label ?? ""));
  const at = await findNamePosition(workspace, file, name, line ?? definition?.line);
  if (!at)
    return createFailure(
      `${JSON.stringify(name)} is not in ${line === undefined ? "" : `line ${line} of `}"${file.label}". Look at the file, or leave the line out.`,
      NOTHING_FOUND,
    );
  const references = await symbols.findReferences(file, at, signal);
  if (references.length === 0)
    return createFailure(
      `The language services know no use of ${JSON.stringify(name)}. Look for it with search_files.`,
      NOTHING_FOUND,
    );
  const shown = references.slice(0, MOST).map((one) => ({ ...one, text: one.text.trim() }));
  const rest = references.length - shown.length;
  const header = `${formatQuantity(references.length, "use")} of ${JSON.stringify(name)} in ${formatFileCount(references)}:`;
  return createSuccess(
    [header, formatGroupedMatches(shown), ...(rest > 0 ? [`… and ${formatQuantity(rest, "more use")}.`] : [])].join(
      "\n",
    ),
    displayText("timeline.places", { count: references.length }),
  );
}

/** Finds a name as a whole word: in that line, or else in the first line that contains it. */
async function findNamePosition(
  workspace: Workspace,
  place: ResolvedPath,
  name: string,
  line: number | undefined,
): Promise<{ readonly line: number; readonly column: number } | undefined> {
  const content = await workspace.read(place);
  if (content.kind === "binary") return undefined;
  const plain = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const word = new RegExp(`(?<![\\p{L}\\p{N}_$])${plain}(?![\\p{L}\\p{N}_$])`, "u");
  for (const [index, text] of content.file.text.split(/\r\n|\r|\n/).entries()) {
    const column = line === undefined || line === index + 1 ? text.search(word) : -1;
    if (column !== -1) return { line: index + 1, column: column + 1 };
  }
  return undefined;
}
