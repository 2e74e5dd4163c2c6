import * as vscode from "vscode";
import { completeProfile } from "../../core/prompt/profile.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { isRunning } from "../../editor/panel/run-status.ts";
import { findMessagePoint } from "../../runs/store/fork-events.ts";
import type { UndoResult } from "../../runs/undo/undo.ts";
import type { EditedMessage } from "../../runtime/fork-run.ts";
import { describeConflicts, requireUndo, undoSteps } from "../../runtime/run-undo.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import type { DiffReview } from "../review/diff-review.ts";
import { reviewConflicts } from "../review/undo-review.ts";
import { type ForkDependencies, type ForkRequest, fork } from "./forking.ts";

/**
 * Stops the run, and takes its files back to the moment of the message in one undo. A fork continues from there with the new words.
 * Returns a function that reports the files.
 */
export async function editMessage(
  parts: ForkDependencies & { readonly diff: DiffReview },
  hosted: HostedRun,
  { seq, text, pictures }: EditedMessage,
): Promise<() => Promise<void>> {
  const { live, readOnly, run, id } = hosted;
  if (!live) throw new DisplayError(readOnly ?? displayText("actions.readOnly"));
  requireUndo(hosted);
  if (isRunning(hosted)) await live.stop();
  const { events } = await parts.library.open(id);
  const { step, before, attached, sources } = findMessagePoint(events, seq);
  const isTask = seq === 0;
  const { profile, mode, isolated } = run.state;
  const wanted: ForkRequest = {
    run: id,
    step,
    files: { kind: isolated ? "now" : "then" },
    until: isTask ? 1 : seq,
    ...(mode === "plan" ? { mode } : {}),
    ...(isTask
      ? { task: text, profile: completeProfile(text, { ...profile, goals: [] }), pictures }
      : { instruction: [...before, text].join("\n\n"), attached, pictures, sources }),
  };
  // The copy of an isolated run goes back by itself, and the fork's copy is made of it.
  const undone = isolated ? await undoSteps(hosted, { after: step }) : undefined;
  const forked = await fork(parts, wanted);
  return () => report(parts.diff, hosted, undone ?? forked.undone);
}

/** Says which files went back, and offers to bring them back or to look at those that the user has changed since. */
async function report(diff: DiffReview, hosted: HostedRun, undone: UndoResult | undefined): Promise<void> {
  const files = new Set(undone?.steps.flatMap((step) => step.files));
  const left = undone && describeConflicts(undone);
  if (!undone || (files.size === 0 && left === undefined)) return;
  const text = [files.size > 0 ? t("runs.fork.filesWentBack", { count: files.size }) : "", write(left ?? "")];
  const redo = t("actions.redoButton");
  const show = t("actions.undo.conflictsButton");
  const buttons = [...(files.size > 0 ? [redo] : []), ...(left === undefined ? [] : [show])];
  const message = formatDisplayLine(text.filter((part) => part !== "").join(" "));
  const answer = await vscode.window.showInformationMessage(message, ...buttons);
  if (answer === redo) await vscode.commands.executeCommand("autogpt.redo", hosted.id);
  if (answer === show) await reviewConflicts(diff, hosted, undone.conflicts);
}
