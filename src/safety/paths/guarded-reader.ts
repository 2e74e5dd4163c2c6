import { namesOf } from "../../core/commands/command.ts";
import { type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import { isInside, type Platform, pathBelow } from "./paths.ts";
import { protectionOf } from "./sensitive.ts";

const MOST_BYTES = 1_000_000;

/**
 * Reads text files of a workspace without a request, under the same protection as `read_file`, except that files which would ask
 * there aren't read. Undefined for a missing file. Throws a sentence for people.
 */
export function guardedReader(
  workspace: Pick<Workspace, "locate" | "read">,
  folders: readonly string[],
  platform: Platform,
): (file: string) => Promise<string | undefined> {
  return async (file) => {
    const isnt = (why: string): Error => new Error(`${file} isn't read: ${why}.`);
    try {
      const place = await workspace.locate(file);
      if (place.kind === "missing") return undefined;
      for (const path of namesOf({ ...place, how: "read" })) {
        const why = protectionOf({ path, how: "read" }, folders, platform);
        if (why !== undefined) throw isnt(`it leads to ${pathBelow(path, folders, platform)}, which ${why}`);
        if (!isInside(path, folders, platform)) throw isnt(`it leads to ${path}, outside the workspace`);
      }
      if (place.bytes > MOST_BYTES) throw isnt("it is too large (over 1 MB)");
      const content = await workspace.read(place);
      if (content.kind === "binary") throw isnt("it is a binary file");
      return content.file.text;
    } catch (error) {
      throw error instanceof WorkspaceError ? isnt(reasonIn(error.message)) : error;
    }
  };
}

/** A sentence for the model starts with the file and ends with advice for the model; only the reason between them is kept. */
function reasonIn(sentence: string): string {
  const first = /^(.*?)\.(?:\s|$)/s.exec(sentence)?.[1] ?? sentence;
  return first.replace(/^"(?:[^"\\]|\\.)*"/, "it").replace(/, so it is not read$/, "");
}
