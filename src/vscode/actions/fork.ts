import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import { listPastSteps, type StepView } from "../../core/events/run-state.ts";
import type { Profile } from "../../core/prompt/profile.ts";
import type { Log } from "../../editor/panel/log.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { createProfiles } from "../../runs/profiles/profiles.ts";
import { isInstructionNeeded } from "../../runs/store/fork-events.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { ForkFiles } from "../../runtime/fork-run.ts";
import { describeConflicts } from "../../runtime/run-undo.ts";
import { fail } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { reportErrors } from "../host/notifications.ts";
import { type ModelPickerDependencies, pickModel } from "../models/model-picker.ts";
import type { DiffReview } from "../review/diff-review.ts";
import { reviewConflicts } from "../review/undo-review.ts";
import { pickRun } from "../views/runs-tree.ts";
import { type ForkDependencies, type ForkRequest, type ForkResult, fork } from "./forking.ts";

/** Actions that fork a run. */
export function createForkActions(
  parts: ForkDependencies & ModelPickerDependencies & { readonly diff: DiffReview; readonly log: Log },
) {
  return {
    forkRun: async (given?: unknown): Promise<string | undefined> => {
      const wanted = isFork(given) ? given : await askForFork(parts, given);
      if (!wanted) return undefined;
      const forked = await fork(parts, wanted);
      void reportErrors(parts.log, () => tell(parts.diff, parts, wanted, forked));
      return forked.hosted.id;
    },
  };
}

function isFork(given: unknown): given is ForkRequest {
  return typeof given === "object" && given !== null && "run" in given && "step" in given && "files" in given;
}

async function askForFork(
  parts: ForkDependencies & ModelPickerDependencies,
  given: unknown,
): Promise<ForkRequest | undefined> {
  const run = await pickRun(parts, getGivenRun(parts, given), t("runs.fork.title"));
  if (run === undefined) return undefined;
  const parent = await parts.library.open(run);
  const step = getGivenStep(given) ?? (await pickStep(parent));
  if (step === undefined) return undefined;
  const files = await pickFiles(parent, step, await isForeign(parts, parent));
  if (!files) return undefined;
  const changes = await askForChanges(parts, parent, step);
  return changes && { run, step, files, ...changes };
}

/** The run for an action; the panel's menu passes a step and its page's run. */
function getGivenRun({ runs }: ForkDependencies, given: unknown): unknown {
  if (getGivenStep(given) === undefined) return given;
  const named = typeof given === "object" && given !== null && "run" in given ? given.run : undefined;
  return typeof named === "string" ? named : runs.shown?.id;
}

function getGivenStep(given: unknown): number | undefined {
  if (typeof given !== "object" || given === null || !("step" in given)) return undefined;
  return typeof given.step === "number" ? given.step : undefined;
}

async function isForeign({ library }: ForkDependencies, { events: [started] }: StoredRun): Promise<boolean> {
  return started?.type !== "started" || started.machine !== (await library.getMachineMark(started.id));
}

async function pickStep({ events }: StoredRun): Promise<number | undefined> {
  const all = Number.MAX_SAFE_INTEGER;
  const steps = listPastSteps(events, all, all).toReversed().map(createStepItem);
  const start = { label: t("runs.fork.start"), description: t("runs.fork.startHint"), step: 0 };
  const options = { title: t("runs.fork.title"), placeHolder: t("runs.fork.step") };
  return (await vscode.window.showQuickPick([...steps, start], options))?.step;
}

function createStepItem({ step, reply, outcome }: StepView) {
  const name = reply?.kind === "proposal" ? reply.call.name : t("timeline.unreadable");
  const thought = reply?.kind === "proposal" ? reply.thoughts.text : "";
  return {
    label: t("runs.fork.stepItem", { step, name }),
    description: outcome?.status ?? "",
    detail: formatDisplayLine(thought),
    step,
  };
}

async function pickFiles(
  { events: [started] }: StoredRun,
  step: number,
  foreign: boolean,
): Promise<ForkFiles | undefined> {
  if (foreign || started?.type !== "started") return { kind: "now" };
  const items = [
    { label: t("runs.fork.filesNow"), files: "now" },
    {
      label: t("runs.fork.filesThen", { step }),
      description: t("runs.fork.filesThenHint"),
      files: "then",
    },
    {
      label: t("runs.fork.filesCopy"),
      description: t("runs.fork.filesCopyHint"),
      files: "copy",
    },
  ] as const;
  const picked = await vscode.window.showQuickPick(items, {
    title: t("runs.fork.title"),
    placeHolder: t("runs.fork.files"),
  });
  if (picked?.files !== "copy") return picked && { kind: picked.files };
  const { folder } = started;
  const to = await vscode.window.showInputBox({
    title: t("runs.fork.title"),
    prompt: t("runs.fork.newFolder"),
    value: join(dirname(folder), `${basename(folder)}-fork`),
    ignoreFocusOut: true,
  });
  return to?.trim() ? { kind: "copy", to: to.trim() } : undefined;
}

type Changes = Pick<ForkRequest, "profile" | "instruction" | "model">;

/** Asks for the changes in the fork. Undefined when the user cancels. */
async function askForChanges(
  parts: ForkDependencies & ModelPickerDependencies,
  parent: StoredRun,
  step: number,
): Promise<Changes | undefined> {
  let changes: Changes = {};
  const said: { model?: string } = {};
  for (;;) {
    const mustSay = isInstructionNeeded(parent.events, step) && !changes.instruction;
    const picked = await vscode.window.showQuickPick(
      [
        ...(mustSay ? [] : [{ label: `$(repo-forked) ${t("runs.fork.begin")}`, change: "start" as const }]),
        {
          label: `$(comment) ${t("runs.fork.instruction")}`,
          description: formatDisplayLine(changes.instruction ?? (mustSay ? t("runs.fork.instructionRequired") : "")),
          change: "say" as const,
        },
        {
          label: `$(server) ${t("runs.fork.model")}`,
          description: said.model ?? "",
          change: "model" as const,
        },
        {
          label: `$(person) ${t("runs.fork.profile")}`,
          description: formatDisplayLine(changes.profile?.name ?? ""),
          change: "profile" as const,
        },
      ],
      { title: t("runs.fork.title"), placeHolder: t("runs.fork.changes"), ignoreFocusOut: true },
    );
    if (!picked) return undefined;
    if (picked.change === "start") return changes;
    if (picked.change === "say") changes = { ...changes, ...(await askForInstruction(changes.instruction)) };
    if (picked.change === "profile") changes = { ...changes, ...(await pickProfile(parts, parent)) };
    if (picked.change === "model") {
      const chosen = await pickModel(parts, t("runs.fork.title"));
      if (chosen) changes = { ...changes, model: chosen.model };
      if (chosen) said.model = chosen.label;
    }
  }
}

async function askForInstruction(value = ""): Promise<Pick<Changes, "instruction">> {
  const text = await vscode.window.showInputBox({
    title: t("runs.fork.title"),
    prompt: t("runs.fork.ask"),
    value,
    ignoreFocusOut: true,
  });
  return text?.trim() ? { instruction: text.trim() } : {};
}

async function pickProfile(
  { library }: ForkDependencies,
  { events: [started] }: StoredRun,
): Promise<{ readonly profile?: Profile }> {
  if (started?.type !== "started") return {};
  const stored = await createProfiles(library.getHome(started.folder)).list();
  const items = stored.flatMap(({ profile }) =>
    profile ? [{ label: formatDisplayLine(profile.name), description: formatDisplayLine(profile.role), profile }] : [],
  );
  if (items.length === 0) fail("runs.fork.noProfiles");
  const picked = await vscode.window.showQuickPick(items, {
    title: t("runs.fork.title"),
    placeHolder: t("runs.fork.whichProfile"),
  });
  return picked ? { profile: picked.profile } : {};
}

/** Reports files that couldn't be restored, and offers to open the new folder. */
async function tell(
  diff: DiffReview,
  { stored }: ForkDependencies,
  { run, files }: ForkRequest,
  { undone, lost }: ForkResult,
): Promise<void> {
  if (files.kind === "copy") {
    const open = t("runs.openFolderButton");
    const text =
      lost.length === 0
        ? t("runs.fork.copied", { folder: files.to })
        : t("runs.fork.copiedLost", { folder: files.to, files: lost });
    const answer = await vscode.window.showInformationMessage(formatDisplayLine(text), open);
    if (answer === open) await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(files.to), true);
    return;
  }
  const left = undone && describeConflicts(undone);
  if (!undone || left === undefined) return;
  const show = t("actions.undo.conflictsButton");
  const answer = await vscode.window.showWarningMessage(formatDisplayLine(write(left)), show);
  if (answer === show) await reviewConflicts(diff, await stored.open(run), undone.conflicts);
}
