import * as vscode from "vscode";
import { completeProfile, MAX_GOALS, type Profile } from "../../core/profile.ts";
import type { ToPanel } from "../../protocol.ts";
import { plain, withProgress } from "../say.ts";
import type { Starter } from "../starter.ts";
import { taskFromContext } from "../task-from-context.ts";

/** What the start actions need beside the starter. */
export interface Starting {
  readonly starter: Starter;
  showPanel(): Promise<void>;
  /** Puts a drafted profile into the panel's form. */
  drafted(draft: Extract<ToPanel, { type: "drafted" }>): void;
}

/** Actions that begin a run. */
export function startActions({ starter, showPanel, drafted }: Starting) {
  let drafting = new AbortController();
  const cancelDraft = (): void => drafting.abort(new vscode.CancellationError());

  /** Drafts a profile for a task and puts it into the panel's form. A notification shows that, unless the caller does. */
  const review = async (task: string, tell?: (text: string) => void): Promise<void> => {
    drafting = new AbortController();
    const { signal: cancelled } = drafting;
    const draft = tell
      ? await starter.draft(task, cancelled, tell)
      : await withProgress("AutoGPT: drafting a profile", (signal, report) =>
          starter.draft(task, AbortSignal.any([signal, cancelled]), report),
        );
    await showPanel();
    drafted({
      type: "drafted",
      task,
      profile: draft.profile,
      ...(draft.notice === undefined ? {} : { notice: draft.notice }),
    });
  };

  const begin = async (task: string): Promise<void> => {
    const last = await starter.lastProfile();
    const again = last && (starter.reuseProfile() || (await continueAs(last)));
    if (!again) return review(task);
    await starter.start({ task, profile: last });
    await showPanel();
  };

  const startAgent = async (given?: unknown): Promise<void> => {
    await starter.demandPlace();
    if (!(await starter.offerSetup())) return;
    const task = taskOf(given) ?? (await askForTask());
    if (task !== undefined) await begin(task);
  };

  const startFromSelection = async (target?: unknown, second?: unknown, third?: unknown): Promise<void> => {
    await starter.demandPlace();
    if (!(await starter.offerSetup())) return;
    const task = await taskFromContext(target, second, third);
    if (task !== undefined) await begin(task);
  };

  const startAgentManually = async (): Promise<void> => {
    await starter.demandPlace();
    if (!(await starter.offerSetup())) return;
    const task = await askForTask();
    if (task === undefined) return;
    const profile = await askForProfile(task);
    if (!profile) return;
    await starter.start({ task, profile });
    await showPanel();
  };

  return { startAgent, startFromSelection, startAgentManually, review, cancelDraft };
}

/** Asks whether the last profile shall do this task too. */
async function continueAs(last: Profile): Promise<boolean> {
  const again = { label: `Continue as ${plain(last.name)}`, description: plain(last.role) };
  const anew = { label: "Draft a new profile for this task" };
  const picked = await vscode.window.showQuickPick([anew, again], {
    title: "Start Agent",
    placeHolder: "Who shall do it?",
    ignoreFocusOut: true,
  });
  if (!picked) throw new vscode.CancellationError();
  return picked === again;
}

function taskOf(given: unknown): string | undefined {
  if (typeof given === "string" && given.trim() !== "") return given.trim();
  if (typeof given !== "object" || given === null || !("task" in given)) return undefined;
  return typeof given.task === "string" && given.task.trim() !== "" ? given.task.trim() : undefined;
}

async function askForTask(): Promise<string | undefined> {
  const task = await vscode.window.showInputBox({
    title: "Start Agent",
    prompt: "What shall the agent do? You review its profile before it starts.",
    placeHolder: "Find out why the tests fail and mend it",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Say in one line what you want." : undefined),
  });
  return task?.trim();
}

/** Classic AutoGPT's questions, one after the other. A blank answer takes the default; leaving one ends it all. */
async function askForProfile(task: string): Promise<Profile | undefined> {
  const ask = (
    step: number,
    title: string,
    prompt: string,
    placeHolder: string,
  ): Thenable<string | undefined> =>
    vscode.window.showInputBox({
      title: `${title} (${step} of 4)`,
      prompt,
      placeHolder,
      ignoreFocusOut: true,
    });
  const defaults = completeProfile(task);
  const name = await ask(1, "Name", "What is the agent called?", defaults.name);
  if (name === undefined) return undefined;
  const role = await ask(2, "Role", 'What is it? Begin with "an" or "a".', defaults.role);
  if (role === undefined) return undefined;
  const goals = await ask(3, "Goals", `Up to ${MAX_GOALS} goals, parted by semicolons.`, plain(task));
  if (goals === undefined) return undefined;
  const budget = await vscode.window.showInputBox({
    title: "Budget (4 of 4)",
    prompt: "US dollars it may spend. Empty: your own budget from the settings.",
    placeHolder: "1.50",
    ignoreFocusOut: true,
    validateInput: (text) => (budgetOf(text) === undefined ? "A number of dollars, like 1.50." : undefined),
  });
  if (budget === undefined) return undefined;
  return completeProfile(task, { name, role, goals: goals.split(";"), budgetUsd: budgetOf(budget) ?? 0 });
}

function budgetOf(text: string): number | undefined {
  const plainNumber = text.trim().replace(/^\$\s*/, "");
  if (plainNumber === "") return 0;
  const value = Number(plainNumber);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
