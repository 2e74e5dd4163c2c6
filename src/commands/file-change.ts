import type { Prepared, Running } from "../core/command.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Place, Problems, TextFile, Workspace } from "../core/ports.ts";
import { done } from "./outcomes.ts";
import { problemList } from "./problem-list.ts";
import { touchOf } from "./touch.ts";
import { userChanges } from "./user-changes.ts";

/** Of larger files no diff is made. */
export const DIFF_BYTES = 50 * 1024 * 1024;

/** What commands that change files work with. */
export interface ChangeParts {
  readonly workspace: Workspace;
  readonly problems?: Problems | undefined;
}

/** One file's new text, to be written if the file is still as it was looked at. */
export interface Change {
  /** At the version that was looked at. */
  readonly place: Place;
  /** The text that is there; absent for a new file, and for one that can only be replaced. */
  readonly before?: string;
  readonly after: TextFile;
  /** The outcome's first sentence. */
  readonly did: string;
  /** All of the change in words, for the card that stands for a diff when there cannot be one. */
  readonly details: string;
}

/** A change of one file, shown as a diff wherever that can be. */
export function fileChange(parts: ChangeParts, change: Change): Prepared {
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
export function noFileThere({ label, kind }: Place): string | undefined {
  if (kind !== "folder" && kind !== "other") return undefined;
  return `"${label}" is a ${kind === "folder" ? "folder" : "device"}, so it cannot be written. Name a file.`;
}

/** True while a place still leads to the same file with the same content. */
export async function isAsSeen(workspace: Workspace, place: Place): Promise<boolean> {
  const now = await workspace.locate(place.path).catch(() => undefined);
  return now !== undefined && now.path === place.path && now.version === place.version;
}

async function write(
  { workspace, problems }: ChangeParts,
  { place, before, after, did }: Change,
  { accepted = after.text, signal }: Running,
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
