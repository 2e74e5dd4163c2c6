import { formatQuantity } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { CodePlace, CodeSearch, ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  FOLDER,
  FOLDER_ALIASES,
  GLOB,
  getNumberArgument,
  getRequiredText,
  getTextArgument,
} from "../arguments.ts";
import { createFailure, createSuccess, NOTHING_FOUND } from "../outcomes.ts";
import { createTouch, getFolderPath } from "../places.ts";

const USUAL_COUNT = 10;
const MOST_COUNT = 30;
/** Most names to show for a place. */
const MOST_NAMES = 6;

/** Finds code that matches a description. The command is absent where no folder can be indexed. */
export function searchCode(workspace: Workspace, code: CodeSearch | undefined): Command {
  return {
    name: "search_code",
    aliases: ["semantic_search", "codebase_search", "search_codebase", "codebase"],
    category: "files",
    effect: "read",
    traits: {
      titles: [
        { code: "SearchFolder", text: "query", path: "folder" },
        { code: "SearchFiles", text: "query" },
        { code: "FindFiles", text: "glob" },
      ],
      rank: 20,
      reads: "search",
    },
    description:
      "Finds the places in the workspace that a question or description fits, best first. For exact text, use search_files.",
    parameters: createObjectSchema(
      {
        query: { type: "string", minLength: 1, maxLength: 1000 },
        folder: FOLDER,
        glob: GLOB,
        count: { type: "integer", minimum: 1, maximum: MOST_COUNT },
      },
      ["query"],
    ),
    argumentAliases: {
      ...FOLDER_ALIASES,
      filename: "folder",
      question: "query",
      pattern: "query",
      input: "query",
      text: "query",
      search: "query",
      include: "glob",
      file_pattern: "glob",
      limit: "count",
      max_results: "count",
    },
    withheld: () => (code ? undefined : displayText("trouble.noCodeIndex")),
    prepare: (args) => prepare(workspace, code, args),
  };
}

async function prepare(
  workspace: Workspace,
  code: CodeSearch | undefined,
  args: Args,
): Promise<PreparedCall | Outcome> {
  if (!code) return createFailure("There is no index of the code here. Use search_files.");
  const query = getRequiredText(args, "query").trim();
  if (query === "") return createFailure("The query is empty. Say in words what the code does.");
  const place = await workspace.locate(getFolderPath(getTextArgument(args, "folder")));
  if (place.kind === "missing")
    return createFailure(
      `There is no folder "${place.label}". Look around with list_files.`,
      displayText("timeline.noFolder"),
    );
  const glob = getTextArgument(args, "glob");
  const like = glob === undefined ? "" : `, in files like ${glob}`;
  return createPreparedCall(
    "read",
    `Find code that fits ${JSON.stringify(query)} in "${place.label}"${like}.`,
    (running) =>
      searchCodePlaces(code, place, { query, glob, count: getNumberArgument(args, "count") ?? USUAL_COUNT }, running),
    { touches: [createTouch(place, "read")] },
  );
}

async function searchCodePlaces(
  search: CodeSearch,
  place: ResolvedPath,
  asked: { readonly query: string; readonly glob: string | undefined; readonly count: number },
  { signal, output }: RunContext,
): Promise<Outcome> {
  const reportProgress = (files: number, all: number): void =>
    output(`Indexing: ${formatQuantity(files, "file")} of ${all} read.\n`);
  const { places, isPartial } = await search(place, { ...asked, signal, reportProgress });
  const note = isPartial
    ? "[The workspace is too large: only the files next to its root are indexed. Find others with search_files.]"
    : "";
  if (places.length === 0)
    return createSuccess(
      ["Nothing fits. Try other words, or search_files.", note].filter(Boolean).join("\n"),
      NOTHING_FOUND,
    );
  const texts = [...places.map(formatCodePlace), note].filter((part) => part !== "");
  return createSuccess(texts.join("\n"), displayText("timeline.places", { count: places.length }));
}

function formatCodePlace({ label, from, to, symbols, others, line, excerpt }: CodePlace): string {
  const further = others.map((other) => `${formatLineRange(other)}${formatSymbolNames(other)}`).join("; ");
  const lines = excerpt.split("\n").map((one, index) => `  ${line + index}: ${one}`.trimEnd());
  return [
    `${label}:${formatLineRange({ from, to })}${formatSymbolNames({ symbols })}${further === "" ? "" : ` · also ${further}`}`,
    ...lines,
  ].join("\n");
}

function formatLineRange({ from, to }: Pick<CodePlace, "from" | "to">): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

function formatSymbolNames({ symbols }: Pick<CodePlace, "symbols">): string {
  return symbols.length === 0 ? "" : ` ${symbols.slice(0, MOST_NAMES).join(", ")}`;
}
