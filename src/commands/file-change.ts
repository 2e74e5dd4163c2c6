import { createPatch } from "diff";
import type { PreparedCall, RunContext } from "../core/commands/command.ts";
import type { Outcome } from "../core/commands/outcome.ts";
import type { Problems, ResolvedPath, TextFile, Workspace } from "../core/ports/workspace.ts";
import { problemList } from "./code/language-services.ts";
import { done } from "./outcomes.ts";
import { touchOf } from "./places.ts";

/** Of larger files no diff is made. */
export const DIFF_BYTES = 50 * 1024 * 1024;

/** What commands that change files work with. */
export interface FileChangeDependencies {
  readonly workspace: Workspace;
  readonly problems?: Problems | undefined;
}

/** One file's new text, to be written if the file is still as it was looked at. */
export interface FileWrite {
  /** At the version that was looked at. */
  readonly place: ResolvedPath;
  /** The text that is there; absent for a new file, and for one that can only be replaced. */
  readonly before?: string;
  readonly after: TextFile;
  /** The outcome's first sentence. */
  readonly did: string;
  /** All of the change in words, for the card that stands for a diff when there cannot be one. */
  readonly details: string;
}

/** A change of one file, shown as a diff wherever that can be. */
export function fileChange(parts: FileChangeDependencies, change: FileWrite): PreparedCall {
  const { place, before, after, details } = change;
  const { path, label, kind, bytes } = place;
  parts.problems?.expectChange(place);
  // No editor shows a text with a NUL in it.
  const isText = (kind === "missing" || before !== undefined) && !after.text.includes("\0");
  const isDiff = isText && bytes <= DIFF_BYTES;
  return {
    effect: "write",
    preview: isDiff
      ? {
          kind: "change",
          file: label,
          target: path,
          ...(before === undefined ? {} : { before }),
          after: after.text,
        }
      : { kind: "details", text: details },
    touches: [touchOf(place, "write")],
    fresh: () => isAsSeen(parts.workspace, place),
    run: (running) => write(parts, change, running),
  };
}

/** Why no file can be written at a place, as a sentence; undefined when one can. */
export function noFileThere({ label, kind }: ResolvedPath): string | undefined {
  if (kind !== "folder" && kind !== "other") return undefined;
  return `"${label}" is a ${kind === "folder" ? "folder" : "device"}, so it cannot be written. Name a file.`;
}

/** True while a place still leads to the same file with the same content. */
export async function isAsSeen(workspace: Workspace, place: ResolvedPath): Promise<boolean> {
  const now = await workspace.locate(place.path).catch(() => undefined);
  return now !== undefined && now.path === place.path && now.version === place.version;
}

async function write(
  { workspace, problems }: FileChangeDependencies,
  { place, before, after, did }: FileWrite,
  { accepted = after.text, signal }: RunContext,
): Promise<Outcome> {
  if (accepted === before)
    return done(
      `The user accepted none of your changes, so "${place.label}" is unchanged. Ask why, or try another way.`,
    );
  await workspace.write(place, { ...after, text: accepted });
  const found = await problems?.afterChange(place, signal);
  const parts = [
    did,
    userChanges(place.label, after.text, accepted),
    found && found.problems.length > 0
      ? `${found.areNew ? "New problems since this change" : "Problems the editor reports now"}:\n${problemList(found.problems)}`
      : "",
  ];
  return done(parts.filter((part) => part !== "").join("\n"));
}

/** Comparing stops there; what the user changed is then told by the whole text. */
const LONGEST_COMPARISON_MS = 200;

/** Longer differences are not quoted. */
const LONGEST_QUOTE = 20_000;

/** What the user made of a proposed text, for the model: a sentence and the difference. "" when it was accepted as it stood. */
function userChanges(label: string, proposed: string, accepted: string): string {
  if (accepted === proposed) return "";
  const patch = createPatch(label, proposed, accepted, "proposed", "accepted", {
    context: 2,
    timeout: LONGEST_COMPARISON_MS,
  });
  if (patch === undefined || patch.length > LONGEST_QUOTE)
    return "The user changed much of what you proposed before accepting it. Read the file before you go on with it.";
  const hunks = patch.slice(patch.indexOf("@@"));
  return `The user changed your proposal before accepting it (- is what you proposed, + is what was written):\n${hunks.trimEnd()}`;
}

/** A text that came with plain line ends, with those of the file it is for. One that brings others has chosen them. */
export function withEol(text: string, eol: TextFile["eol"]): string {
  return eol === "\n" || text.includes("\r") ? text : text.replaceAll("\n", eol);
}
