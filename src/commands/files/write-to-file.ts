import { diffArrays } from "diff";
import { formatQuantity } from "../../core/base/text.ts";
import type { Command, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { FileContent, ResolvedPath, TextFile, Workspace } from "../../core/ports/workspace.ts";
import {
  type Args,
  CONTENTS_ALIASES,
  createObjectSchema,
  FILE_ALIASES,
  FILENAME,
  getContentsArgument,
  getFlagArgument,
  getRequiredText,
  TEXT_OR_JSON,
} from "../arguments.ts";
import {
  createNewTextFile,
  DIFF_BYTES,
  explainUnwritablePlace,
  type FileChangeDependencies,
  prepareFileChange,
  setLineEnds,
  stripByteOrderMark,
} from "../file-change.ts";
import { writeNotebook } from "../notebooks/edit-notebook.ts";
import { createFailure, createSuccess, UNCHANGED } from "../outcomes.ts";
import { formatByteSize } from "../units.ts";
import { carryOverWhiteSpace } from "./carried-text.ts";

/** Added to the outcome where the new text lacked lines of the file. */
const KEPT = " Lines that were missing from the new text were kept.";

/** Creates a file or replaces all of its text. */
export function writeToFile(parts: FileChangeDependencies): Command {
  return {
    name: "write_to_file",
    aliases: ["write_file", "create_file"],
    category: "files",
    effect: "write",
    traits: {
      titles: [
        { code: "CreateFile", when: "createdFile", file: "filename" },
        { code: "WriteFile", file: "filename" },
      ],
      role: "write",
      rank: 0,
      isLean: true,
      changes: "filename",
    },
    description: "Creates a file with its folders, or replaces a whole file. To change part of one, use edit_file.",
    parameters: createObjectSchema(
      {
        filename: FILENAME,
        contents: TEXT_OR_JSON,
        keep_end: { type: "boolean" },
        may_be_part: { type: "boolean" },
      },
      ["filename", "contents"],
    ),
    offered: createObjectSchema({ filename: FILENAME, contents: { type: "string" } }, ["filename", "contents"]),
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
  const { label, kind, bytes } = place;
  const problem = explainUnwritablePlace(place);
  if (problem !== undefined) return createFailure(problem);
  const ofCells = await writeNotebook(parts.notebooks, place, getContentsArgument(args, place).contents, signal);
  if (ofCells) return ofCells;
  const content = await readExistingText(parts.workspace, place);
  const old = content?.kind === "text" ? content.file : undefined;
  const { contents, note } = getContentsArgument(args, { label, ...(old ? { text: old.text } : {}) });
  const whole = old && getFlagArgument(args, "may_be_part") ? restoreLeftOutText(contents, old.text, label) : contents;
  const after = createReplacingText(
    place,
    getFlagArgument(args, "keep_end") ? restoreFinalLineEnd(whole, old) : whole,
    old,
  );
  if (old?.text === after.text)
    return whole === contents
      ? createSuccess(`"${label}" already has exactly this text; it is unchanged.`, UNCHANGED)
      : createSuccess(`"${label}" is unchanged.${KEPT}`, UNCHANGED);
  const wrote = `"${label}" with ${formatQuantity(countLines(after.text), "line")}`;
  const isBinary = content?.kind === "binary";
  const notes = note + (isBinary ? " It was a binary file before." : describeEncoding(old));
  const what = isBinary ? "binary file" : "file";
  return prepareFileChange(parts, {
    place: { ...place, version: content?.version ?? place.version },
    ...(old ? { before: old.text } : {}),
    after,
    did: `${kind === "missing" ? "Created" : "Replaced"} ${wrote}.${whole === contents ? "" : KEPT}${notes}`,
    details: `Replace the ${what} "${label}" (${formatByteSize(bytes)}) by this text:\n\n${after.text}`,
  });
}

/** The file's current text; undefined when there is none, or it's too large for a diff. */
async function readExistingText(workspace: Workspace, place: ResolvedPath): Promise<FileContent | undefined> {
  return place.kind === "missing" || place.bytes > DIFF_BYTES ? undefined : workspace.read(place);
}

/** Gives a text from between fences, whose last line end means nothing, the final line end of the file that it replaces. */
function restoreFinalLineEnd(contents: string, old: TextFile | undefined): string {
  if (!old || old.text === "" || contents === "") return contents;
  const end = old.text.slice(findFinalLineEnds(old.text)).replaceAll(old.eol, "\n");
  return `${contents.slice(0, findFinalLineEnds(contents))}${end}`;
}

/** Finds the position of the line ends at the end of a text. */
function findFinalLineEnds(text: string): number {
  let at = text.length;
  while (text[at - 1] === "\n" || text[at - 1] === "\r") at--;
  return at;
}

/** A replaced file keeps its encoding, unless that's a guess, and its line ends; if these differ, each line keeps its own. */
function createReplacingText(place: ResolvedPath, contents: string, old: TextFile | undefined): TextFile {
  if (!old) return createNewTextFile(place, contents);
  const { text, eol, encoding, bom, isGuessed } = old;
  const isMixed = new Set(text.match(/\r\n|\r|\n/g)).size > 1 && !contents.includes("\r");
  const found = { found: text, search: text, wanted: contents, adaptIndent: (wanted: string) => wanted, eol };
  return {
    text: stripByteOrderMark(isMixed ? carryOverWhiteSpace(found) : setLineEnds(contents, eol), old),
    eol,
    ...(isGuessed ? { encoding: "utf-8", bom: false } : { encoding, bom }),
  };
}

/** Describes the encoding of a text that replaces one in an uncertain encoding; "" for any other. */
function describeEncoding(old: TextFile | undefined): string {
  if (old?.isGuessed) return ` It is UTF-8 now: its encoding before, ${old.encoding}, was only a guess.`;
  if (old?.doubt === undefined) return "";
  return ` It was written as ${old.encoding.startsWith("utf-8") ? "UTF-8" : old.encoding}. Before: ${old.doubt}`;
}

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** With more differences, nothing is restored, which bounds the time. */
const MOST_DIFFERENCES = 2_000;

/** Lines that are whole comments in most languages, settings files and pages. */
const COMMENT = /^\s*(?:#+(?:\s|$)|\/\/|--\s|;\s|\/\*.*\*\/\s*$|<!--.*-->\s*$)/;

/** Comments on work that a change may have done. */
const OPEN_WORK = /\b(?:TODO|FIXME|XXX|HACK)\b/;

/** Texts where lines like comments are headings and lists. */
const HAS_NO_COMMENTS = /\.(?:md|mdx|markdown|rst|adoc|org|txt|diff|patch)$/i;

/** Minimum number of lines with words before a part; fewer may have been removed on purpose. */
const LEAST_BEFORE = 4;

/**
 * Restores what small models leave out of a file's text unasked: everything around the part that they changed, and comments above lines
 * that stay. Lines end in "\n". Returns the text itself if nothing is missing.
 */
function restoreLeftOutText(written: string, old: string, label: string): string {
  const lines = old.split(/\r\n|\r|\n/);
  const given = written.split(/\r\n|\r|\n/);
  const whole = completePart(given, lines) ?? given;
  const all = HAS_NO_COMMENTS.test(label) ? whole : restoreLostComments(whole, lines);
  return all === given ? written : all.join("\n");
}

/**
 * Completes the file of which a part was given. The part begins and ends with lines of the file, changes some between them, and has none
 * around those. Undefined for any other text, and for one that only leaves out lines, possibly on purpose.
 */
function completePart(written: readonly string[], lines: readonly string[]): readonly string[] | undefined {
  const given = written.slice(0, written.findLastIndex((line) => line !== "") + 1);
  const [first = "", last = ""] = [given[0], given.at(-1)];
  const from = lines.indexOf(first);
  const ends = lines.flatMap((line, at) => (at >= from && line === last ? [at] : []));
  const to = ends[given.filter((line) => line === last).length - 1];
  if (from === -1 || to === undefined || first.trim() === "" || from !== lines.lastIndexOf(first)) return undefined;
  if (lines.slice(0, from).filter(hasWords).length < LEAST_BEFORE) return undefined;
  const around = [...lines.slice(0, from), ...lines.slice(to + 1)].filter(hasWords);
  const inside = new Set(lines.slice(from, to + 1));
  const lost = new Set(around.filter((line) => !inside.has(line)));
  const isLost = lines.slice(0, from).some((line) => lost.has(line)) && !given.some((line) => lost.has(line));
  const isChanged = given.some((line) => !inside.has(line));
  return isLost && isChanged ? [...lines.slice(0, from), ...given, ...lines.slice(to + 1)] : undefined;
}

/** False for braces and the like, which occur anywhere. */
function hasWords(line: string): boolean {
  return line.trim().length > 3;
}

/** Restores missing comments if the line below them has stayed, or begins as before. */
function restoreLostComments(given: readonly string[], lines: readonly string[]): readonly string[] {
  const parts = diffArrays([...lines], [...given], { maxEditLength: MOST_DIFFERENCES });
  const result = (parts ?? []).flatMap(({ added, removed, value }, index) => {
    const [before, next] = [parts?.[index - 1], parts?.[index + 1]];
    if (removed) return next?.added ? [] : restoreComments(value, [], next?.value[0]);
    return added && before?.removed ? restoreComments(before.value, value, next?.value[0]) : value;
  });
  return result.length > given.length ? result : given;
}

/** Puts the comments at both ends of the removed lines around the added lines, if these have no comments. `below` has stayed. */
function restoreComments(removed: readonly string[], added: readonly string[], below = ""): readonly string[] {
  const words = new Set(added.map((line) => line.trim()));
  const isDone = (line: string): boolean =>
    OPEN_WORK.test(line) || (isComment(line) && words.has(line.replace(/^\W+/, "").trim()));
  if (added.some(isComment) || removed.some(isDone)) return added;
  const first = removed.findIndex((line) => !isComment(line));
  if (first === -1) return added.length === 0 ? removed : added;
  const goesOn =
    findFirstWord(removed[first]) !== undefined && findFirstWord(removed[first]) === findFirstWord(added[0]);
  const last = below.trim() === "" ? removed.length : removed.findLastIndex((line) => !isComment(line));
  return [...(goesOn ? removed.slice(0, first) : []), ...added, ...removed.slice(last + 1)];
}

function isComment(line: string): boolean {
  return COMMENT.test(line);
}

/** The first word of a line with its indentation; undefined for a blank one. */
function findFirstWord(line = ""): string | undefined {
  return /^\s*[^\s=:(]+/.exec(line)?.[0];
}
