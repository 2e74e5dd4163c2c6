import * as vscode from "vscode";
import { counted } from "../../core/base/text.ts";
import type { HostedRun, HostedRuns } from "../../panel/hosted-runs.ts";
import { displayLine } from "../../panel/notification-text.ts";
import type { UndoableStep, UndoResult } from "../../runs/undo/undo.ts";
import { conflictText, redoIn, undoableNow, undoIn } from "../../runtime/run-undo.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import type { DiffReview } from "../review/diff-review.ts";
import { reviewConflicts } from "../review/undo-review.ts";
import { RunItem } from "../views/runs-tree.ts";

/** Dependencies of the undo actions. */
export interface UndoDependencies {
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
  readonly diff: DiffReview;
}

/** Actions that undo and redo the agent's changes to files. */
export function undoActions(parts: UndoDependencies) {
  return {
    undoStep: (given?: unknown) => undoStep(parts, given),
    undoRun: (given?: unknown) => undoRun(parts, given),
    redo: (given?: unknown) => redo(parts, given),
  };
}

async function undoStep(parts: UndoDependencies, given: unknown): Promise<void> {
  const hosted = await runOf(parts, given);
  const standing = await undoableNow(hosted).standing();
  const step = stepOf(given) ?? (await pickStep(standing));
  if (step === undefined) return;
  const files = standing.find((one) => one.step === step)?.files ?? [];
  if (files.length === 0)
    throw new Error(
      `Step ${step} left no file changes that can be undone. Of the changes made by programs, only new files and files tracked by git can be undone.`,
    );
  const paths = await pickFiles(step, files);
  if (paths) await tell(parts, hosted, "Undone", await undoIn(hosted, { step, paths }));
}

async function undoRun(parts: UndoDependencies, given: unknown): Promise<void> {
  const hosted = await runOf(parts, given);
  const standing = await undoableNow(hosted).standing();
  const files = new Set(standing.flatMap((step) => step.files.map(({ file }) => file)));
  if (files.size === 0)
    throw new Error(
      "This run left no file changes that can be undone. Of the changes made by programs, only new files and files tracked by git can be undone.",
    );
  const undo = "Undo";
  const answer = await vscode.window.showWarningMessage(
    `Undo this run's changes to ${counted(files.size, "file")}?`,
    {
      modal: true,
      detail: `${listed([...files])}\n\nFiles that changed since then stay as they are. Redo reverses this.`,
    },
    undo,
  );
  if (answer === undo) await tell(parts, hosted, "Undone", await undoIn(hosted, {}));
}

async function redo(parts: UndoDependencies, given: unknown): Promise<void> {
  const hosted = await runOf(parts, given);
  await tell(parts, hosted, "Redone", await redoIn(hosted));
}

/** Reports the result, and offers to review the files that weren't changed. */
async function tell(
  { diff }: UndoDependencies,
  hosted: HostedRun,
  word: string,
  done: UndoResult,
): Promise<void> {
  const files = [...new Set(done.steps.flatMap((step) => step.files))];
  const unseen =
    done.unseen.length > 0
      ? `Step ${done.unseen.join(", ")} ran a program, whose changes aren't undone.`
      : "";
  const text = [files.length > 0 ? `${word}: ${files.join(", ")}.` : "", conflictText(done) ?? "", unseen];
  const message = displayLine(text.filter((part) => part !== "").join(" "));
  if (done.conflicts.length === 0) {
    void vscode.window.showInformationMessage(message);
    return;
  }
  const answer = await vscode.window.showWarningMessage(message, "Show Conflicts");
  if (answer === "Show Conflicts") await reviewConflicts(diff, hosted, done.conflicts);
}

/** The run for an action: a tree item, an id, or the shown run. */
async function runOf({ runs, stored }: UndoDependencies, given: unknown): Promise<HostedRun> {
  if (given instanceof RunItem) return stored.open(given.runId);
  if (typeof given === "string") return stored.open(given);
  const hosted = runOfPage(runs, given) ?? runs.shown ?? runs.all.at(-1) ?? (await stored.newest());
  if (!hosted) throw new Error("Open a run first to undo its changes.");
  return hosted;
}

/** The run of the page whose menu was used. */
function runOfPage(runs: HostedRuns, given: unknown): HostedRun | undefined {
  if (typeof given !== "object" || given === null || !("run" in given)) return undefined;
  return typeof given.run === "string" ? runs.get(given.run) : undefined;
}

/** The step number that an action or the panel's menu passed. */
function stepOf(given: unknown): number | undefined {
  if (typeof given === "number") return given;
  if (typeof given !== "object" || given === null || !("step" in given)) return undefined;
  return typeof given.step === "number" ? given.step : undefined;
}

async function pickStep(standing: readonly UndoableStep[]): Promise<number | undefined> {
  if (standing.length === 0)
    throw new Error(
      "This run left no file changes that can be undone. Of the changes made by programs, only new files and files tracked by git can be undone.",
    );
  const items = standing.map(({ step, files }) => ({
    label: `Step ${step}`,
    description: displayLine(files.map(({ file }) => file).join(", ")),
    step,
  }));
  const options = { title: "Undo Step", placeHolder: "Undo which step?" };
  return (await vscode.window.showQuickPick(items, options))?.step;
}

/** Asks which files of a step to undo; undefined when the user picks none. */
async function pickFiles(step: number, files: UndoableStep["files"]): Promise<readonly string[] | undefined> {
  if (files.length === 1) return files.map(({ path }) => path);
  const items = files.map(({ file, path }) => ({ label: displayLine(file), path, picked: true }));
  const picked = await vscode.window.showQuickPick(items, {
    title: `Undo Step ${step}`,
    placeHolder: "Restore which files?",
    canPickMany: true,
  });
  return picked && picked.length > 0 ? picked.map(({ path }) => path) : undefined;
}

function listed(files: readonly string[]): string {
  const shown = files.slice(0, 20).map(displayLine);
  return [...shown, ...(files.length > shown.length ? [`and ${files.length - shown.length} more`] : [])].join(
    "\n",
  );
}
