import { formatQuantity } from "../../core/base/text.ts";
import type { Command, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath, TextFile, Workspace } from "../../core/ports/workspace.ts";
import {
  type Args,
  CONTENTS_ALIASES,
  createObjectSchema,
  FILE_ALIASES,
  FILENAME,
  getContentsArgument,
  getRequiredText,
  TEXT_OR_JSON,
} from "../arguments.ts";
import {
  createNewTextFile,
  type FileChangeDependencies,
  prepareFileChange,
  setLineEnds,
  stripByteOrderMark,
} from "../file-change.ts";
import { appendToNotebook } from "../notebooks/edit-notebook.ts";
import { createFailure, NO_TEXT } from "../outcomes.ts";

/** Adds text at the end of a file. */
export function appendToFile(parts: FileChangeDependencies): Command {
  return {
    name: "append_to_file",
    aliases: ["append_file"],
    category: "files",
    effect: "write",
    traits: {
      titles: [{ code: "AppendFile", file: "filename" }],
      role: "append",
      rank: 120,
      changes: "filename",
    },
    description: "Adds lines at the end of a file; creates it if missing.",
    parameters: createObjectSchema({ filename: FILENAME, contents: { ...TEXT_OR_JSON, minLength: 1, minItems: 1 } }, [
      "filename",
      "contents",
    ]),
    offered: createObjectSchema({ filename: FILENAME, contents: { type: "string", minLength: 1 } }, [
      "filename",
      "contents",
    ]),
    argumentAliases: { ...FILE_ALIASES, ...CONTENTS_ALIASES },
    prepare: (args, { signal }) => prepare(parts, args, signal),
  };
}

async function prepare(
  parts: FileChangeDependencies,
  args: Args,
  signal: AbortSignal,
): Promise<PreparedCall | Outcome> {
  const place = await parts.workspace.locate(getRequiredText(args, "filename"), "new");
  const ofCells = await appendToNotebook(parts.notebooks, place, getContentsArgument(args, place).contents, signal);
  if (ofCells) return ofCells;
  const found = await loadTextFile(parts.workspace, place);
  if (found === undefined)
    return createFailure(
      `"${place.label}" is a binary file, so no text can be added to it. Choose another file.`,
      NO_TEXT,
    );
  const { file, version } = found;
  const { contents, note } = getContentsArgument(args, { label: place.label, text: file.text });
  const added = setLineEnds(stripByteOrderMark(contents, { bom: file.bom || file.text !== "" }), file.eol);
  const end = /[^\r\n]$/.test(file.text) && !/^[\r\n]/.test(added) ? file.eol : "";
  return prepareFileChange(parts, {
    place: { ...place, version },
    ...(place.kind === "missing" ? {} : { before: file.text }),
    after: { ...file, text: file.text + end + added },
    showsLines: true,
    did: [
      `Added ${formatQuantity(added.length, "character")} to the end of "${place.label}".${note}`,
      end === "" ? [] : "Its last line had no line end, so one was put between.",
      file.doubt ?? [],
    ]
      .flat()
      .join(" "),
    details: `Add this to the end of "${place.label}":\n\n${added}`,
  });
}

/** The file's text, empty when there is no file yet; undefined when it's binary. */
async function loadTextFile(
  workspace: Workspace,
  place: ResolvedPath,
): Promise<{ readonly file: TextFile; readonly version: string } | undefined> {
  if (place.kind === "missing") return { file: createNewTextFile(place, ""), version: place.version };
  const content = await workspace.read(place);
  return content.kind === "text" ? content : undefined;
}
