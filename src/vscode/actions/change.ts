import * as vscode from "vscode";
import type { Limits } from "../../core/budget/budget.ts";
import { MAX_GOALS } from "../../core/prompt/profile.ts";
import { findRunByArgument, type HostedRun, type HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { agreeToPlan } from "../../runtime/run-control.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import { formatUsd, t } from "../../texts/language.ts";
import { readSettings } from "../host/settings.ts";
import { type ModelPickerDependencies, pickModel } from "../models/model-picker.ts";
import { convertPathToUri } from "../workspace/places.ts";

/** Dependencies of the actions that change a run. */
export type ChangeDependencies = ModelPickerDependencies & { readonly runs: HostedRuns };

/** Actions that change a run's goals, limits, model and mode. */
export function createChangeActions(parts: ChangeDependencies) {
  return {
    changeRun: (given?: unknown) => changeRun(parts, given),
    carryOut: (given?: unknown) => carryOut(findLiveRun(parts.runs, given)),
  };
}

function findLiveRun(runs: HostedRuns, given: unknown): HostedRun {
  const hosted = findRunByArgument(runs, given) ?? runs.shown ?? runs.all.at(-1);
  if (!hosted) fail("actions.change.noRun");
  if (!hosted.live) throw new DisplayError(hosted.readOnly ?? displayText("actions.readOnly"));
  return hosted;
}

async function changeRun(parts: ChangeDependencies, given: unknown): Promise<void> {
  const hosted = findLiveRun(parts.runs, given);
  const { profile, limits, model, mode } = hosted.run.state;
  const picked = await vscode.window.showQuickPick(
    [
      {
        label: t("actions.change.goalsButton"),
        description: formatDisplayLine(profile.goals.join("; ")),
        change: changeGoals,
      },
      { label: t("actions.change.budgetButton"), description: describeLimits(limits), change: changeLimits },
      {
        label: t("actions.change.modelButton"),
        description: formatDisplayLine(model.smart),
        change: () => changeModel(parts, hosted),
      },
      mode === "plan"
        ? { label: t("actions.carryOutButton"), description: t("actions.change.planning"), change: carryOut }
        : {
            label: t("actions.change.planButton"),
            description: t("actions.change.planDetail"),
            change: switchToPlanMode,
          },
    ],
    { title: t("actions.change.title"), placeHolder: t("actions.change.prompt") },
  );
  await picked?.change(hosted);
}

async function changeGoals({ run }: HostedRun): Promise<void> {
  const answer = await vscode.window.showInputBox({
    title: t("actions.change.goalsTitle"),
    prompt: t("actions.change.goalsPrompt", { count: MAX_GOALS }),
    value: run.state.profile.goals.join("; "),
    ignoreFocusOut: true,
    validateInput: (text) => (parseGoals(text).length > 0 ? undefined : t("actions.change.noGoal")),
  });
  if (answer !== undefined) await run.record({ type: "changed", goals: parseGoals(answer) });
}

function parseGoals(text: string): readonly string[] {
  const goals = text.split(";").map((goal) => goal.trim());
  return goals.filter((goal) => goal !== "").slice(0, MAX_GOALS);
}

const LIMITS = ["usd", "steps", "replies", "tokens", "minutes"] as const;

async function changeLimits({ run }: HostedRun): Promise<void> {
  const { limits } = run.state;
  const items = LIMITS.map((name) => ({
    label: t(`actions.limit.${name}`),
    description: String(limits[name]),
    name,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: t("actions.change.budgetTitle"),
    placeHolder: t("actions.change.whichLimit"),
  });
  if (!picked) return;
  const answer = await vscode.window.showInputBox({
    title: t("actions.change.limitTitle", { limit: picked.label }),
    prompt: t("actions.change.limitPrompt"),
    value: String(limits[picked.name]),
    ignoreFocusOut: true,
    validateInput: (text) => (parseAmount(text) === undefined ? t("actions.change.noNumber") : undefined),
  });
  const amount = answer === undefined ? undefined : parseAmount(answer);
  if (amount !== undefined) await run.record({ type: "changed", limits: { [picked.name]: amount } });
}

function parseAmount(text: string): number | undefined {
  const value = Number(text.trim());
  return text.trim() !== "" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function describeLimits({ usd, steps }: Limits): string {
  const cost = usd > 0 ? formatUsd(usd) : t("actions.change.noCostLimit");
  return `${cost} · ${steps > 0 ? t("common.steps", { count: steps }) : t("actions.change.noStepLimit")}`;
}

async function changeModel(parts: ChangeDependencies, hosted: HostedRun): Promise<void> {
  const picked = await pickModel(parts, t("actions.change.modelTitle"));
  if (!picked) return;
  const settings = readSettings(convertPathToUri(hosted.folder));
  await hosted.useModels?.(
    await parts.desk.createModelPair({ ...settings, model: { ...settings.model, ...picked.model } }),
  );
}

async function switchToPlanMode({ run, grants, live }: HostedRun): Promise<void> {
  grants?.endAll();
  await run.record({ type: "changed", mode: "plan" });
  live?.showAgain();
}

/** Approves the plan of a run, so that it may act. */
async function carryOut({ run, live }: HostedRun): Promise<void> {
  await agreeToPlan(run);
  live?.resume();
}
