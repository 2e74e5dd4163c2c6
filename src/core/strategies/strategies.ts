import type { StrategyName } from "../../schema/run-values.ts";
import type { ModelPair, Run } from "../events/run.ts";
import type { RunState } from "../events/run-state.ts";
import type { Model, ReplyFormat } from "../ports/model.ts";
import type { ThoughtStyle } from "../reply/reply.ts";
import { arrangeTasks, listTaskRemarks } from "./task-list.ts";

/** How a run's prompts become steps. Loop, policy, commands and events are the same for all. */
export interface Strategy {
  readonly name: StrategyName;
  /** The formats in which it asks, best first; absent: those of the settings and the model. */
  readonly formats?: readonly ReplyFormat[];
  /** How the model states its thoughts; absent: as in the settings. */
  readonly thoughts?: ThoughtStyle;
  /** Assigns the models to their roles here. Repeating it has no effect. */
  assignRoles(models: ModelPair): ModelPair;
  /** Runs before each step. `planner` respects the run's budget. */
  prepare?(run: Run, planner: () => Model, signal: AbortSignal): Promise<void>;
  /** Its remarks for the next prompt. */
  listRemarks?(state: RunState): readonly string[];
}

/** `react` is worded in the prompt: see `ReplyForm.isReact`. */
const STRATEGIES: Readonly<Record<StrategyName, Strategy>> = {
  autogpt: { name: "autogpt", assignRoles: (models) => models },
  react: { name: "react", formats: ["text"], thoughts: "short", assignRoles: (models) => models },
  tasks: {
    name: "tasks",
    assignRoles: ({ smart, fast, planner = smart }) => ({ smart: fast, fast, planner }),
    prepare: arrangeTasks,
    listRemarks: listTaskRemarks,
  },
};

/** The strategy of that name; the usual one for none. */
export function getStrategy(name: StrategyName | undefined): Strategy {
  return STRATEGIES[name ?? "autogpt"];
}
