import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import { completeProfile, MAX_GOALS, type Profile } from "../../core/prompt/profile.ts";
import type { OfferedText } from "../../editor/panel/draft-link.ts";
import { quoteTerminalText, writeTerminalQuestion } from "../../editor/panel/entry-tasks.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { listProfileOffers } from "../../runs/profiles/profiles.ts";
import type { PanelUpdate } from "../../schema/panel-messages.ts";
import type { Sentence } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showProgress } from "../host/notifications.ts";
import type { DraftResult, Starter } from "../host/starter.ts";
import { createTestTask, findShownNotebook, readTerminalSelection } from "../workspace/chosen-context.ts";
import type { ChosenStart } from "../workspace/own-words.ts";
import { createTaskFromContext } from "../workspace/task-from-context.ts";

/** Dependencies of the start actions. */
export interface StartDependencies {
  readonly starter: Starter;
  showPanel(): Promise<void>;
  /** Puts a drafted profile into the panel's form. */
  showDraft(draft: Extract<PanelUpdate, { type: "drafted" }>): void;
  /** Puts a text into the panel's text box, after what is there. */
  offerText(offer: OfferedText): Promise<void>;
}

/** Actions that start a run. */
export function startActions({ starter, showPanel, showDraft, offerText }: StartDependencies) {
  const { draft, cancelDraft } = createDrafter(starter);

  const show = async (task: string, { profile, notice }: DraftResult, agent?: string): Promise<void> => {
    await showPanel();
    showDraft({ type: "drafted", task, profile, ...omitUndefined({ notice, agent }) });
  };

  /** Drafts a profile for a task, or only the goals of an agent, and puts it into the panel's form. */
  const review = async (task: string, tell?: (text: Sentence) => void, chosen?: ChosenStart): Promise<void> => {
    const { name, role, commands, model } = chosen?.start.profile ?? {};
    const kept = omitUndefined({ commands, model });
    const agent = name === undefined ? undefined : completeProfile(task, { ...kept, ...omitUndefined({ name, role }) });
    const { profile, ...drafted } = await draft(task, agent, tell);
    return show(task, { ...drafted, profile: { ...profile, ...kept } }, chosen?.agent);
  };

  const begin = async (task: string): Promise<void> => {
    const last = await starter.findLastProfile();
    const classic = await starter.findClassicProfile();
    const chosen = last && starter.reuseProfile() ? "last" : await chooseProfile(last, classic);
    if (chosen === "classic" && classic) return show(task, { profile: completeProfile(task, classic) });
    if (chosen !== "last" || !last) return review(task);
    const profile = await draft(task, last);
    if (profile.notice !== undefined || profile.profile.model !== undefined) return show(task, profile);
    await starter.start({ task, profile: profile.profile });
    await showPanel();
  };

  const startAgent = (given?: unknown): Promise<void> =>
    startWith(starter, async () => getGivenTask(given) ?? askForTask(), begin);

  const beginAtOnce = async (task: string): Promise<void> => {
    if (starter.shouldReviewProfile()) return begin(task);
    await starter.startTask({ task });
    await showPanel();
  };

  const startFromSelection = (target?: unknown, second?: unknown, third?: unknown): Promise<void> =>
    startWith(starter, () => createTaskFromContext(target, second, third), beginAtOnce);

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

  return {
    startAgent,
    startIsolated: (given?: unknown) => startIsolated(starter, showPanel, given),
    startFromSelection,
    fixTest: (given?: unknown): Promise<void> => startWith(starter, () => createTestTask(given), beginAtOnce),
    startOnNotebook: async (given?: unknown): Promise<void> => startFromSelection(findShownNotebook(given), []),
    explainTerminal: (): Promise<void> => startWith(starter, askAboutTerminal, beginAtOnce),
    addToTask: async (): Promise<void> => {
      const { text, terminal } = await readTerminalSelection();
      await offerText({ text: quoteTerminalText(text, terminal) });
    },
    startAgentManually,
    review,
    cancelDraft,
  };
}

/** Checks that a run can start, asks for a task, and starts it. */
async function startWith(
  starter: Starter,
  ask: () => Promise<string | undefined>,
  start: (task: string) => Promise<void>,
): Promise<void> {
  await starter.demandPlace();
  if (!(await starter.offerSetup())) return;
  const task = await ask();
  if (task !== undefined) await start(task);
}

async function askAboutTerminal(): Promise<string> {
  const { text, terminal } = await readTerminalSelection();
  return writeTerminalQuestion(text, terminal);
}

async function startIsolated(
  starter: Starter,
  showPanel: StartDependencies["showPanel"],
  given: unknown,
): Promise<void> {
  const ask = async (): Promise<string | undefined> => {
    await starter.demandIsolation();
    return getGivenTask(given) ?? askForTask(t("isolation.startTitle"));
  };
  await startWith(starter, ask, async (task) => {
    await starter.startTask({ task, mode: "isolated" });
    await showPanel();
  });
}

/** Drafts profiles. Callers can cancel the draft in progress. */
function createDrafter(starter: Starter) {
  let drafting = new AbortController();
  return {
    cancelDraft: (): void => drafting.abort(new vscode.CancellationError()),
    /** Shows a progress notification, unless the caller reports progress. */
    draft: async (task: string, last?: Profile, tell?: (text: Sentence) => void): Promise<DraftResult> => {
      drafting = new AbortController();
      const { signal: cancelled } = drafting;
      if (tell) return starter.draft(task, cancelled, tell, last);
      const title = last ? t("start.draftingGoals") : t("start.draftingProfile");
      return showProgress(title, (signal, report) =>
        starter.draft(task, AbortSignal.any([signal, cancelled]), report, last),
      );
    },
  };
}

/** Asks which profile to use for a task: the last one, the folder's classic one, or a new one. Doesn't ask if there is only the new one. */
async function chooseProfile(
  last: Profile | undefined,
  classic: Profile | undefined,
): Promise<"new" | "last" | "classic"> {
  const offers = listProfileOffers(last, classic);
  if (offers.length === 1) return "new";
  const picked = await vscode.window.showQuickPick(
    offers.map(({ label, description, choice }) => ({
      label: formatDisplayLine(label),
      description: formatDisplayLine(description),
      choice,
    })),
    { title: t("start.startAgent"), placeHolder: t("runs.fork.whichProfile"), ignoreFocusOut: true },
  );
  if (!picked) throw new vscode.CancellationError();
  return picked.choice;
}

/** The task that an action got from its caller. */
export function getGivenTask(given: unknown): string | undefined {
  if (typeof given === "string" && given.trim() !== "") return given.trim();
  if (typeof given !== "object" || given === null || !("task" in given)) return undefined;
  return typeof given.task === "string" && given.task.trim() !== "" ? given.task.trim() : undefined;
}

/** Asks for a task; undefined when the user cancels. */
export async function askForTask(
  title = t("start.startAgent"),
  prompt = t("start.askTask"),
): Promise<string | undefined> {
  const task = await vscode.window.showInputBox({
    title,
    prompt,
    placeHolder: t("start.exampleTests"),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? t("start.emptyTask") : undefined),
  });
  return task?.trim();
}

const QUESTIONS = 4;

/** Asks classic AutoGPT's questions one by one. A blank answer takes the default; dismissing one cancels. */
async function askForProfile(task: string): Promise<Profile | undefined> {
  const ask = (step: number, title: string, prompt: string, placeHolder: string): Thenable<string | undefined> =>
    vscode.window.showInputBox({
      title: t("start.question", { title, step, count: QUESTIONS }),
      prompt,
      placeHolder,
      ignoreFocusOut: true,
    });
  const defaults = completeProfile(task);
  const name = await ask(1, t("start.name"), t("start.askName"), defaults.name);
  if (name === undefined) return undefined;
  const role = await ask(2, t("start.role"), t("start.askRole"), defaults.role);
  if (role === undefined) return undefined;
  const goals = await ask(3, t("start.goals"), t("start.askGoals", { most: MAX_GOALS }), formatDisplayLine(task));
  if (goals === undefined) return undefined;
  const budget = await vscode.window.showInputBox({
    title: t("start.question", { title: t("start.budget"), step: QUESTIONS, count: QUESTIONS }),
    prompt: t("start.askBudget"),
    placeHolder: "1.50",
    ignoreFocusOut: true,
    validateInput: (text) => (parseBudget(text) === undefined ? t("start.wrongBudget") : undefined),
  });
  if (budget === undefined) return undefined;
  return completeProfile(task, { name, role, goals: goals.split(";"), budgetUsd: parseBudget(budget) ?? 0 });
}

function parseBudget(text: string): number | undefined {
  const plainNumber = text.trim().replace(/^\$\s*/, "");
  if (plainNumber === "") return 0;
  const value = Number(plainNumber);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
