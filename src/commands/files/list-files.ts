import { type Command, prepared } from "../../core/commands/command.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { FOLDER, FOLDER_ALIASES, GLOB, objectSchema, text } from "../arguments.ts";
import { folderPath, touchOf } from "../places.ts";
import { listingText } from "./listing-text.ts";

/** Lists files and folders. */
export function listFiles(workspace: Workspace): Command {
  return {
    name: "list_files",
    aliases: ["list_folder", "list_directory", "open_folder", "ls"],
    category: "files",
    effect: "read",
    description: "Lists everything below a folder except what git ignores.",
    parameters: objectSchema({
      folder: FOLDER,
      glob: GLOB,
    }),
    argumentAliases: { ...FOLDER_ALIASES, pattern: "glob" },
    async prepare(args) {
      const place = await workspace.locate(folderPath(text(args, "folder")));
      const glob = text(args, "glob");
      return prepared(
        "read",
        `List what is below "${place.label}"${glob === undefined ? "" : ` and matches ${glob}`}.`,
        ({ signal }) => listingText(workspace, place, glob, signal),
        { touches: [touchOf(place, "read")] },
      );
    },
  };
}
