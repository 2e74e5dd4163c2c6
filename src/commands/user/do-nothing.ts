import { type Command, prepared } from "../../core/command.ts";
import { objectSchema, requiredText } from "../arguments.ts";
import { done } from "../outcomes.ts";

/** Lets a step pass. */
export function doNothing(): Command {
  return {
    name: "do_nothing",
    aliases: ["nothing", "wait", "noop"],
    category: "user",
    effect: "none",
    description: "Does nothing in this step. Say why.",
    parameters: objectSchema({ reason: { type: "string", minLength: 1 } }, ["reason"]),
    argumentAliases: { why: "reason" },
    prepare: async (args) =>
      prepared("none", `Do nothing: ${requiredText(args, "reason")}`, async () => done("Nothing was done.")),
  };
}
