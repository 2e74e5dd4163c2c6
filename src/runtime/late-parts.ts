import { NOTHING_RESERVED, type ReservedBudget } from "../core/budget/reserved-budget.ts";
import type { Run } from "../core/events/run.ts";
import type { User } from "../core/ports/approver.ts";
import type { SandboxGuard } from "../node/sandbox/sandbox-guard.ts";
import type { Secrets } from "../runs/log/secrets.ts";
import type { RunHooks } from "./run-hooks.ts";
import type { RunModel } from "./run-model.ts";
import type { SpawnOptions } from "./subagents/spawn.ts";
import type { SubAgents } from "./subagents/sub-agents.ts";

/** Parts that a sub-agent shares with the run that it works for. */
export interface SubRun {
  readonly spawning: SpawnOptions;
  /** The same, so that a secret that one hides in a text can be found there by the other. */
  readonly secrets: Secrets;
  /** The same, since both work in the same folders. */
  readonly guard: SandboxGuard | undefined;
  /** Of the run that it works for. */
  readonly hooks: RunHooks | undefined;
}

/** The parts of a run that others refer to before they exist. */
export interface LateParts {
  readonly late: { user?: User | undefined; run?: Run; model?: RunModel };
  /** Those that may work for it; a sub-agent has none. */
  readonly agents?: SubAgents;
  /** Set where it works for another run. */
  readonly sub?: SubRun;
}

/** The part of a run's budget that it can't spend now. */
export function getReservedBudget({ agents, sub }: LateParts): ReservedBudget {
  return agents?.budget.getReservedBudget() ?? sub?.spawning.getReservedBudget() ?? NOTHING_RESERVED;
}

/** The model of a run; it has one by the time that its agent is at work. */
export function getRunModel({ model }: LateParts["late"]): RunModel {
  if (!model) throw new Error("The run has no model yet.");
  return model;
}
