import {
  type Command,
  type PrepareContext,
  type PreparedCall,
  prepared,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { type Args, FILENAME, objectSchema, requiredText } from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { done, failed, IN_THE_WAY, NO_FILE, UNCHANGED } from "../outcomes.ts";
import { linkProblem, missingFile, touchOf } from "../places.ts";

/** Moves or renames a file, never over another one. */
export function moveFile(workspace: Workspace): Command {
  return {
    name: "move_file",
    aliases: ["rename_file", "rename", "move"],
    category: "files",
    effect: "write",
    description: "Moves or renames a file. Never overwrites.",
    parameters: objectSchema(
      {
        source: FILENAME,
        destination: { ...FILENAME, description: "New path, or a folder." },
      },
      ["source", "destination"],
    ),
    argumentAliases: {
      filename: "source",
      file: "source",
      from: "source",
      old_path: "source",
      old_name: "source",
      old_filename: "source",
      source_path: "source",
      to: "destination",
      new_path: "destination",
      new_name: "destination",
      new_filename: "destination",
      target: "destination",
      destination_path: "destination",
    },
    prepare: (args, preparing) => prepare(workspace, args, preparing),
  };
}

async function prepare(
  workspace: Workspace,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const from = await workspace.locate(requiredText(args, "source"));
  if (from.kind === "missing") return failed(await missingFile(workspace, from.label, signal), NO_FILE);
  if (from.kind !== "file")
    return failed(
      `"${from.label}" is not a file. Move files one by one, or a whole folder with execute_shell (mv).`,
    );
  const link = linkProblem(from, "Move");
  if (link !== undefined) return failed(link);
  const named = await workspace.locate(requiredText(args, "destination"), "new");
  const to = named.kind === "folder" ? await placeIn(workspace, named, nameOf(from.label)) : named;
  if (to.path === from.path) return done(`"${from.label}" is there already; nothing was moved.`, UNCHANGED);
  if (to.kind !== "missing")
    return failed(
      `"${to.label}" already exists, and nothing is overwritten. Choose another name, or delete it first.`,
      IN_THE_WAY,
    );
  return prepared(
    "write",
    `Move "${from.label}" to "${to.label}".`,
    async () => {
      await workspace.move(from, to);
      return done(`Moved "${from.label}" to "${to.label}".`, undefined, [
        { file: to.label, change: "created" },
        { file: from.label, change: "deleted" },
      ]);
    },
    {
      touches: [touchOf(from, "delete"), touchOf(to, "write")],
      fresh: async () => (await isAsSeen(workspace, from)) && (await isAsSeen(workspace, to)),
    },
  );
}

/** A name in a folder, also under the folder's other names. */
async function placeIn(workspace: Workspace, folder: ResolvedPath, name: string): Promise<ResolvedPath> {
  const place = await workspace.locate(`${folder.path}/${name}`);
  const via = [...(folder.via ?? []).map((link) => `${link}/${name}`), ...(place.via ?? [])];
  return { ...place, ...(via.length > 0 ? { via } : {}) };
}

function nameOf(label: string): string {
  return label.slice(label.lastIndexOf("/") + 1);
}
