import type { Action } from "../../schema/actions.ts";
import type { AgentEvent } from "../../schema/events.ts";

/** Events that complete a step of the walkthrough, as the context key `autogpt.<name>`. */
export type Milestone = "hasModel" | "hasStarted" | "hasApproved" | "hasReviewed" | "hasSeenLimits";

/** The milestone that an event of a run reaches, if any. */
export function findMilestone(event: AgentEvent): Milestone | undefined {
  switch (event.type) {
    case "replied":
      return "hasStarted";
    case "decided":
      return event.allow && event.by === "user" ? "hasApproved" : undefined;
    case "undone":
    case "reviewed":
      return "hasReviewed";
    default:
      return undefined;
  }
}

const OF_ACTIONS: Partial<Record<Action, Milestone>> = {
  reviewChanges: "hasReviewed",
  commitChanges: "hasReviewed",
  undoRun: "hasReviewed",
  undoStep: "hasReviewed",
  showPermissions: "hasSeenLimits",
  changeRun: "hasSeenLimits",
};

/** The milestone that an action reaches, if any. */
export function findActionMilestone(action: Action): Milestone | undefined {
  return OF_ACTIONS[action];
}

/** Announces each milestone once. */
export class Milestones {
  private readonly announce: (milestone: Milestone) => void;
  private readonly reached = new Set<Milestone>();

  constructor(announce: (milestone: Milestone) => void) {
    this.announce = announce;
  }

  reach(milestone: Milestone | undefined): void {
    if (milestone === undefined || this.reached.has(milestone)) return;
    this.reached.add(milestone);
    this.announce(milestone);
  }
}
