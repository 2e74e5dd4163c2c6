import * as vscode from "vscode";
import type { Limits } from "../../core/budget/budget.ts";
import { MAX_GOALS } from "../../core/prompt/profile.ts";
import { type HostedRun, type HostedRuns, runArgument } from "../../panel/hosted-runs.ts";
import { displayLine } from "../../panel/notification-text.ts";
import { agreeToPlan } from "../../runtime/run-control.ts";
import { readSettings } from "../host/settings.ts";
import { type ModelPickerDependencies, pickModel } from "../models/model-picker.ts";
import { uriOf } from "../workspace/places.ts";

/** Dependencies of the actions that change a run. */
export type ChangeDependencies = ModelPickerDependencies & { readonly runs: HostedRuns };

/** Actions that change a run's goals, limits, model and mode. */
export function changeActions(parts: ChangeDependencies) {
  return {
    changeRun: (given?: unknown) => changeRun(parts, given),
    carryOut: (given?: unknown) => carryOut(liveRun(parts.runs, given)),
  };
}

function liveRun(runs: HostedRuns, given: unknown): HostedRun {
  const hosted = runArgument(runs, given) ?? runs.shown ?? runs.all.at(-1);
  if (!hosted) throw new Error("Open a run first, then change it.");
  if (!hosted.live) throw new Error(hosted.readOnly ?? "This run is read-only.");
  return hosted;
}

async function changeRun(parts: ChangeDependencies, given: unknown): Promise<void> {
  const hosted = liveRun(parts.runs, given);
  const { profile, limits, model, mode } = hosted.run.state;
  const picked = await vscode.window.showQuickPick(
    [
      { label: "Goals…", description: displayLine(profile.goals.join("; ")), change: changeGoals },
      { label: "Budget…", description: limitsText(limits), change: changeLimits },
      { label: "Model…", description: displayLine(model.smart), change: () => changeModel(parts, hosted) },
      mode === "plan"
        ? { label: "Carry Out the Plan", description: "currently planning", change: carryOut }
        : { label: "Plan First", description: "read-only from the next step on", change: planFirst },
    ],
    { title: "Change the Run", placeHolder: "Change from the next step on:" },
  );
  await picked?.change(hosted);
}

async function changeGoals({ run }: HostedRun): Promise<void> {
  const answer = await vscode.window.showInputBox({
    title: "Goals",
    prompt: `Up to ${MAX_GOALS} goals, separated by semicolons.`,
    value: run.state.profile.goals.join("; "),
    ignoreFocusOut: true,
    validateInput: (text) => (goalsOf(text).length > 0 ? undefined : "Enter at least one goal."),
  });
  if (answer !== undefined) await run.record({ type: "changed", goals: goalsOf(answer) });
}

function goalsOf(text: string): readonly string[] {
  const goals = text.split(";").map((goal) => goal.trim());
  return goals.filter((goal) => goal !== "").slice(0, MAX_GOALS);
}

const LIMITS = [
  { label: "US dollars", name: "usd" },
  { label: "Steps", name: "steps" },
  { label: "Replies", name: "replies" },
  { label: "Tokens", name: "tokens" },
  { label: "Minutes", name: "minutes" },
] as const;

async function changeLimits({ run }: HostedRun): Promise<void> {
  const { limits } = run.state;
  const items = LIMITS.map(({ label, name }) => ({ label, description: String(limits[name]), name }));
  const picked = await vscode.window.showQuickPick(items, { title: "Budget", placeHolder: "Which limit?" });
  if (!picked) return;
  const answer = await vscode.window.showInputBox({
    title: `Budget: ${picked.label}`,
    prompt: "Maximum for the whole run. 0: no limit.",
    value: String(limits[picked.name]),
    ignoreFocusOut: true,
    validateInput: (text) => (amountOf(text) === undefined ? "Enter a number of 0 or more." : undefined),
  });
  const amount = answer === undefined ? undefined : amountOf(answer);
  if (amount !== undefined) await run.record({ type: "changed", limits: { [picked.name]: amount } });
}

function amountOf(text: string): number | undefined {
  const value = Number(text.trim());
  return text.trim() !== "" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function limitsText({ usd, steps }: Limits): string {
  return `${usd > 0 ? `$${usd}` : "no cost limit"}, ${steps > 0 ? `${steps} steps` : "no step limit"}`;
}

async function changeModel(parts: ChangeDependencies, hosted: HostedRun): Promise<void> {
  const picked = await pickModel(parts, "Model of This Run");
  if (!picked) return;
  const settings = readSettings(uriOf(hosted.folder));
  await hosted.useModels?.(
    await parts.desk.pair({ ...settings, model: { ...settings.model, ...picked.model } }),
  );
}

async function planFirst({ run, grants, live }: HostedRun): Promise<void> {
  grants?.endAll();
  await run.record({ type: "changed", mode: "plan" });
  live?.showAgain();
}

/** Approves the plan of a run, so that it may act. */
async function carryOut({ run, live }: HostedRun): Promise<void> {
  await agreeToPlan(run);
  live?.resume();
}
