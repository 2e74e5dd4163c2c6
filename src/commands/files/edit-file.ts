import { formatQuantity, unifyForms } from "../../core/base/text.ts";
import type { Command, PrepareContext, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ModelTraits } from "../../core/ports/model.ts";
import type { TextFile } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  FILE_ALIASES,
  FILENAME,
  getNumberArgument,
  getTextArgument,
  getTextOrJson,
  TEXT_OR_JSON,
} from "../arguments.ts";
import { type FileChangeDependencies, prepareFileChange } from "../file-change.ts";
import { editNotebook, findNotebook } from "../notebooks/edit-notebook.ts";
import { createFailure, createSuccess, NO_FILE, NO_TEXT, UNCHANGED } from "../outcomes.ts";
import { describeMissingFile } from "../places.ts";
import { applyDiff } from "./apply-diff.ts";
import { applyEdits, type Edit, type EditResult } from "./apply-edits.ts";
import { hasFileMove, listNamedFiles } from "./read-diff.ts";

const EDIT = {
  search: {
    type: "string",
    minLength: 1,
    description: "Text of the file, copied exactly, with enough lines to be unique.",
  },
  replace: { type: "string" },
  all: { type: "boolean", description: "Replace every occurrence." },
  occurrence_index: { type: "integer", minimum: 0, rare: true },
} as const;

const UNDERSTOOD_EDIT = {
  ...EDIT,
  search: { ...TEXT_OR_JSON, minLength: 1, minItems: 1 },
  replace: TEXT_OR_JSON,
} as const;

/** All arguments that are understood, whichever form is offered. */
const UNDERSTOOD = {
  filename: FILENAME,
  edits: { type: "array", minItems: 1, items: createObjectSchema(UNDERSTOOD_EDIT, ["search", "replace"]) },
  ...UNDERSTOOD_EDIT,
  diff: { ...TEXT_OR_JSON, minLength: 1, minItems: 1 },
} as const;

const EDITS = {
  filename: FILENAME,
  edits: { type: "array", minItems: 1, items: createObjectSchema(EDIT, ["search", "replace"]) },
} as const;

const DIFF = {
  filename: FILENAME,
  diff: {
    type: "string",
    minLength: 1,
    description: "Hunks that start with @@; two unchanged lines around each change. Line numbers aren't needed.",
  },
} as const;

/** The description and parameters for each form in which a model writes edits. See docs/decisions/0019-edit-formats.md. */
const FORMS: Readonly<Record<ModelTraits["edits"], Required<Pick<Command, "description" | "offered">>>> = {
  replace: {
    description: "Replaces parts of a file: all edits in order, or none. Read the file first.",
    offered: createObjectSchema(EDITS, ["filename", "edits"]),
  },
  diff: {
    description: "Applies a unified diff to a file: all hunks, or none. Read the file first.",
    offered: createObjectSchema(DIFF, ["filename", "diff"]),
  },
  whole: {
    description:
      "Replaces parts of a file of more than about 300 lines: all edits in order, or none. Shorter files are better rewritten with write_to_file.",
    offered: createObjectSchema(EDITS, ["filename", "edits"]),
  },
};

/** Changes parts of a file. All forms are understood; only `form` is offered. */
export function editFile(parts: FileChangeDependencies, form: ModelTraits["edits"] = "replace"): Command {
  return {
    name: "edit_file",
    aliases: ["replace_in_file", "modify_file", "str_replace", "edit", "apply_diff", "apply_patch"],
    category: "files",
    effect: "write",
    traits: { titles: [{ code: "EditFile", file: "filename" }], role: "edit", rank: 0, changes: "filename" },
    ...FORMS[form],
    parameters: createObjectSchema(UNDERSTOOD),
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
      patch: "diff",
      unified_diff: "diff",
    },
    prepare: (args, preparing) => prepare(parts, args, preparing),
  };
}

async function prepare(
  parts: FileChangeDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const change = readChange(args);
  if (typeof change === "string")
    return { status: "failed", error: `edit_file was not run: ${change}`, isInvalid: true };
  const place = await parts.workspace.locate(change.filename);
  const { label } = place;
  if (place.kind === "missing")
    return createFailure(await describeMissingFile(parts.workspace, label, signal), NO_FILE);
  const notebook = await findNotebook(parts.notebooks, place, signal);
  const ofCells = notebook && editNotebook(notebook, (file) => applyChange(file, change));
  if (ofCells) return ofCells;
  const content = await parts.workspace.read(place);
  if (content.kind === "binary")
    return createFailure(`"${label}" is a binary file, so its text cannot be edited. Choose another file.`, NO_TEXT);
  const { file, version } = content;
  const edited = applyChange(file, change);
  if ("problems" in edited)
    return createFailure(
      `"${label}" was left unchanged: ${edited.problems.join("\n")}`,
      displayText("timeline.noMatch"),
    );
  if (edited.text === file.text)
    return createSuccess(`These edits change nothing in "${label}"; it is unchanged.`, UNCHANGED);
  if (edited.text.trim() === "" && file.text.trim() !== "")
    return createFailure(
      `"${label}" is unchanged: these edits would leave nothing in it. To remove it use delete_file, to rewrite it write_to_file.`,
    );
  return prepareFileChange(parts, {
    place: { ...place, version },
    before: file.text,
    after: { ...file, text: edited.text },
    did: [`Edited "${label}" in ${formatQuantity(edited.places, "place")}.`, file.doubt ?? []].flat().join(" "),
    showsLines: true,
    details: change.diff === undefined ? describeEdits(label, change.edits) : `Edit "${label}":\n\n${change.diff}`,
  });
}

/** A wanted change in one of the two forms. */
type Change =
  | { readonly filename: string; readonly edits: readonly Edit[]; readonly diff?: undefined }
  | { readonly filename: string; readonly diff: string };

function applyChange(file: Pick<TextFile, "text" | "eol">, change: Change): EditResult {
  return change.diff === undefined ? applyEdits(file, change.edits) : applyDiff(file, change.diff);
}

/** Reads the change of a call, or explains its problem. A diff may name the file itself. */
function readChange(args: Args): Change | string {
  const diff = args.diff === undefined ? undefined : getTextOrJson(args, "diff", { label: "a.diff" });
  const edits = listEdits(args);
  const named = diff === undefined ? [] : listNamedFiles(diff);
  if (named.length > 1) return `the diff changes several files (${named.join(", ")}). Call it once for each file.`;
  const filename = getTextArgument(args, "filename") ?? named[0];
  if (filename === undefined) return 'the argument "filename" is missing.';
  if (!named.every((name) => isSameFile(name, filename)))
    return `the diff changes ${named[0]}, but "filename" is ${filename}. Name the same file in both.`;
  if (diff !== undefined && hasFileMove(diff))
    return "the diff moves or deletes its file. Use move_file or delete_file for that.";
  if (diff !== undefined && edits.length > 0) return 'give either "edits" or "diff", not both.';
  if (diff !== undefined) return { filename, diff };
  if (edits.length === 0)
    return 'the argument "edits" is missing. Give [{"search": "…", "replace": "…"}], or a unified diff as "diff".';
  return { filename, edits };
}

/** True if one path equals the other or its end: diffs name files from a repository's root. */
function isSameFile(one: string, other: string): boolean {
  const [short = [], long = []] = [one, other]
    .map((path) =>
      unifyForms(path)
        .replaceAll("\\", "/")
        .split("/")
        .filter((part) => part !== "" && part !== "."),
    )
    .sort((a, b) => a.length - b.length);
  return short.length > 0 && short.every((part, index) => part === long[long.length - short.length + index]);
}

/** Returns the edits as a list, even if the call gave a single edit without one. */
function listEdits(args: Args): readonly Edit[] {
  const listed = Array.isArray(args.edits) ? args.edits : [];
  const all = [...listed, ...(args.search === undefined ? [] : [args])];
  const label = getTextArgument(args, "filename") ?? "";
  return all.map((edit: Args) => ({
    search: getTextOrJson(edit, "search", { label }),
    replace: getTextOrJson(edit, "replace", { label }),
    all: edit.all === true,
    occurrence: getNumberArgument(edit, "occurrence_index"),
  }));
}

function describeEdits(label: string, edits: readonly Edit[]): string {
  const parts = edits.map(
    ({ search, replace, all, occurrence }) =>
      `Replace${describeOccurrence(all, occurrence)}:\n${search}\n\nby:\n${replace === "" ? "(nothing)" : replace}`,
  );
  return `Edit "${label}".\n\n${parts.join("\n\n")}`;
}

function describeOccurrence(all: boolean, occurrence: number | undefined): string {
  if (occurrence !== undefined) return ` occurrence ${occurrence}, counted from 0`;
  return all ? " everywhere" : "";
}
