import { omitUndefined } from "../../core/base/objects.ts";
import { readPictureFormat } from "../../core/base/pictures.ts";
import { computeFairShares } from "../../core/base/shares.ts";
import { formatDisplaySize, formatQuantity } from "../../core/base/text.ts";
import type { RunContext, Touch } from "../../core/commands/command.ts";
import { addShownPictures, type Outcome, showPictures } from "../../core/commands/outcome.ts";
import { isNotebook, NotebookFormatError, type Notebooks } from "../../core/ports/notebooks.ts";
import type { CommandOutputs } from "../../core/ports/programs.ts";
import {
  type BinaryFiles,
  type Documents,
  findDocumentKind,
  type ResolvedPath,
  type Workspace,
  WorkspaceError,
} from "../../core/ports/workspace.ts";
import type { AttachedPicture } from "../../schema/run-values.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { formatLinesHeader } from "../line-texts.ts";
import { renderNotebook } from "../notebooks/cell-text.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { createTouch, describeMissingFile } from "../places.ts";
import { MOST_CHARACTERS, selectTextPage } from "../text-page.ts";
import { formatByteSize } from "../units.ts";

/** Dependencies of reading. */
export interface ReadDependencies {
  readonly workspace: Workspace;
  readonly outputs?: CommandOutputs | undefined;
  /** Absent: documents are read as plain text. */
  readonly documents?: Documents | undefined;
  /** Absent: notebooks are read as plain text. */
  readonly notebooks?: Notebooks | undefined;
  /** Absent: pictures are binary files. */
  readonly files?: Pick<BinaryFiles, "readBytes"> | undefined;
}

/** The part of a running command that reading needs. */
type Reading = Pick<RunContext, "signal" | "showPicture">;

/** A file to read, and which lines of it, counted from 1. */
export interface Part {
  readonly filename: string;
  readonly from: number;
  readonly to: number | undefined;
}

interface WantedPart extends Part {
  /** The source of a document is wanted, not its text. */
  readonly isSource: boolean;
}

/** A text that can't be read, with the reason for the model. */
interface Unread {
  readonly error: string;
}

/** Something to read once the call runs. */
export interface ReadableText {
  /** Its name in sentences. */
  readonly name: string;
  /** Its name in the header above its lines. */
  readonly label: string;
  readonly part: Part;
  readonly touch?: Touch;
  /** Git or the user ignores the file, so others may have written it. */
  readonly isIgnored?: boolean;
  read(reading: Reading): Promise<ReadText | Unread>;
}

/** A text, with sentences to show below it. */
interface ReadText {
  readonly text: string;
  readonly hints?: readonly string[];
  /** The content of a picture, which has no text. */
  readonly picture?: Uint8Array;
}

/** Finds the file or the step's output that a part names. A name may end in lines, as in `src/app.ts:10-40`. */
export async function findReadableSource(
  parts: ReadDependencies,
  part: WantedPart,
  signal: AbortSignal,
): Promise<ReadableText | Unread> {
  const [, step, lines = ""] = /^output:\s*(\d+)(:\d+(?:-\d+)?)?$/i.exec(part.filename) ?? [];
  if (step !== undefined) return createOutputSource(parts.outputs, Number(step), setPartLines(part, lines) ?? part);
  const [, name, range = ""] = /^(.+?)(:\d+(?:-\d+)?)$/.exec(part.filename.trim()) ?? [];
  const lined = setPartLines(part, range);
  const place = await parts.workspace.locate(part.filename).catch((error: unknown) => {
    // Windows refuses a colon in a name, but not the name before the lines.
    if (lined && error instanceof WorkspaceError) return undefined;
    throw error;
  });
  if (place && place.kind !== "missing") return createFileSource(parts, place, part);
  if (name === undefined || !lined)
    return { error: await describeMissingFile(parts.workspace, place?.label ?? part.filename, signal) };
  const other = await parts.workspace.locate(name);
  if (other.kind !== "missing") return createFileSource(parts, other, lined);
  return { error: await describeMissingFile(parts.workspace, other.label, signal) };
}

/** Adds lines, as in `:10-40`, to the part; undefined if it has lines already. */
function setPartLines(part: WantedPart, lines: string): WantedPart | undefined {
  const [, first, last] = /^:(\d+)(?:-(\d+))?$/.exec(lines) ?? [];
  if (first === undefined || part.from > 1 || part.to !== undefined) return undefined;
  return { ...part, from: Math.max(1, Number(first)), to: last === undefined ? undefined : Number(last) };
}

function checkLineRange(source: ReadableText): ReadableText | Unread {
  const { from, to } = source.part;
  if (to === undefined || to >= from) return source;
  return { error: `end_line (${to}) comes before start_line (${from}).` };
}

function createOutputSource(outputs: CommandOutputs | undefined, step: number, part: Part): ReadableText | Unread {
  return checkLineRange({
    name: `the full output of step ${step}`,
    label: `The output of step ${step}`,
    part,
    async read() {
      const text = await outputs?.read(step);
      if (text !== undefined) return { text };
      return {
        error: `No output of step ${step} was kept. Only commands run with execute_shell keep theirs.`,
      };
    },
  });
}

function createFileSource(parts: ReadDependencies, place: ResolvedPath, part: WantedPart): ReadableText | Unread {
  const { workspace, documents, notebooks } = parts;
  if (notebooks && !part.isSource && place.kind === "file" && isNotebook(place.label))
    return createNotebookSource({ workspace, notebooks }, place, part);
  const kind = part.isSource || !documents ? undefined : findDocumentKind(place.label);
  const hints = [
    ...(kind === "html" ? ["[This is its text. To edit it, read it with source: true.]"] : []),
    ...(place.unsaved ? [UNSAVED_HINT] : []),
  ];
  return checkLineRange({
    name: `${kind === undefined ? "" : "the text of "}"${place.label}"`,
    label: `${kind === undefined ? "" : "The text of "}${place.label}`,
    part,
    touch: createTouch(place, "read"),
    ...omitUndefined({ isIgnored: place.ignored || undefined }),
    read: async ({ signal, showPicture }) =>
      kind !== undefined && documents
        ? { text: await documents.extractText(place, kind, signal), hints }
        : readFileText({ workspace, files: showPicture && parts.files }, place, hints),
  });
}

const UNSAVED_HINT =
  "[This is the text in the editor, with edits that aren't saved. The file on disk differs, so programs read another text.]";

/** A notebook's cells with their outputs. A file that isn't a notebook is read as plain text, so that it can be repaired. */
function createNotebookSource(
  { workspace, notebooks }: { readonly workspace: Workspace; readonly notebooks: Notebooks },
  place: ResolvedPath,
  part: WantedPart,
): ReadableText | Unread {
  return checkLineRange({
    name: `the cells of "${place.label}"`,
    label: `The cells of ${place.label}`,
    part,
    touch: createTouch(place, "read"),
    ...omitUndefined({ isIgnored: place.ignored || undefined }),
    async read({ signal }) {
      try {
        return renderNotebook(await notebooks.read(place, signal));
      } catch (error) {
        if (!(error instanceof NotebookFormatError)) throw error;
        return readFileText({ workspace }, place, [`[This is the file's source: ${error.why}.]`]);
      }
    },
  });
}

/** Larger files aren't read as pictures. */
const MOST_PICTURE_BYTES = 20_000_000;

async function readFileText(
  { workspace, files }: Pick<ReadDependencies, "workspace" | "files">,
  place: ResolvedPath,
  hints: readonly string[],
): Promise<ReadText | Unread> {
  const content = await workspace.read(place);
  if (content.kind === "binary" && files && content.bytes <= MOST_PICTURE_BYTES) {
    const picture = await files.readBytes(place);
    if (readPictureFormat(picture)) return { text: "", picture };
  }
  if (content.kind === "binary")
    return {
      error: `"${place.label}" is a binary file (${formatByteSize(content.bytes)}), so it has no text to read. Choose another file, or have a program look at it.`,
    };
  const { text, eol, doubt } = content.file;
  const all = doubt === undefined ? hints : [...hints, `[${doubt}]`];
  return { text: eol === "\r" ? text.replace(/\r\n?/g, "\n") : text, hints: all };
}

/**
 * Reads all parts, which share the room of one. An unreadable part is reported in its place; if none can be read, the call fails. `ifLong`
 * is added to a part that isn't shown in full.
 */
export async function readAll(
  sources: readonly (ReadableText | Unread)[],
  reading: Reading,
  ifLong = "",
): Promise<Outcome> {
  const found = await Promise.all(
    sources.map(async (source) =>
      isReadable(source) ? { source, text: await catchWorkspaceErrors(source.read(reading)) } : source,
    ),
  );
  const { read, shown } = await showFoundPictures(found, reading);
  const renderPages = (rooms: readonly number[]) =>
    read.map((one, index) => {
      if ("error" in one) return one;
      if (!isReadable(one.text)) return one.text;
      return one.text.picture
        ? { text: one.text.text, lines: 0, isCut: false }
        : renderReadPage(one.source, one.text, rooms[index] ?? 0);
    });
  const lengths = renderPages(read.map(() => MOST_CHARACTERS)).map((page) => (isReadable(page) ? page.text.length : 0));
  const pages = renderPages(computeFairShares(lengths, MOST_CHARACTERS));
  const isLong = ifLong !== "" && pages.some((page) => isReadable(page) && page.isCut);
  const output = [
    ...pages.map((page) => (isReadable(page) ? page.text : page.error)),
    ...(isLong ? [ifLong] : []),
  ].join("\n\n");
  if (!pages.some(isReadable)) return createFailure(output, displayText("timeline.notRead"));
  const count = pages.reduce((sum, page) => sum + (isReadable(page) ? page.lines : 0), 0);
  const [first] = shown.flatMap(({ picture, isSeen }) => (picture ? [{ picture, isSeen }] : []));
  const summary = first && count === 0 ? summarizePicture(first) : displayText("common.lines", { count });
  return markIgnoredSources(sources.filter(isReadable), addShownPictures(createSuccess(output, summary), shown));
}

function summarizePicture({
  picture: { width, height, bytes },
  isSeen,
}: {
  readonly picture: AttachedPicture;
  readonly isSeen: boolean | undefined;
}): DisplayText {
  if (!isSeen) return displayText("timeline.pictureUnseen");
  const facts = { width: String(width), height: String(height), size: formatDisplaySize(bytes) };
  return displayText("start.pictureSize", facts);
}

type Found = Unread | { readonly source: ReadableText; readonly text: ReadText | Unread };

/** Shows the pictures among the files. One that can't be shown counts as unread. */
async function showFoundPictures(found: readonly Found[], { showPicture }: Reading) {
  const given = found.flatMap((one) =>
    "source" in one && isReadable(one.text) && one.text.picture
      ? [{ one, name: one.source.label, data: one.text.picture }]
      : [],
  );
  const shown = await showPictures(showPicture, given);
  const read = found.map((one): Found => {
    const picture = shown[given.findIndex((other) => other.one === one)];
    if (!picture || !("source" in one) || !isReadable(one.text)) return one;
    const { text } = picture;
    return { ...one, text: picture.picture ? { ...one.text, text } : { error: text } };
  });
  return { read, shown };
}

/** Marks an outcome that was made from ignored files. */
export function markIgnoredSources(sources: readonly ReadableText[], outcome: Outcome): Outcome {
  const ignored = sources.filter(({ isIgnored }) => isIgnored);
  if (ignored.length === 0 || outcome.status !== "done") return outcome;
  const names = new Set(ignored.map(({ label }) => label));
  return { ...outcome, source: { kind: "ignored-file", name: [...names].join(", ") } };
}

/** True unless a value is unreadable. */
export function isReadable<T extends object>(one: T | Unread): one is T {
  return !("error" in one);
}

/** Converts a workspace error to its sentence, so that other files can be read. */
export async function catchWorkspaceErrors<T>(reading: Promise<T>): Promise<T | Unread> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof WorkspaceError) return { error: error.message };
    throw error;
  }
}

function renderReadPage(
  { name, label, part: { from, to } }: ReadableText,
  { text, hints = [] }: ReadText,
  room: number,
): { readonly text: string; readonly lines: number; readonly isCut: boolean } | Unread {
  const page = selectTextPage(text, from, to, { room, isNamed: true });
  const what = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  if (page.lines === 0) return { text: [`${what} is empty.`, ...hints].join("\n\n"), lines: 0, isCut: false };
  if (from > page.lines)
    return {
      error: `${what} has only ${formatQuantity(page.lines, "line")}; start_line ${from} is past its end.`,
    };
  const header = formatLinesHeader(label, from, page.last, page.lines);
  const notes = page.note === undefined ? hints : [page.note, ...hints];
  return {
    text: [`${header}\n${page.text}`, ...notes].join("\n\n"),
    lines: page.last - from + 1,
    isCut: page.note !== undefined,
  };
}
