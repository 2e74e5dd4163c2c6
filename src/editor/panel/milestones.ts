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
  createPullRequest: "hasReviewed",
  undoRun: "hasReviewed",
  undoStep: "hasReviewed",
  showPermissions: "hasSeenLimits",
  changeRun: "hasSeenLimits",
};

/** The milestone that an action reaches, if any. */
export function findActionMilestone(action: Action): Milestone | undefined {
  return OF_ACTIONS[action];
}

/** Announces the milestones that were reached, each once, and all again to a walkthrough that is opened later. */
export class Milestones {
  private readonly announce: (milestone: Milestone) => void;
  private readonly reached: Set<Milestone>;

  /** `before`: those of earlier windows. */
  constructor(announce: (milestone: Milestone) => void, before: readonly Milestone[] = []) {
    this.announce = announce;
    this.reached = new Set(before);
  }

  get all(): readonly Milestone[] {
    return [...this.reached];
  }

  reach(milestone: Milestone | undefined): void {
    if (milestone === undefined || this.reached.has(milestone)) return;
    this.reached.add(milestone);
    this.announce(milestone);
  }

  announceAgain(): void {
    for (const milestone of this.reached) this.announce(milestone);
  }
}
