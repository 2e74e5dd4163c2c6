import { type Command, type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { type Args, FILENAME, FOLDER_ALIASES, objectSchema, requiredText } from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { done, failed, IN_THE_WAY, UNCHANGED } from "../outcomes.ts";
import { touchOf } from "../places.ts";

/** Creates a folder and its parents. */
export function createFolder(workspace: Workspace): Command {
  return {
    name: "create_folder",
    aliases: ["create_directory", "make_directory", "make_folder", "mkdir"],
    category: "files",
    effect: "write",
    description: "Creates an empty folder. Not needed before writing a file.",
    parameters: objectSchema({ folder: FILENAME }, ["folder"]),
    argumentAliases: { ...FOLDER_ALIASES, name: "folder" },
    prepare: (args) => prepare(workspace, args),
  };
}

async function prepare(workspace: Workspace, args: Args): Promise<PreparedCall | Outcome> {
  const place = await workspace.locate(requiredText(args, "folder"), "new");
  const { label, kind } = place;
  if (kind === "folder") return done(`The folder "${label}" already exists.`, UNCHANGED);
  if (kind !== "missing")
    return failed(`"${label}" is a file, so no folder can be there. Choose another name.`, IN_THE_WAY);
  return prepared(
    "write",
    `Create the folder "${label}".`,
    async () => {
      await workspace.createFolder(place);
      return done(`Created the folder "${label}".`);
    },
    { touches: [touchOf(place, "write")], fresh: () => isAsSeen(workspace, place) },
  );
}
