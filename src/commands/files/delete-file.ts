import { counted } from "../../core/base/text.ts";
import {
  type Command,
  type PrepareContext,
  type PreparedCall,
  prepared,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { type Args, FILE_ALIASES, FILENAME, objectSchema, requiredText } from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { done, failed, NO_FILE } from "../outcomes.ts";
import { linkProblem, missingFile, touchOf } from "../places.ts";
import { size } from "../units.ts";

/** Deletes a file or an empty folder. */
export function deleteFile(workspace: Workspace): Command {
  return {
    name: "delete_file",
    aliases: ["remove_file", "delete", "rm"],
    category: "files",
    effect: "write",
    description: "Deletes a file (to the trash if there is one) or an empty folder.",
    parameters: objectSchema({ filename: FILENAME }, ["filename"]),
    argumentAliases: FILE_ALIASES,
    prepare: (args, preparing) => prepare(workspace, args, preparing),
  };
}

async function prepare(
  workspace: Workspace,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const place = await workspace.locate(requiredText(args, "filename"));
  const { label, kind, bytes } = place;
  if (kind === "missing") return failed(await missingFile(workspace, label, signal), NO_FILE);
  const problem = linkProblem(place, "Delete") ?? (await folderProblem(workspace, place, signal));
  if (problem !== undefined) return failed(problem);
  const what = kind === "folder" ? `the empty folder "${label}"` : `"${label}" (${size(bytes)})`;
  return prepared(
    "write",
    `Delete ${what}.${await contentToDelete(workspace, place)}`,
    async () =>
      done(`Deleted ${what}. ${await workspace.remove(place)}`.trim(), undefined, [
        { file: label, change: "deleted" },
      ]),
    { touches: [touchOf(place, "delete")], fresh: () => isAsSeen(workspace, place) },
  );
}

/** Larger files aren't read for the card. */
const MOST_BYTES = 256_000;

/** Lines of a deleted file that its card shows. */
const MOST_LINES = 40;

/** The text that would be deleted, for its card; "" where there is none to show. */
async function contentToDelete(workspace: Workspace, place: ResolvedPath): Promise<string> {
  if (place.kind !== "file" || place.bytes > MOST_BYTES) return "";
  const content = await workspace.read(place).catch(() => undefined);
  if (content?.kind !== "text" || content.file.text.trim() === "") return "";
  const lines = content.file.text.trimEnd().split("\n");
  const more = lines.length - MOST_LINES;
  const rest = more > 0 ? `\n… and ${counted(more, "more line")}` : "";
  return `\n\n${lines.slice(0, MOST_LINES).join("\n")}${rest}`;
}

/** A sentence on why a folder isn't deleted; undefined when it's empty or not a folder. */
async function folderProblem(
  workspace: Workspace,
  place: ResolvedPath,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (place.kind === "other") return `"${place.label}" is not a file, so it is not deleted.`;
  if (place.kind !== "folder") return undefined;
  if (place.label === ".") return "The workspace folder itself is never deleted.";
  const { labels } = await workspace.list(place, { limit: 1000, signal });
  if (labels.length === 0) return undefined;
  return `The folder "${place.label}" holds ${counted(labels.length, "entry", "entries")}. Delete its files one by one, or all of it with execute_shell.`;
}
