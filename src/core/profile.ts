/** Who the agent is for a run: the classic `ai_settings` without the file format. */
export interface Profile {
  readonly name: string;
  readonly role: string;
  /** At most five. */
  readonly goals: readonly string[];
  /** US dollars; 0 or absent leaves it to the user's own budget, and of two budgets the smaller counts. */
  readonly budgetUsd?: number;
}

/** The standing parts of the prompt that a workspace may replace in `prompt_settings.yaml`. */
export interface Directives {
  readonly constraints: readonly string[];
  readonly resources: readonly string[];
  readonly bestPractices: readonly string[];
}

export const MAX_GOALS = 5;

/** Fills what was left blank, so that a run can start from a task alone. */
export function completeProfile(task: string, partial: Partial<Profile> = {}): Profile {
  const goals = (partial.goals ?? []).map((goal) => goal.trim()).filter((goal) => goal !== "");
  return {
    name: partial.name?.trim() || "AutoGPT",
    role: partial.role?.trim() || "an autonomous software developer who works in the open workspace",
    goals: goals.length > 0 ? goals.slice(0, MAX_GOALS) : [task.trim()],
    ...(partial.budgetUsd ? { budgetUsd: partial.budgetUsd } : {}),
  };
}

/** A folder name's worth of a profile or run name: lower-case ASCII, at most 40 characters. */
export function slug(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return plain.slice(0, 40).replace(/-+$/, "") || "agent";
}
