import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import { createObjectSchema, getRequiredText } from "../arguments.ts";

/** Ends the run. */
export function createTaskCompleteCommand(): Command {
  return {
    name: "task_complete",
    aliases: ["finish", "goals_accomplished", "task_completed", "complete_task", "done"],
    category: "user",
    effect: "finish",
    traits: {
      titles: [{ code: "Finish" }],
      role: "finish",
      isIdle: true,
      rank: 0,
      isLean: true,
      practice: "As soon as the goals are met, call task_complete and say what you did and what is left.",
    },
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
