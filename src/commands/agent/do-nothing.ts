import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import { createObjectSchema, getTextArgument } from "../arguments.ts";
import { createSuccess, createTextSummary } from "../outcomes.ts";

/** Skips a step. */
export function doNothing(): Command {
  return {
    name: "do_nothing",
    aliases: ["nothing", "wait", "noop"],
    category: "user",
    effect: "none",
    traits: { titles: [{ code: "DoNothing" }], role: "idle", isIdle: true, rank: 230, isForgettable: true },
    description: "Does nothing in this step.",
    parameters: createObjectSchema({ reason: { type: "string" } }),
    argumentAliases: { why: "reason" },
    prepare: async (args) => {
      const reason = getTextArgument(args, "reason")?.trim();
      return createPreparedCall("none", reason ? `Do nothing: ${reason}` : "Do nothing.", async () =>
        createSuccess("Nothing was done.", reason ? createTextSummary(reason) : undefined),
      );
    },
  };
}
