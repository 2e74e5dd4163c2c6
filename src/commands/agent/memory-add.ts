import { type Command, type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Memory } from "../../core/ports/storage.ts";
import { displayText, inEnglish } from "../../texts/display-text.ts";
import { objectSchema, requiredText } from "../arguments.ts";
import { type FileChangeDependencies, fileChange, newTextFile } from "../file-change.ts";
import { done, failed, onOneLine, textSummary } from "../outcomes.ts";

/** Dependencies of saving notes. */
export interface MemoryAddDependencies extends FileChangeDependencies {
  readonly memory?: Memory | undefined;
}

/** Saves a note for later steps and runs, or as a file of the repository for everybody who works on it. */
export function memoryAdd(parts: MemoryAddDependencies): Command {
  const { memory } = parts;
  return {
    name: "memory_add",
    aliases: ["remember", "memory_save", "save_memory"],
    category: "memory",
    effect: "none",
    description:
      "Keeps a note for later steps and runs here: a decision, a fact that was hard to find, a wish of the user.",
    parameters: objectSchema(
      {
        text: { type: "string", minLength: 1, maxLength: 20_000 },
        shared: {
          type: "boolean",
          description: "For the whole team, as a file. Only if the user wants that.",
        },
      },
      ["text"],
    ),
    argumentAliases: { note: "text", content: "text", contents: "text", string: "text", memory: "text" },
    withheld: () => (memory ? undefined : "The memory is turned off (autogpt.memory.enabled)."),
    prepare: async (args) => {
      const text = requiredText(args, "text");
      if (text.trim() === "") return failed(inEnglish(displayText("trouble.nothingToRemember")));
      if (memory && args.shared === true) return sharedNote(parts, memory, text);
      return prepared("none", `Remember in this workspace:\n\n${text}`, async () => {
        const server = await memory?.add(text);
        if (server === undefined) return done("Saved to memory.", textSummary(text));
        const shared = displayText("results.sharedNote", { text: onOneLine(text), server });
        return done("Saved to memory, which is shared with the team.", shared);
      });
    },
  };
}

/** A note for the team is a new file, so it is shown and approved like any other file that the agent writes. */
async function sharedNote(
  parts: FileChangeDependencies,
  memory: Memory,
  text: string,
): Promise<PreparedCall | Outcome> {
  const { path, contents } = await memory.noteFile(text);
  const place = await parts.workspace.locate(path, "new");
  return fileChange(parts, {
    place,
    after: newTextFile(place, contents),
    did: `Saved the note as "${place.label}". The team gets it once the file is committed.`,
    details: `Create the file "${place.label}" with this text:\n\n${contents}`,
  });
}
