import * as vscode from "vscode";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { IsolatedReviews } from "../../editor/panel/isolated-reviews.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import type { UndoableStep, UndoResult } from "../../runs/undo/undo.ts";
import { describeConflicts, redoLatestUndo, requireUndo, undoSteps } from "../../runtime/run-undo.ts";
import { fail } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import type { DiffReview } from "../review/diff-review.ts";
import { reviewConflicts } from "../review/undo-review.ts";
import { RunItem } from "../views/runs-tree.ts";

/** Dependencies of the undo actions. */
export interface UndoDependencies {
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
  readonly diff: DiffReview;
  readonly reviews: Pick<IsolatedReviews, "withdraw">;
}

/** Actions that undo and redo the agent's changes to files. */
export function createUndoActions(parts: UndoDependencies) {
  return {
    undoStep: (given?: unknown) => undoStep(parts, given),
    undoRun: (given?: unknown) => undoRun(parts, given),
    redo: (given?: unknown) => redo(parts, given),
  };
}

async function undoStep(parts: UndoDependencies, given: unknown): Promise<void> {
  const hosted = await openGivenRun(parts, given);
  const standing = await requireUndo(hosted).listUndoableSteps();
  const step = getStepNumber(given) ?? (await pickStep(standing));
  if (step === undefined) return;
  const files = standing.find((one) => one.step === step)?.files ?? [];
  if (files.length === 0) fail("actions.undo.nothingInStep", { step });
  const paths = await pickFiles(step, files);
  if (paths) await tell(parts, hosted, "actions.undo.undone", await undoSteps(hosted, { step, paths }));
}

async function undoRun(parts: UndoDependencies, given: unknown): Promise<void> {
  const hosted = await openGivenRun(parts, given);
  if (hosted.isolation) return parts.reviews.withdraw(hosted);
  const standing = await requireUndo(hosted).listUndoableSteps();
  const files = new Set(standing.flatMap((step) => step.files.map(({ file }) => file)));
  if (files.size === 0) fail("actions.undo.nothingInRun");
  const undo = t("actions.undo.undoButton");
  const answer = await vscode.window.showWarningMessage(
    t("actions.undo.confirm", { count: files.size }),
    {
      modal: true,
      detail: `${formatFileList([...files])}\n\n${t("actions.undo.confirmDetail")}`,
    },
    undo,
  );
  if (answer === undo) await tell(parts, hosted, "actions.undo.undone", await undoSteps(hosted, {}));
}

async function redo(parts: UndoDependencies, given: unknown): Promise<void> {
  const hosted = await openGivenRun(parts, given);
  await tell(parts, hosted, "actions.undo.redone", await redoLatestUndo(hosted));
}

/** Reports the result, and offers to review the files that weren't changed. */
async function tell(
  { diff }: UndoDependencies,
  hosted: HostedRun,
  code: "actions.undo.undone" | "actions.undo.redone",
  done: UndoResult,
): Promise<void> {
  const files = [...new Set(done.steps.flatMap((step) => step.files))];
  const unseen = done.unseen.length > 0 ? t("actions.undo.unseen", { steps: done.unseen.map(String) }) : "";
  const changed = files.length > 0 ? t(code, { count: files.length }) : "";
  const text = [changed, write(describeConflicts(done) ?? ""), unseen];
  const message = formatDisplayLine(text.filter((part) => part !== "").join(" "));
  if (done.conflicts.length === 0) {
    void vscode.window.showInformationMessage(message);
    return;
  }
  const show = t("actions.undo.conflictsButton");
  const answer = await vscode.window.showWarningMessage(message, show);
  if (answer === show) await reviewConflicts(diff, hosted, done.conflicts);
}

/** The run for an action: a tree item, an id, or the shown run. */
async function openGivenRun({ runs, stored }: UndoDependencies, given: unknown): Promise<HostedRun> {
  if (given instanceof RunItem) return stored.open(given.runId);
  if (typeof given === "string") return stored.open(given);
  const hosted = findPageRun(runs, given) ?? runs.shown ?? runs.all.at(-1) ?? (await stored.openNewest());
  if (!hosted) fail("actions.undo.noRun");
  return hosted;
}

/** The run of the page whose menu was used. */
function findPageRun(runs: HostedRuns, given: unknown): HostedRun | undefined {
  if (typeof given !== "object" || given === null || !("run" in given)) return undefined;
  return typeof given.run === "string" ? runs.get(given.run) : undefined;
}

/** The step number that an action or the panel's menu passed. */
function getStepNumber(given: unknown): number | undefined {
  if (typeof given === "number") return given;
  if (typeof given !== "object" || given === null || !("step" in given)) return undefined;
  return typeof given.step === "number" ? given.step : undefined;
}

async function pickStep(standing: readonly UndoableStep[]): Promise<number | undefined> {
  if (standing.length === 0) fail("actions.undo.nothingInRun");
  const items = standing.map(({ step, files }) => ({
    label: t("approval.stepWord", { step }),
    description: formatDisplayLine(files.map(({ file }) => file).join(", ")),
    step,
  }));
  const options = { title: t("actions.undo.title"), placeHolder: t("actions.undo.whichStep") };
  return (await vscode.window.showQuickPick(items, options))?.step;
}

/** Asks which files of a step to undo; undefined when the user picks none. */
async function pickFiles(step: number, files: UndoableStep["files"]): Promise<readonly string[] | undefined> {
  if (files.length === 1) return files.map(({ path }) => path);
  const items = files.map(({ file, path }) => ({ label: formatDisplayLine(file), path, picked: true }));
  const picked = await vscode.window.showQuickPick(items, {
    title: t("actions.undo.titleOfStep", { step }),
    placeHolder: t("actions.undo.whichFiles"),
    canPickMany: true,
  });
  return picked && picked.length > 0 ? picked.map(({ path }) => path) : undefined;
}

function formatFileList(files: readonly string[]): string {
  const shown = files.slice(0, 20).map(formatDisplayLine);
  const count = files.length - shown.length;
  return [...shown, ...(count > 0 ? [t("common.andMore", { count })] : [])].join("\n");
}
