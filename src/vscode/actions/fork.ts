import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import { pastSteps, type StepView } from "../../core/events/run-state.ts";
import type { Profile } from "../../core/prompt/profile.ts";
import type { Log } from "../../panel/log.ts";
import { displayLine } from "../../panel/notification-text.ts";
import { profilesIn } from "../../runs/profiles/profiles.ts";
import { needsInstruction } from "../../runs/store/fork-events.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { ForkFiles } from "../../runtime/fork-run.ts";
import { conflictText } from "../../runtime/run-undo.ts";
import { reportErrors } from "../host/notifications.ts";
import { type ModelPickerDependencies, pickModel } from "../models/model-picker.ts";
import type { DiffReview } from "../review/diff-review.ts";
import { reviewConflicts } from "../review/undo-review.ts";
import { pickRun } from "../views/runs-tree.ts";
import { type ForkDependencies, type ForkRequest, type ForkResult, fork } from "./forking.ts";

/** Actions that fork a run. */
export function forkActions(
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

const TITLE = "Fork Run";

async function askForFork(
  parts: ForkDependencies & ModelPickerDependencies,
  given: unknown,
): Promise<ForkRequest | undefined> {
  const run = await pickRun(parts.library, runIn(parts, given), TITLE);
  if (run === undefined) return undefined;
  const parent = await parts.library.open(run);
  const step = stepIn(given) ?? (await pickStep(parent));
  if (step === undefined) return undefined;
  const files = await pickFiles(parent, step, await isForeign(parts, parent));
  if (!files) return undefined;
  const changes = await askForChanges(parts, parent, step);
  return changes && { run, step, files, ...changes };
}

/** The panel's menu passes the step, and the run of its page. */
function runIn({ runs }: ForkDependencies, given: unknown): unknown {
  if (stepIn(given) === undefined) return given;
  const named = typeof given === "object" && given !== null && "run" in given ? given.run : undefined;
  return typeof named === "string" ? named : runs.shown?.id;
}

function stepIn(given: unknown): number | undefined {
  if (typeof given !== "object" || given === null || !("step" in given)) return undefined;
  return typeof given.step === "number" ? given.step : undefined;
}

async function isForeign({ library }: ForkDependencies, { events: [started] }: StoredRun): Promise<boolean> {
  return started?.type !== "started" || started.machine !== (await library.machine());
}

async function pickStep({ events }: StoredRun): Promise<number | undefined> {
  const all = Number.MAX_SAFE_INTEGER;
  const steps = pastSteps(events, all, all).toReversed().map(stepItem);
  const start = { label: "The start", description: "only the task", step: 0 };
  const options = { title: TITLE, placeHolder: "Fork after which step?" };
  return (await vscode.window.showQuickPick([...steps, start], options))?.step;
}

function stepItem({ step, reply, outcome }: StepView) {
  const name = reply?.kind === "proposal" ? reply.call.name : "unreadable reply";
  const thought = reply?.kind === "proposal" ? reply.thoughts.text : "";
  return {
    label: `Step ${step}: ${name}`,
    description: outcome?.status ?? "",
    detail: displayLine(thought),
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
    { label: "Leave the files as they are now", files: "now" },
    {
      label: `Undo what came after step ${step}`,
      description: "in place, can be redone",
      files: "then",
    },
    {
      label: "Copy the files to a new folder, as they were then",
      description: "without ignored files and packages",
      files: "copy",
    },
  ] as const;
  const picked = await vscode.window.showQuickPick(items, { title: TITLE, placeHolder: "Which files?" });
  if (picked?.files !== "copy") return picked && { kind: picked.files };
  const { folder } = started;
  const to = await vscode.window.showInputBox({
    title: TITLE,
    prompt: "Path of the new folder",
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
    const mustSay = needsInstruction(parent.events, step) && !changes.instruction;
    const picked = await vscode.window.showQuickPick(
      [
        ...(mustSay ? [] : [{ label: "$(repo-forked) Start the fork", change: "start" as const }]),
        {
          label: "$(comment) Add an instruction…",
          description: displayLine(changes.instruction ?? (mustSay ? "required: the task was complete" : "")),
          change: "say" as const,
        },
        {
          label: "$(server) Another model…",
          description: said.model ?? "",
          change: "model" as const,
        },
        {
          label: "$(person) Another profile…",
          description: displayLine(changes.profile?.name ?? ""),
          change: "profile" as const,
        },
      ],
      { title: TITLE, placeHolder: "Change anything?", ignoreFocusOut: true },
    );
    if (!picked) return undefined;
    if (picked.change === "start") return changes;
    if (picked.change === "say") changes = { ...changes, ...(await askForInstruction(changes.instruction)) };
    if (picked.change === "profile") changes = { ...changes, ...(await pickProfile(parts, parent)) };
    if (picked.change === "model") {
      const chosen = await pickModel(parts, TITLE);
      if (chosen) changes = { ...changes, model: chosen.model };
      if (chosen) said.model = chosen.label;
    }
  }
}

async function askForInstruction(value = ""): Promise<Pick<Changes, "instruction">> {
  const text = await vscode.window.showInputBox({
    title: TITLE,
    prompt: "What should the agent do differently? It reads this first.",
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
  const stored = await profilesIn(library.homeOf(started.folder)).list();
  const items = stored.flatMap(({ profile }) =>
    profile ? [{ label: displayLine(profile.name), description: displayLine(profile.role), profile }] : [],
  );
  if (items.length === 0) throw new Error("That folder has no saved profiles yet.");
  const picked = await vscode.window.showQuickPick(items, { title: TITLE, placeHolder: "Which profile?" });
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
    const open = "Open Folder";
    const text =
      lost.length === 0
        ? `The fork works in ${files.to}.`
        : `The fork works in ${files.to}. The earlier content of these files isn't known, so they were copied as they are now: ${lost.join(", ")}.`;
    const answer = await vscode.window.showInformationMessage(displayLine(text), open);
    if (answer === open)
      await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(files.to), true);
    return;
  }
  const left = undone && conflictText(undone);
  if (!undone || left === undefined) return;
  const answer = await vscode.window.showWarningMessage(displayLine(left), "Show Conflicts");
  if (answer === "Show Conflicts") await reviewConflicts(diff, await stored.open(run), undone.conflicts);
}
