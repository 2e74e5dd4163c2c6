import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import { createObjectSchema, getRequiredText } from "../arguments.ts";

/** Ends the run. */
export function createTaskCompleteCommand(): Command {
  return {
    name: "task_complete",
    aliases: ["finish", "goals_accomplished", "task_completed", "complete_task", "done"],
    category: "user",
    effect: "finish",
    description: "Ends the run: the goals are reached and checked, or can't be reached.",
    parameters: createObjectSchema(
      {
        reason: {
          type: "string",
          minLength: 1,
          description: "For the user: what was done and what is left.",
        },
      },
      ["reason"],
    ),
    argumentAliases: { summary: "reason", message: "reason", result: "reason", text: "reason" },
    prepare: async (args) => {
      const summary = getRequiredText(args, "reason");
      return createPreparedCall("finish", `Finish:\n\n${summary}`, async () => ({
        status: "finished",
        summary,
      }));
    },
  };
}
