import { counted } from "../../core/base/text.ts";
import type { Command, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { FileContent, ResolvedPath, TextFile, Workspace } from "../../core/ports/workspace.ts";
import {
  type Args,
  CONTENTS_ALIASES,
  FILE_ALIASES,
  FILENAME,
  fileContents,
  flag,
  objectSchema,
  requiredText,
  TEXT_OR_JSON,
} from "../arguments.ts";
import {
  DIFF_BYTES,
  type FileChangeDependencies,
  fileChange,
  newTextFile,
  noFileThere,
  withEol,
  withoutMark,
} from "../file-change.ts";
import { writeNotebook } from "../notebooks/edit-notebook.ts";
import { done, failed, UNCHANGED } from "../outcomes.ts";
import { size } from "../units.ts";
import { carriedText } from "./carried-text.ts";
import { withLeftOut } from "./left-out.ts";

/** Added to the outcome where the new text lacked lines of the file. */
const KEPT = " Lines that were missing from the new text were kept.";

/** Creates a file or replaces all of its text. */
export function writeToFile(parts: FileChangeDependencies): Command {
  return {
    name: "write_to_file",
    aliases: ["write_file", "create_file"],
    category: "files",
    effect: "write",
    description:
      "Creates a file with its folders, or replaces a whole file. To change part of one, use edit_file.",
    parameters: objectSchema(
      {
        ...{ filename: FILENAME, contents: TEXT_OR_JSON },
        ...{ keep_end: { type: "boolean" }, may_be_part: { type: "boolean" } },
      },
      ["filename", "contents"],
    ),
    offered: objectSchema({ filename: FILENAME, contents: { type: "string" } }, ["filename", "contents"]),
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
  const ofCells = await writeNotebook(parts.notebooks, place, fileContents(args, place).contents, signal);
  if (ofCells) return ofCells;
  const content = await existing(parts.workspace, place);
  const old = content?.kind === "text" ? content.file : undefined;
  const { contents, note } = fileContents(args, { label, ...(old ? { text: old.text } : {}) });
  const whole = old && flag(args, "may_be_part") ? withLeftOut(contents, old.text, label) : contents;
  const after = newText(place, flag(args, "keep_end") ? withEndOf(whole, old) : whole, old);
  if (old?.text === after.text)
    return whole === contents
      ? done(`"${label}" already has exactly this text; it is unchanged.`, UNCHANGED)
      : done(`"${label}" is unchanged.${KEPT}`, UNCHANGED);
  const wrote = `"${label}" with ${counted(lines(after.text), "line")}`;
  const isBinary = content?.kind === "binary";
  const notes = note + (isBinary ? " It was a binary file before." : encodingNote(old));
  const what = isBinary ? "binary file" : "file";
  return fileChange(parts, {
    place: { ...place, version: content?.version ?? place.version },
    ...(old ? { before: old.text } : {}),
    after,
    did: `${kind === "missing" ? "Created" : "Replaced"} ${wrote}.${whole === contents ? "" : KEPT}${notes}`,
    details: `Replace the ${what} "${label}" (${size(bytes)}) by this text:\n\n${after.text}`,
  });
}

/** The file's current text; undefined when there is none, or it's too large for a diff. */
async function existing(workspace: Workspace, place: ResolvedPath): Promise<FileContent | undefined> {
  return place.kind === "missing" || place.bytes > DIFF_BYTES ? undefined : workspace.read(place);
}

/** A text from between fences, whose last line end says nothing, with the end of the file that it replaces. */
function withEndOf(contents: string, old: TextFile | undefined): string {
  if (!old || old.text === "" || contents === "") return contents;
  const end = old.text.slice(beforeLastLineEnds(old.text)).replaceAll(old.eol, "\n");
  return `${contents.slice(0, beforeLastLineEnds(contents))}${end}`;
}

/** The position of the line ends that a text ends with. */
function beforeLastLineEnds(text: string): number {
  let at = text.length;
  while (text[at - 1] === "\n" || text[at - 1] === "\r") at--;
  return at;
}

/** A replaced file keeps its encoding, unless that's a guess, and its line ends: where they differ, those of each line. */
function newText(place: ResolvedPath, contents: string, old: TextFile | undefined): TextFile {
  if (!old) return newTextFile(place, contents);
  const { text, eol, encoding, bom, isGuessed } = old;
  const isMixed = new Set(text.match(/\r\n|\r|\n/g)).size > 1 && !contents.includes("\r");
  const found = { found: text, search: text, wanted: contents, fitted: (wanted: string) => wanted, eol };
  return {
    text: withoutMark(isMixed ? carriedText(found) : withEol(contents, eol), old),
    eol,
    ...(isGuessed ? { encoding: "utf-8", bom: false } : { encoding, bom }),
  };
}

/** A sentence on the encoding of a text that replaces one in an uncertain encoding; "" for any other. */
function encodingNote(old: TextFile | undefined): string {
  if (old?.isGuessed) return ` It is UTF-8 now: its encoding before, ${old.encoding}, was only a guess.`;
  if (old?.doubt === undefined) return "";
  return ` It was written as ${old.encoding.startsWith("utf-8") ? "UTF-8" : old.encoding}. Before: ${old.doubt}`;
}

function lines(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
