import { completeProfile, MAX_GOALS, type Profile } from "../../core/prompt/profile.ts";
import type { ProfileForm } from "../../schema/saved-panel.ts";

export function profileForm(task: string, profile: Profile, notice?: string): ProfileForm {
  return {
    task,
    name: profile.name,
    role: profile.role,
    goals: profile.goals.slice(0, MAX_GOALS).map((text, key) => ({ key, text })),
    budget: profile.budgetUsd ? String(profile.budgetUsd) : "",
    ...(notice === undefined ? {} : { notice }),
  };
}

/** A form to fill in by hand. */
export function blankForm(task: string): ProfileForm {
  return profileForm(task, completeProfile(task));
}

export function withGoal(form: ProfileForm, key: number, text: string): ProfileForm {
  return { ...form, goals: form.goals.map((goal) => (goal.key === key ? { key, text } : goal)) };
}

/** Adds an empty goal; at most five are allowed. */
export function withNewGoal(form: ProfileForm): ProfileForm {
  if (form.goals.length >= MAX_GOALS) return form;
  const key = Math.max(-1, ...form.goals.map((goal) => goal.key)) + 1;
  return { ...form, goals: [...form.goals, { key, text: "" }] };
}

/** Removes a goal; the last one stays. */
export function withoutGoal(form: ProfileForm, key: number): ProfileForm {
  if (form.goals.length <= 1) return form;
  return { ...form, goals: form.goals.filter((goal) => goal.key !== key) };
}

/** Moves a goal up (-1) or down (1), as far as it goes. */
export function withGoalMoved(form: ProfileForm, key: number, by: -1 | 1): ProfileForm {
  const from = form.goals.findIndex((goal) => goal.key === key);
  const goal = form.goals[from];
  const to = from + by;
  if (!goal || to < 0 || to >= form.goals.length) return form;
  return { ...form, goals: form.goals.toSpliced(from, 1).toSpliced(to, 0, goal) };
}

/** Dollars as typed; undefined for anything that isn't an amount. */
export function dollars(typed: string): number | undefined {
  const plain = typed
    .trim()
    .replace(/^\$\s*/, "")
    .replace(",", ".");
  if (plain === "") return 0;
  const value = Number(plain);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The profile in the form; undefined while its budget isn't an amount. */
export function profileOf(form: ProfileForm): Profile | undefined {
  const budgetUsd = dollars(form.budget);
  if (budgetUsd === undefined) return undefined;
  const goals = form.goals.map((goal) => goal.text);
  return completeProfile(form.task, { name: form.name, role: form.role, goals, budgetUsd });
}
