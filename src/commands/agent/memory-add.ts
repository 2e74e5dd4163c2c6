import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Memory } from "../../core/ports/storage.ts";
import { displayText, writeInEnglish } from "../../texts/display-text.ts";
import { createObjectSchema, getRequiredText } from "../arguments.ts";
import { createNewTextFile, type FileChangeDependencies, prepareFileChange } from "../file-change.ts";
import { createFailure, createSuccess, createTextSummary, shortenToOneLine } from "../outcomes.ts";

/** Dependencies of saving notes. */
export interface MemoryAddDependencies extends FileChangeDependencies {
  readonly memory?: Memory | undefined;
}

/** Saves a note for later steps and runs, or as a file of the repository for everybody who works on it. */
export function createMemoryAddCommand(parts: MemoryAddDependencies): Command {
  const { memory } = parts;
  return {
    name: "memory_add",
    aliases: ["remember", "memory_save", "save_memory"],
    category: "memory",
    effect: "none",
    traits: {
      titles: [{ code: "ShareNote", when: "shared" }, { code: "Remember" }],
      rank: 70,
      isForgettable: true,
    },
    description:
      "Keeps a note for later steps and runs here: a decision, a fact that was hard to find, a wish of the user.",
    parameters: createObjectSchema(
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
      const text = getRequiredText(args, "text");
      if (text.trim() === "") return createFailure(writeInEnglish(displayText("trouble.nothingToRemember")));
      if (memory && args.shared === true) return prepareSharedNote(parts, memory, text);
      return createPreparedCall("none", `Remember in this workspace:\n\n${text}`, async () => {
        const server = await memory?.add(text);
        if (server === undefined) return createSuccess("Saved to memory.", createTextSummary(text));
        const shared = displayText("results.sharedNote", { text: shortenToOneLine(text), server });
        return createSuccess("Saved to memory, which is shared with the team.", shared);
      });
    },
  };
}

/** A note for the team is a new file, so it is shown and approved like any other file that the agent writes. */
async function prepareSharedNote(
  parts: FileChangeDependencies,
  memory: Memory,
  text: string,
): Promise<PreparedCall | Outcome> {
  const { path, contents } = await memory.prepareNoteFile(text);
  const place = await parts.workspace.locate(path, "new");
  return prepareFileChange(parts, {
    place,
    after: createNewTextFile(place, contents),
    did: `Saved the note as "${place.label}". The team gets it once the file is committed.`,
    details: `Create the file "${place.label}" with this text:\n\n${contents}`,
  });
}
