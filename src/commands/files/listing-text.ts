import { omitUndefined } from "../../core/base/objects.ts";
import { formatCount, formatQuantity } from "../../core/base/text.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import { createFailure, createSuccess, markIgnoredPlace, NOTHING_FOUND } from "../outcomes.ts";

/** Limits on listed names and on their characters. */
const MOST_LABELS = 1000;
const MOST_CHARACTERS = 48_000;

/** Content of a folder, as the model reads it. */
export async function renderFolderListing(
  workspace: Workspace,
  place: ResolvedPath,
  glob: string | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  if (place.kind !== "folder")
    return createFailure(
      `"${place.label}" is ${place.kind === "missing" ? "not there" : "not a folder"}, so there is nothing to list. Leave the folder out to see what there is.`,
      displayText("timeline.noFolder"),
    );
  const {
    labels,
    more,
    note: omissions,
  } = await workspace.list(place, {
    ...omitUndefined({ glob }),
    limit: MOST_LABELS,
    signal,
  });
  const leftOut = omissions === undefined ? [] : [`[${omissions}]`];
  if (labels.length === 0) {
    const nothing =
      glob === undefined
        ? `"${place.label}" is empty, or all in it is ignored.`
        : `Nothing in "${place.label}" matches ${glob}.`;
    return createSuccess([nothing, ...leftOut].join("\n"), NOTHING_FOUND);
  }
  const shown = limitLabels(labels);
  const isAll = !more && shown.length === labels.length;
  const note = `[Only ${formatCount(shown.length)} names are shown. List a folder below, or give a narrower glob.]`;
  const folders = labels.filter((label) => label.endsWith("/")).length;
  const counts = [
    ...(labels.length > folders ? [formatQuantity(labels.length - folders, "file")] : []),
    ...(folders > 0 ? [formatQuantity(folders, "folder")] : []),
  ].join(", ");
  const header = `${isAll ? counts : "The first names"} in "${place.label}":`;
  const output = [header, ...shown, ...(isAll ? leftOut : [`\n${note}`])].join("\n");
  return markIgnoredPlace(createSuccess(output, displayText("timeline.entries", { count: shown.length })), place);
}

function limitLabels(labels: readonly string[]): readonly string[] {
  let room = MOST_CHARACTERS;
  const end = labels.findIndex((label) => {
    room -= label.length + 1;
    return room < 0;
  });
  return end === -1 ? labels : labels.slice(0, end);
}
