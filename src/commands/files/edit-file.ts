import { counted } from "../../core/base/text.ts";
import type { Command, PrepareContext, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { type Args, FILE_ALIASES, FILENAME, number, objectSchema, requiredText, text } from "../arguments.ts";
import { type FileChangeDependencies, fileChange } from "../file-change.ts";
import { done, failed } from "../outcomes.ts";
import { missingFile } from "../places.ts";
import { applyEdits, type Edit } from "./apply-edits.ts";

const EDIT = {
  search: {
    type: "string",
    minLength: 1,
    description: "Text that is in the file now, copied exactly, with enough lines around it to be unique.",
  },
  replace: { type: "string", description: "The text that replaces it." },
  all: { type: "boolean", description: "Replace every place it is found at." },
  occurrence_index: { type: "integer", minimum: 0, description: "Replace only this one, counted from 0." },
} as const;

/** Replaces parts of a file. */
export function editFile(parts: FileChangeDependencies): Command {
  return {
    name: "edit_file",
    aliases: ["replace_in_file", "modify_file", "str_replace", "edit"],
    category: "files",
    effect: "write",
    description:
      "Replaces parts of a file. All edits are made in order, or none. Read the file first, and copy the text to search for from it.",
    parameters: objectSchema(
      {
        filename: FILENAME,
        edits: {
          type: "array",
          minItems: 1,
          items: objectSchema(EDIT, ["search", "replace"]),
        },
        search: { type: "string", minLength: 1, description: "For a single edit, in place of edits." },
        replace: { type: "string" },
        all: { type: "boolean" },
        occurrence_index: { type: "integer", minimum: 0 },
      },
      ["filename"],
    ),
    argumentAliases: {
      ...FILE_ALIASES,
      changes: "edits",
      old_text: "search",
      old_string: "search",
      old_str: "search",
      new_text: "replace",
      new_string: "replace",
      new_str: "replace",
      replace_all: "all",
      occurrence: "occurrence_index",
    },
    prepare: (args, preparing) => prepare(parts, args, preparing),
  };
}

async function prepare(
  parts: FileChangeDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const edits = editsOf(args);
  if (edits.length === 0)
    return failed(
      'edit_file was not run: the argument "edits" is missing. Give [{"search": "…", "replace": "…"}].',
    );
  const place = await parts.workspace.locate(requiredText(args, "filename"));
  const { label } = place;
  if (place.kind === "missing") return failed(await missingFile(parts.workspace, label, signal));
  const content = await parts.workspace.read(place);
  if (content.kind === "binary")
    return failed(`"${label}" is a binary file, so its text cannot be edited. Choose another file.`);
  const { file, version } = content;
  const edited = applyEdits(file, edits);
  if ("problems" in edited) return failed(`"${label}" was left as it is: ${edited.problems.join("\n")}`);
  if (edited.text === file.text) return done(`These edits change nothing in "${label}"; it is unchanged.`);
  if (edited.text.trim() === "" && file.text.trim() !== "")
    return failed(
      `"${label}" is unchanged: these edits would leave nothing in it. To remove it use delete_file, to rewrite it write_to_file.`,
    );
  return fileChange(parts, {
    place: { ...place, version },
    before: file.text,
    after: { ...file, text: edited.text },
    did: `Edited "${label}" in ${counted(edited.places, "place")}.`,
    details: detailsOf(label, edits),
  });
}

/** The edits as a list, also when a single edit came without one. */
function editsOf(args: Args): readonly Edit[] {
  const listed = Array.isArray(args.edits) ? args.edits : [];
  const all = [...listed, ...(text(args, "search") === undefined ? [] : [args])];
  return all.map((edit: Args) => ({
    search: requiredText(edit, "search"),
    replace: requiredText(edit, "replace"),
    all: edit.all === true,
    occurrence: number(edit, "occurrence_index"),
  }));
}

function detailsOf(label: string, edits: readonly Edit[]): string {
  const parts = edits.map(
    ({ search, replace, all, occurrence }) =>
      `Replace${whereOf(all, occurrence)}:\n${search}\n\nby:\n${replace === "" ? "(nothing)" : replace}`,
  );
  return `Edit "${label}".\n\n${parts.join("\n\n")}`;
}

function whereOf(all: boolean, occurrence: number | undefined): string {
  if (occurrence !== undefined) return ` occurrence ${occurrence}, counted from 0`;
  return all ? " everywhere" : "";
}
