import { createPatch, type StructuredPatch, structuredPatch } from "diff";
import { omitUndefined } from "../core/base/objects.ts";
import { formatQuantity } from "../core/base/text.ts";
import type { PreparedCall, RunContext } from "../core/commands/command.ts";
import type { Outcome } from "../core/commands/outcome.ts";
import type { Notebooks } from "../core/ports/notebooks.ts";
import type { PythonSyntax } from "../core/ports/programs.ts";
import type { Problems, ResolvedPath, TextFile, Workspace } from "../core/ports/workspace.ts";
import type { ChangedFile } from "../schema/run-values.ts";
import { displayText } from "../texts/display-text.ts";
import { formatProblemList } from "./code/language-services.ts";
import { cutLine, numberLines } from "./line-texts.ts";
import { createSuccess } from "./outcomes.ts";
import { createTouch } from "./places.ts";
import { describeBrokenSyntax } from "./syntax.ts";

/** Larger files get no diff. */
export const DIFF_BYTES = 50 * 1024 * 1024;

/** Dependencies of the commands that change files. */
export interface FileChangeDependencies {
  readonly workspace: Workspace;
  readonly problems?: Problems | undefined;
  /** Absent: notebooks are changed as plain text. */
  readonly notebooks?: Notebooks | undefined;
  /** Absent: the syntax of Python isn't checked after a change. */
  readonly pythonSyntax?: PythonSyntax | undefined;
}

/** New text of one file, written only if the file is unchanged since it was read. */
export interface FileWrite {
  /** At the version that was read. */
  readonly place: ResolvedPath;
  /** The current text; absent for a new file, and for one that can only be replaced. */
  readonly before?: string;
  readonly after: TextFile;
  /** The outcome's first sentence. */
  readonly did: string;
  /** The outcome shows the changed lines with their numbers, for further edits. */
  readonly showsLines?: true;
  /** The whole change in words, for the card when no diff is possible. */
  readonly details: string;
}

/** A change of one file, shown as a diff if possible. */
export function prepareFileChange(parts: FileChangeDependencies, wanted: FileWrite): PreparedCall {
  const change = wanted.place.unsaved ? setEditorLineEnds(wanted) : wanted;
  const { place, before, after, details } = change;
  const { path, label, kind, bytes } = place;
  parts.problems?.expectChange(place);
  // Editors can't show a text with a NUL in it.
  const isText = (kind === "missing" || before !== undefined) && !after.text.includes("\0");
  const isDiff = isText && bytes <= DIFF_BYTES;
  return {
    effect: "write",
    preview: isDiff
      ? {
          kind: "change",
          file: label,
          target: path,
          ...omitUndefined({ before }),
          after: after.text,
          ...omitUndefined({ unsaved: place.unsaved || undefined }),
        }
      : { kind: "details", text: place.unsaved ? `In the editor, not on disk: ${details}` : details },
    touches: [createTouch(place, "write")],
    fresh: () => isAsSeen(parts.workspace, place),
    run: (running) => write(parts, change, running),
  };
}

/** An editor uses the same line end everywhere, so a text that is changed there is proposed that way. */
function setEditorLineEnds(change: FileWrite): FileWrite {
  const { after } = change;
  return { ...change, after: { ...after, text: after.text.replace(/\r\n|\r|\n/g, after.eol) } };
}

/** The text of a new file, in the encoding that the user has set. */
export function createNewTextFile({ encoding }: ResolvedPath, text: string): TextFile {
  return { text, ...(encoding ?? { encoding: "utf-8", bom: false }), eol: "\n" };
}

/** A sentence on why no file can be written at a place; undefined when one can. */
export function explainUnwritablePlace({ label, kind }: ResolvedPath): string | undefined {
  if (kind !== "folder" && kind !== "other") return undefined;
  return `"${label}" is a ${kind === "folder" ? "folder" : "device"}, so it cannot be written. Name a file.`;
}

/** True while a place still leads to the same file with the same content. */
export async function isAsSeen(workspace: Workspace, place: ResolvedPath): Promise<boolean> {
  const now = await workspace.locate(place.path).catch(() => undefined);
  return now !== undefined && now.path === place.path && now.version === place.version;
}

async function write(
  { workspace, problems, pythonSyntax }: FileChangeDependencies,
  { place, before, after, did, showsLines }: FileWrite,
  { accepted = after.text, signal }: RunContext,
): Promise<Outcome> {
  if (accepted === before)
    return createSuccess(
      `The user accepted none of your changes, so "${place.label}" is unchanged. Ask why, or try another way.`,
      displayText("timeline.noneAccepted"),
    );
  await workspace.write(place, { ...after, text: accepted });
  const found = await problems?.findProblemsAfterChange(place, signal);
  const patch = before === undefined && place.kind !== "missing" ? undefined : computePatch(before ?? "", accepted);
  const parts = [
    did,
    place.unsaved ? NOT_ON_DISK : "",
    describeUserChanges(place.label, after.text, accepted),
    showsLines && accepted === after.text ? formatChangedLines(patch, accepted) : "",
    // The editor's own words are better, if it has any.
    found?.areNew && found.problems.length > 0
      ? ""
      : await describeBrokenSyntax({ label: place.label, before, after: accepted }, pythonSyntax, signal),
    found && found.problems.length > 0
      ? `${found.areNew ? "New problems since this change" : "Problems the editor reports now"}:\n${formatProblemList(found.problems)}`
      : "",
  ];
  const isNew = found?.areNew && found.problems.length > 0;
  const summary = isNew
    ? displayText("timeline.newProblems", { count: found.problems.length })
    : accepted === after.text
      ? undefined
      : displayText("timeline.withYourChanges");
  const change = place.kind === "missing" ? "created" : "changed";
  const outcome = createSuccess(parts.filter((part) => part !== "").join("\n"), summary, [
    { file: place.label, change, ...(patch ? measureChange(patch) : {}) },
  ]);
  return place.unsaved ? { ...outcome, inEditor: [place.path] } : outcome;
}

/** Added and removed lines of a difference, and where it begins. */
function measureChange({ hunks }: StructuredPatch): Pick<ChangedFile, "added" | "removed" | "line"> {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  const [first] = hunks;
  const unchanged = first?.lines.findIndex((line) => !line.startsWith(" ")) ?? 0;
  return { added: count("+"), removed: count("-"), ...(first ? { line: first.newStart + unchanged } : {}) };
}

/** The difference of two texts with a line around each change; undefined if it can't be found quickly. */
function computePatch(before: string, after: string): StructuredPatch | undefined {
  return structuredPatch("", "", before, after, undefined, undefined, {
    context: 1,
    stripTrailingCr: true,
    timeout: LONGEST_COMPARISON_MS,
  });
}

/** For the model, which may be going to run the file. */
const NOT_ON_DISK =
  "The change is in the editor, not on disk, because the file has edits there that aren't saved. Programs don't see it until the user saves the file.";

/** Comparing stops after this time, and the model is asked to read the file. */
const LONGEST_COMPARISON_MS = 200;

/** Longer differences aren't quoted. */
const LONGEST_QUOTE = 20_000;

/** The user's changes to a proposed text, for the model: a sentence and the difference. "" when there are none. */
export function describeUserChanges(label: string, proposed: string, accepted: string): string {
  if (accepted === proposed) return "";
  const patch = createPatch(label, proposed, accepted, "proposed", "accepted", {
    context: 2,
    timeout: LONGEST_COMPARISON_MS,
  });
  if (patch === undefined || patch.length > LONGEST_QUOTE)
    return "The user changed much of what you proposed before accepting it. Read the file before you continue with it.";
  const hunks = patch.slice(patch.indexOf("@@"));
  return `The user changed your proposal before accepting it (- is what you proposed, + is what was written):\n${hunks.trimEnd()}`;
}

/** Limits on the places that are shown, and on the lines of each. */
const MOST_PLACES = 6;
const MOST_LINES = 8;

/** The changed lines with their numbers and a line around them; "" if the texts can't be compared quickly. */
function formatChangedLines(patch: StructuredPatch | undefined, after: string): string {
  if (!patch) return "";
  const places = patch.hunks.map(({ newStart, lines }) => {
    const now = lines.filter((line) => /^[ +]/.test(line)).map((line) => cutLine(line.slice(1)));
    if (now.length <= MOST_LINES) return numberLines(now, newStart);
    const half = MOST_LINES / 2 - 1;
    const end = now.length - half;
    return `${numberLines(now.slice(0, half), newStart)}\n…\n${numberLines(now.slice(end), newStart + end)}`;
  });
  const rest = places.length > MOST_PLACES ? [`and ${formatQuantity(places.length - MOST_PLACES, "more place")}`] : [];
  const all = after === "" ? 0 : after.split("\n").length - (after.endsWith("\n") ? 1 : 0);
  return [
    `It now reads (${formatQuantity(all, "line")}):`,
    [...places.slice(0, MOST_PLACES), ...rest].join("\n…\n"),
  ].join("\n");
}

/** Gives a text with plain line ends those of its file; a text with other line ends keeps them. */
export function setLineEnds(text: string, eol: TextFile["eol"]): string {
  return eol === "\n" || text.includes(eol) ? text : text.replaceAll("\n", eol);
}

/** Removes a leading byte order mark that the file already has. */
export function stripByteOrderMark(text: string, { bom }: Pick<TextFile, "bom">): string {
  return bom && text.startsWith("\ufeff") ? text.slice(1) : text;
}
