import { type Command, prepared } from "../../core/commands/command.ts";
import { objectSchema, text } from "../arguments.ts";
import { done, textSummary } from "../outcomes.ts";

/** Skips a step. */
export function doNothing(): Command {
  return {
    name: "do_nothing",
    aliases: ["nothing", "wait", "noop"],
    category: "user",
    effect: "none",
    description: "Does nothing in this step.",
    parameters: objectSchema({ reason: { type: "string" } }),
    argumentAliases: { why: "reason" },
    prepare: async (args) => {
      const reason = text(args, "reason")?.trim();
      return prepared("none", reason ? `Do nothing: ${reason}` : "Do nothing.", async () =>
        done("Nothing was done.", reason ? textSummary(reason) : undefined),
      );
    },
  };
}
