import { counted } from "../../core/base/text.ts";
import type { Command, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { FileContent, ResolvedPath, TextFile, Workspace } from "../../core/ports/workspace.ts";
import {
  type Args,
  CONTENTS_ALIASES,
  FILE_ALIASES,
  FILENAME,
  objectSchema,
  requiredText,
} from "../arguments.ts";
import {
  DIFF_BYTES,
  type FileChangeDependencies,
  fileChange,
  newTextFile,
  noFileThere,
  withEol,
} from "../file-change.ts";
import { writeNotebook } from "../notebooks/edit-notebook.ts";
import { done, failed, UNCHANGED } from "../outcomes.ts";
import { size } from "../units.ts";

/** Creates a file or replaces all of its text. */
export function writeToFile(parts: FileChangeDependencies): Command {
  return {
    name: "write_to_file",
    aliases: ["write_file", "create_file"],
    category: "files",
    effect: "write",
    description:
      "Creates a file with its folders, or replaces a whole file. To change part of one, use edit_file.",
    parameters: objectSchema({ filename: FILENAME, contents: { type: "string" } }, ["filename", "contents"]),
    argumentAliases: { ...FILE_ALIASES, ...CONTENTS_ALIASES },
    prepare: (args, { signal }) => prepare(parts, args, signal),
  };
}

async function prepare(
  parts: FileChangeDependencies,
  args: Args,
  signal: AbortSignal,
): Promise<PreparedCall | Outcome> {
  const place = await parts.workspace.locate(requiredText(args, "filename"), "new");
  const { label, kind, bytes } = place;
  const problem = noFileThere(place);
  if (problem !== undefined) return failed(problem);
  const ofCells = await writeNotebook(parts.notebooks, place, requiredText(args, "contents"), signal);
  if (ofCells) return ofCells;
  const content = await existing(parts.workspace, place);
  const old = content?.kind === "text" ? content.file : undefined;
  const after = newText(place, requiredText(args, "contents"), old);
  if (old?.text === after.text)
    return done(`"${label}" already has exactly this text; it is unchanged.`, UNCHANGED);
  const wrote = `"${label}" with ${counted(lines(after.text), "line")}`;
  const what = content?.kind === "binary" ? "binary file" : "file";
  return fileChange(parts, {
    place: { ...place, version: content?.version ?? place.version },
    ...(old ? { before: old.text } : {}),
    after,
    did: kind === "missing" ? `Created ${wrote}.` : `Replaced ${wrote}.`,
    details: `Replace the ${what} "${label}" (${size(bytes)}) by this text:\n\n${after.text}`,
  });
}

/** The file's current text; undefined when there is none, or it's too large for a diff. */
async function existing(workspace: Workspace, place: ResolvedPath): Promise<FileContent | undefined> {
  return place.kind === "missing" || place.bytes > DIFF_BYTES ? undefined : workspace.read(place);
}

/** A replaced file keeps its encoding and line ends. */
function newText(place: ResolvedPath, contents: string, old: TextFile | undefined): TextFile {
  return old ? { ...old, text: withEol(contents, old.eol) } : newTextFile(place, contents);
}

function lines(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
