import { type Command, prepared } from "../../core/commands/command.ts";
import { objectSchema, requiredText } from "../arguments.ts";

/** Ends the run. */
export function taskComplete(): Command {
  return {
    name: "task_complete",
    aliases: ["finish", "goals_accomplished", "task_completed", "complete_task", "done"],
    category: "user",
    effect: "finish",
    description:
      "Ends the run. Use it when all goals are reached and checked, or when they cannot be reached; say which, and what was done.",
    parameters: objectSchema(
      { reason: { type: "string", minLength: 1, description: "A summary for the user." } },
      ["reason"],
    ),
    argumentAliases: { summary: "reason", message: "reason", result: "reason", text: "reason" },
    prepare: async (args) => {
      const summary = requiredText(args, "reason");
      return prepared("finish", `Finish:\n\n${summary}`, async () => ({ status: "finished", summary }));
    },
  };
}
