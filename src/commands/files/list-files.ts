import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { createObjectSchema, FOLDER, FOLDER_ALIASES, GLOB, getTextArgument } from "../arguments.ts";
import { createTouch, getFolderPath } from "../places.ts";
import { renderFolderListing } from "./listing-text.ts";

/** Lists files and folders. */
export function listFiles(workspace: Workspace): Command {
  return {
    name: "list_files",
    aliases: ["list_folder", "list_directory", "open_folder", "ls"],
    category: "files",
    effect: "read",
    traits: {
      titles: [{ code: "ListFolder", path: "folder" }, { code: "ListFiles" }],
      role: "list",
      rank: 0,
      isLean: true,
      reads: "state",
    },
    description: "Lists everything below a folder except what git ignores.",
    parameters: createObjectSchema({
      folder: FOLDER,
      glob: GLOB,
    }),
    argumentAliases: { ...FOLDER_ALIASES, pattern: "glob" },
    async prepare(args) {
      const place = await workspace.locate(getFolderPath(getTextArgument(args, "folder")));
      const glob = getTextArgument(args, "glob");
      return createPreparedCall(
        "read",
        `List what is below "${place.label}"${glob === undefined ? "" : ` and matches ${glob}`}.`,
        ({ signal }) => renderFolderListing(workspace, place, glob, signal),
        { touches: [createTouch(place, "read")] },
      );
    },
  };
}
