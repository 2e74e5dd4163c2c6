import { type Command, prepared } from "../../core/commands/command.ts";
import { checklistText, type PlanItem } from "../../core/reply/plan.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, objectSchema, olderNames, requiredText } from "../arguments.ts";
import { done } from "../outcomes.ts";

const STATUSES = ["pending", "in_progress", "done", "dropped"] as const;

/** Words of other programs for the statuses. */
const STATUS_ALIASES = olderNames({
  pending: "todo to_do not_started open planned",
  in_progress: "doing active started working inprogress ongoing current wip",
  done: "completed complete finished closed resolved",
  dropped: "cancelled canceled skipped removed",
});

/** Updates the checklist that the user sees and the prompt repeats. */
export function updatePlan(): Command {
  return {
    name: "update_plan",
    aliases: ["set_plan", "todo_write", "manage_todo_list", "update_todo_list"],
    category: "user",
    effect: "none",
    description: "Replaces your checklist with these items.",
    parameters: objectSchema(
      {
        items: {
          type: "array",
          maxItems: 30,
          items: objectSchema(
            {
              text: { type: "string", minLength: 1, maxLength: 500 },
              status: { type: "string", enum: STATUSES },
            },
            ["text", "status"],
          ),
        },
      },
      ["items"],
    ),
    // `text` is in an item.
    argumentAliases: olderNames({
      items: "plan todos todoList todo_list steps tasks",
      text: "content title task step",
    }),
    choiceAliases: { status: STATUS_ALIASES },
    prepare: async (args) => {
      const items = itemsOf(args);
      return prepared("none", `Keep this plan:\n\n${checklistText(items)}`, async ({ record }) => {
        await record({ type: "planned", items });
        const count = items.filter(({ status }) => status === "done").length;
        return done("Plan updated.", displayText("timeline.planDone", { done: count, all: items.length }));
      });
    },
  };
}

function itemsOf({ items }: Args): readonly PlanItem[] {
  return (Array.isArray(items) ? items : []).map((item: Args) => ({
    text: requiredText(item, "text"),
    status: STATUSES.find((status) => status === item.status) ?? "pending",
  }));
}
