import { omitUndefined } from "../../core/base/objects.ts";
import { formatQuantity } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath, SearchMatch, Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  FOLDER,
  FOLDER_ALIASES,
  GLOB,
  getFlagArgument,
  getTextArgument,
} from "../arguments.ts";
import { formatFileCount, formatGroupedMatches } from "../line-texts.ts";
import { createFailure, createSuccess, markIgnoredPlace, NOTHING_FOUND } from "../outcomes.ts";
import { createTouch, getFolderPath } from "../places.ts";
import { renderFolderListing } from "./listing-text.ts";

/** Limit on the matching lines that are shown. */
const MOST_MATCHES = 200;

/** Finds lines in files; without a pattern it lists files, as in older versions. */
export function searchFiles(workspace: Workspace): Command {
  return {
    name: "search_files",
    aliases: ["grep", "find_in_files", "search_in_files", "find_files"],
    category: "files",
    effect: "read",
    traits: {
      titles: [
        { code: "SearchFolder", text: "pattern", path: "folder" },
        { code: "SearchFiles", text: "pattern" },
        { code: "FindFiles", text: "glob" },
      ],
      role: "search",
      rank: 0,
      isLean: true,
      reads: "search",
    },
    description:
      "Finds lines with a text or regular expression in the files below a folder, or in one file. Lowercase patterns ignore case.",
    parameters: createObjectSchema({
      pattern: { type: "string", minLength: 1, maxLength: 500 },
      regex: { type: "boolean" },
      folder: FOLDER,
      glob: GLOB,
    }),
    argumentAliases: {
      ...FOLDER_ALIASES,
      filename: "folder",
      query: "pattern",
      input: "pattern",
      text: "pattern",
      search: "pattern",
      is_regex: "regex",
      file_pattern: "glob",
      include: "glob",
    },
    prepare: (args) => prepare(workspace, args),
  };
}

async function prepare(workspace: Workspace, args: Args): Promise<PreparedCall | Outcome> {
  const place = await workspace.locate(getFolderPath(getTextArgument(args, "folder")));
  if (place.kind === "missing")
    return createFailure(
      `There is no folder "${place.label}". Look around with list_files.`,
      displayText("timeline.noFolder"),
    );
  if (place.kind === "other") return createFailure(`"${place.label}" is a device or a socket, so it is not searched.`);
  const pattern = getTextArgument(args, "pattern");
  const glob = getTextArgument(args, "glob");
  const regex = getFlagArgument(args, "regex");
  const where = `in "${place.label}"${glob === undefined ? "" : `, in files like ${glob}`}`;
  const touches = { touches: [createTouch(place, "read")] };
  if (pattern === undefined)
    return createPreparedCall(
      "read",
      `List the files ${where}.`,
      ({ signal }) => renderFolderListing(workspace, place, glob, signal),
      touches,
    );
  return createPreparedCall(
    "read",
    `Find ${regex ? "the regular expression " : ""}${JSON.stringify(pattern)} ${where}.`,
    (running) => searchMatches(workspace, place, { pattern, regex, ...omitUndefined({ glob }) }, running),
    touches,
  );
}

async function searchMatches(
  workspace: Workspace,
  place: ResolvedPath,
  wanted: { pattern: string; regex: boolean; glob?: string },
  { signal, output }: RunContext,
): Promise<Outcome> {
  const { matches, more, note } = await workspace.search(place, {
    ...wanted,
    limit: MOST_MATCHES,
    signal,
    reportMatches: createMatchStream(output),
  });
  const what = JSON.stringify(wanted.pattern);
  const named = matches.length === 0 ? await findSimilarNames(workspace, place, wanted, signal) : "";
  const count = formatQuantity(matches.length, "match", "matches");
  const parts = [
    matches.length === 0
      ? `Nothing ${wanted.regex ? "matches" : "contains"} ${what}.`
      : `${more ? "The first " : ""}${count} of ${what} in ${formatFileCount(matches)}:`,
    formatGroupedMatches(matches),
    named,
    more ? "[There are more. Search a folder below, or give a glob.]" : "",
    note === undefined ? "" : `[${note}]`,
  ];
  const files = displayText("common.files", { count: new Set(matches.map(({ label }) => label)).size });
  const summary =
    matches.length === 0 ? NOTHING_FOUND : displayText("timeline.matches", { count: matches.length, files });
  return markIgnoredPlace(createSuccess(parts.filter((part) => part !== "").join("\n"), summary), place);
}

/** Limit on the names that are shown. */
const MOST_NAMES = 20;

/** Lists files whose names match although their lines don't, as a text for the model; "" if there are none. */
async function findSimilarNames(
  workspace: Workspace,
  place: ResolvedPath,
  { pattern, regex }: { readonly pattern: string; readonly regex: boolean },
  signal: AbortSignal,
): Promise<string> {
  const plain = regex ? pattern.replace(/^\^?(?:\.\*)?|\$$/g, "").replace(/\\(?=\W)/g, "") : pattern;
  const name = plain.replace(/^(?:\*\*\/)?\*/, "").trim();
  if (place.kind !== "folder" || !/^[\w.@ -]+$/.test(name)) return "";
  const glob = `**/*${name}*`;
  const { labels, more } = await workspace.list(place, { glob, limit: MOST_NAMES, signal });
  if (labels.length === 0) return "";
  const files = `${labels.join("\n")}${more ? "\n…" : ""}`;
  return `But the names of these files have it. To list files by their names, use list_files with a glob like ${JSON.stringify(glob)}.\n${files}`;
}

/** Shows matches as they are found, up to the number in the outcome. */
function createMatchStream(output: RunContext["output"]): (matches: readonly SearchMatch[]) => void {
  let room = MOST_MATCHES;
  return (matches) => {
    const shown = matches.slice(0, Math.max(0, room));
    room -= shown.length;
    if (shown.length > 0) output(`${formatGroupedMatches(shown)}\n`);
  };
}
