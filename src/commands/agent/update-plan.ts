import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import { type PlanItem, renderChecklistText } from "../../core/reply/plan.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, createOlderNameTable, getRequiredText } from "../arguments.ts";
import { createSuccess } from "../outcomes.ts";

const STATUSES = ["pending", "in_progress", "done", "dropped"] as const;

/** Words of other programs for the statuses. */
const STATUS_ALIASES = createOlderNameTable({
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
    traits: {
      titles: [{ code: "UpdatePlan" }],
      rank: 0,
      isIdle: true,
      isForgettable: true,
      practice: "Keep your plan up to date.",
    },
    description: "Replaces your checklist with these items.",
    parameters: createObjectSchema(
      {
        items: {
          type: "array",
          maxItems: 30,
          items: createObjectSchema(
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
    argumentAliases: createOlderNameTable({
      items: "plan todos todoList todo_list steps tasks",
      text: "content title task step",
    }),
    choiceAliases: { status: STATUS_ALIASES },
    prepare: async (args) => {
      const items = readPlanItems(args);
      return createPreparedCall("none", `Keep this plan:\n\n${renderChecklistText(items)}`, async ({ record }) => {
        await record({ type: "planned", items });
        const count = items.filter(({ status }) => status === "done").length;
        return createSuccess("Plan updated.", displayText("timeline.planDone", { done: count, all: items.length }));
      });
    },
  };
}

function readPlanItems({ items }: Args): readonly PlanItem[] {
  return (Array.isArray(items) ? items : []).map((item: Args) => ({
    text: getRequiredText(item, "text"),
    status: STATUSES.find((status) => status === item.status) ?? "pending",
  }));
}
