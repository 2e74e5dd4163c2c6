import { formatQuantity } from "../../core/base/text.ts";
import {
  type Command,
  createPreparedCall,
  type PrepareContext,
  type PreparedCall,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { type Args, createObjectSchema, FILE_ALIASES, FILENAME, getRequiredText } from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { createFailure, createSuccess, NO_FILE } from "../outcomes.ts";
import { createTouch, describeMissingFile, findLinkProblem } from "../places.ts";
import { formatByteSize } from "../units.ts";

/** Deletes a file or an empty folder. */
export function deleteFile(workspace: Workspace): Command {
  return {
    name: "delete_file",
    aliases: ["remove_file", "delete", "rm"],
    category: "files",
    effect: "write",
    traits: {
      titles: [{ code: "DeleteFile", path: "filename" }],
      question: { code: "deleteFile", file: "filename" },
      role: "delete",
      rank: 80,
      isLean: true,
      changes: "filename",
    },
    description: "Deletes a file (to the trash if there is one) or an empty folder.",
    parameters: createObjectSchema({ filename: FILENAME }, ["filename"]),
    argumentAliases: FILE_ALIASES,
    prepare: (args, preparing) => prepare(workspace, args, preparing),
  };
}

async function prepare(workspace: Workspace, args: Args, { signal }: PrepareContext): Promise<PreparedCall | Outcome> {
  const place = await workspace.locate(getRequiredText(args, "filename"));
  const { label, kind, bytes } = place;
  if (kind === "missing") return createFailure(await describeMissingFile(workspace, label, signal), NO_FILE);
  const problem = findLinkProblem(place, "Delete") ?? (await findFolderProblem(workspace, place, signal));
  if (problem !== undefined) return createFailure(problem);
  const what = kind === "folder" ? `the empty folder "${label}"` : `"${label}" (${formatByteSize(bytes)})`;
  return createPreparedCall(
    "write",
    `Delete ${what}.${await readTextToDelete(workspace, place)}`,
    async () =>
      createSuccess(`Deleted ${what}. ${await workspace.remove(place)}`.trim(), undefined, [
        { file: label, change: "deleted" },
      ]),
    { touches: [createTouch(place, "delete")], fresh: () => isAsSeen(workspace, place) },
  );
}

/** Larger files aren't read for the card. */
const MOST_BYTES = 256_000;

/** Lines of a deleted file that its card shows. */
const MOST_LINES = 40;

/** The text that would be deleted, for its card; "" where there is none to show. */
async function readTextToDelete(workspace: Workspace, place: ResolvedPath): Promise<string> {
  if (place.kind !== "file" || place.bytes > MOST_BYTES) return "";
  const content = await workspace.read(place).catch(() => undefined);
  if (content?.kind !== "text" || content.file.text.trim() === "") return "";
  const lines = content.file.text.trimEnd().split("\n");
  const more = lines.length - MOST_LINES;
  const rest = more > 0 ? `\n… and ${formatQuantity(more, "more line")}` : "";
  return `\n\n${lines.slice(0, MOST_LINES).join("\n")}${rest}`;
}

/** A sentence on why a folder isn't deleted; undefined when it's empty or not a folder. */
async function findFolderProblem(
  workspace: Workspace,
  place: ResolvedPath,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (place.kind === "other") return `"${place.label}" is not a file, so it is not deleted.`;
  if (place.kind !== "folder") return undefined;
  if (place.label === ".") return "The workspace folder itself is never deleted.";
  const { labels } = await workspace.list(place, { limit: 1000, signal });
  if (labels.length === 0) return undefined;
  return `The folder "${place.label}" holds ${formatQuantity(labels.length, "entry", "entries")}. Delete its files one by one, or all of it with execute_shell.`;
}
