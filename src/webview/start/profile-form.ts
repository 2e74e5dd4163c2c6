import { omitUndefined } from "../../core/base/objects.ts";
import { completeProfile, MAX_GOALS, type Profile, selectWorkingFields } from "../../core/prompt/profile.ts";
import type { ProfileForm } from "../../schema/saved-panel.ts";
import type { Sentence } from "../../texts/display-text.ts";

export function createProfileForm(task: string, profile: Profile, notice?: Sentence): ProfileForm {
  const { strategy, commands, model } = profile;
  return {
    task,
    name: profile.name,
    role: profile.role,
    goals: profile.goals.slice(0, MAX_GOALS).map((text, key) => ({ key, text })),
    budget: profile.budgetUsd ? String(profile.budgetUsd) : "",
    ...omitUndefined({ strategy }),
    ...(commands === undefined ? {} : { commands: commands.join(", ") }),
    ...omitUndefined({ model, notice }),
  };
}

/** The fields of the form that say how the agent works. */
function extractWorkingFields({ strategy, commands = "", model }: ProfileForm): ReturnType<typeof selectWorkingFields> {
  const names = commands.split(/[\s,]+/).filter((name) => name !== "");
  return selectWorkingFields({ strategy, commands: names, model });
}

/** The goals as one text, one per line. */
export function joinGoals({ goals }: ProfileForm): string {
  return goals.map(({ text }) => text).join("\n");
}

/** Sets the form's goals from text with one goal per line. */
export function setGoalText(form: ProfileForm, typed: string): ProfileForm {
  return { ...form, goals: typed.split("\n").map((text, key) => ({ key, text })) };
}

/** True if the form has more goals than a profile may have. */
export function hasTooManyGoals({ goals }: ProfileForm): boolean {
  return goals.filter(({ text }) => text.trim() !== "").length > MAX_GOALS;
}

/** Dollars as typed; undefined for anything that isn't an amount. */
export function parseDollars(typed: string): number | undefined {
  const plain = typed
    .trim()
    .replace(/^\$\s*/, "")
    .replace(",", ".");
  if (plain === "") return 0;
  const value = Number(plain);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The profile in the form; undefined while its budget isn't an amount or it has too many goals. */
export function parseProfileForm(form: ProfileForm): Profile | undefined {
  const budgetUsd = parseDollars(form.budget);
  if (budgetUsd === undefined || hasTooManyGoals(form)) return undefined;
  const goals = form.goals.map((goal) => goal.text);
  return completeProfile(form.task, {
    name: form.name,
    role: form.role,
    goals,
    budgetUsd,
    ...extractWorkingFields(form),
  });
}

/** The start button's hint with the keys of the machine that shows the panel, which may be another than the agent's. */
export function chooseStartHint(platform: string): "start.startHint" | "start.startHintOnMac" {
  return /^(?:Mac|iP)/.test(platform) ? "start.startHintOnMac" : "start.startHint";
}
