import { type Command, prepared } from "../../core/commands/command.ts";
import type { Memory } from "../../core/ports/storage.ts";
import { objectSchema, requiredText } from "../arguments.ts";
import { done, textSummary } from "../outcomes.ts";

/** Saves a note for later steps and runs. */
export function memoryAdd(memory: Memory | undefined): Command {
  return {
    name: "memory_add",
    aliases: ["remember", "memory_save", "save_memory"],
    category: "memory",
    effect: "none",
    description:
      "Keeps a note for later steps and runs here: a decision, a fact that was hard to find, a wish of the user.",
    parameters: objectSchema({ text: { type: "string", minLength: 1, maxLength: 20_000 } }, ["text"]),
    argumentAliases: { note: "text", content: "text", contents: "text", string: "text", memory: "text" },
    withheld: () => (memory ? undefined : "The memory is turned off (autogpt.memory.enabled)."),
    prepare: async (args) => {
      const text = requiredText(args, "text");
      return prepared("none", `Remember in this workspace:\n\n${text}`, async () => {
        await memory?.add(text);
        return done("Saved to memory.", textSummary(text));
      });
    },
  };
}
