import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { type Args, createObjectSchema, FILENAME, FOLDER_ALIASES, getRequiredText } from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { createFailure, createSuccess, IN_THE_WAY, UNCHANGED } from "../outcomes.ts";
import { createTouch } from "../places.ts";

/** Creates a folder and its parents. */
export function createFolder(workspace: Workspace): Command {
  return {
    name: "create_folder",
    aliases: ["create_directory", "make_directory", "make_folder", "mkdir"],
    category: "files",
    effect: "write",
    traits: {
      titles: [{ code: "CreateFolder", path: "folder" }],
      question: { code: "createFolder", folder: "folder" },
      role: "createFolder",
      rank: 120,
    },
    description: "Creates an empty folder. Not needed before writing a file.",
    parameters: createObjectSchema({ folder: FILENAME }, ["folder"]),
    argumentAliases: { ...FOLDER_ALIASES, name: "folder" },
    prepare: (args) => prepare(workspace, args),
  };
}

async function prepare(workspace: Workspace, args: Args): Promise<PreparedCall | Outcome> {
  const place = await workspace.locate(getRequiredText(args, "folder"), "new");
  const { label, kind } = place;
  if (kind === "folder") return createSuccess(`The folder "${label}" already exists.`, UNCHANGED);
  if (kind !== "missing")
    return createFailure(`"${label}" is a file, so no folder can be there. Choose another name.`, IN_THE_WAY);
  return createPreparedCall(
    "write",
    `Create the folder "${label}".`,
    async () => {
      await workspace.createFolder(place);
      return createSuccess(`Created the folder "${label}".`);
    },
    { touches: [createTouch(place, "write")], fresh: () => isAsSeen(workspace, place) },
  );
}
