import * as vscode from "vscode";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { IsolatedReviews } from "../../editor/panel/isolated-reviews.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { addReviews, type Comparison, createWaysPage, restoreWaysPage } from "../../editor/panel/ways-page.ts";
import { checkCount, type Way } from "../../runtime/isolated/ways.ts";
import { isWaysPage } from "../../schema/host-validators.ts";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import type { WaysPage } from "../../schema/review-page.ts";
import { t } from "../../texts/language.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { readSettings } from "../host/settings.ts";
import type { Starter } from "../host/starter.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { type ModelPickerDependencies, pickModels } from "../models/model-picker.ts";
import { PageTab } from "../panel/page-tab.ts";
import { askForTask, getGivenTask } from "./start.ts";

/** Dependencies of comparing several ways. */
export interface WaysDependencies extends ModelPickerDependencies {
  readonly extensionUri: vscode.Uri;
  readonly starter: Starter;
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
  readonly library: Pick<RunLibrary, "list">;
  /** Stores the page for the next window. */
  readonly state: vscode.Memento;
  readonly reviews: Pick<IsolatedReviews, "accept" | "buildPage" | "showAll">;
  /** Handles requests that aren't about ways. */
  handleOtherRequest(message: PanelRequest, reply: (message: PanelUpdate) => void): Promise<void>;
}

/** The page that compares several isolated runs of one task. */
export interface WaysTab extends PageTab {
  /** Asks for the task and the ways, and starts them. */
  begin(given?: unknown): Promise<void>;
}

const COUNTS = [2, 3, 4];

/** An editor tab that compares the runs of the last task tried in several ways, even from an earlier window. */
export function createWaysTab(parts: WaysDependencies): WaysTab {
  const { state, library, runs } = parts;
  let comparison: Comparison | undefined;
  let isDue = false;
  const buildPage = async (): Promise<WaysPage> => {
    const all = await library.list();
    if (comparison) return addReviews(createWaysPage(comparison), all);
    const stored = state.get<unknown>(STORED_KEY);
    return isWaysPage(stored) ? addReviews(restoreWaysPage(stored, all), all) : { task: "", ways: [] };
  };
  const tab = new PageTab({
    extensionUri: parts.extensionUri,
    viewType: "autogpt.ways",
    getTitle: () => t("isolation.ways.compareTitle"),
    sendContent: async (send) => send({ type: "ways", ways: await buildPage() }),
    receive: async (message, reply) =>
      message.type === "chooseWay" ? choose(parts, message) : parts.handleOtherRequest(message, reply),
  });
  const refresh = (): void => {
    isDue = false;
    if (comparison) void state.update(STORED_KEY, createWaysPage(comparison));
    tab.refresh();
  };
  const refreshSoon = (): void => {
    if (!isDue) setTimeout(refresh, REFRESH_MS).unref();
    isDue = true;
  };
  runs.onEvent(({ event }) => event.type === "reviewed" && refreshSoon());
  const begin = async (given?: unknown): Promise<void> => {
    const started = await startComparison(parts, given);
    if (!started) return;
    comparison = started;
    started.ways.onChange(refreshSoon);
    refresh();
    tab.show();
    void announceEnd(started);
  };
  const announceEnd = async ({ task, ways }: Comparison): Promise<void> => {
    await ways.done;
    const isOnShow = tab.visible && vscode.window.state.focused;
    if (comparison?.ways === ways && !isOnShow) await offerPage(task);
  };
  return Object.assign(tab, { begin });
}

const STORED_KEY = "autogpt.ways";

/** Reports that all ways are done. */
async function offerPage(task: string): Promise<void> {
  const compare = t("isolation.ways.compareButton");
  const text = t("isolation.ways.allDone", { task: formatDisplayLine(task) });
  const answer = await vscode.window.showInformationMessage(text, compare);
  if (answer === compare) await vscode.commands.executeCommand("autogpt.showWays");
}

/** Refresh interval of the page, in milliseconds. */
const REFRESH_MS = 500;

async function choose(
  { stored, runs, reviews }: WaysDependencies,
  { run, look }: Extract<PanelRequest, { readonly type: "chooseWay" }>,
): Promise<void> {
  const hosted = await stored.open(run);
  if (look === "changes") return reviews.showAll(hosted);
  if (look === "accept") {
    const { version, rows, count } = await reviews.buildPage(hosted);
    const files = rows.filter(({ own }) => !own).map(({ file }) => file);
    // Changes that ask for a look of their own are left to the review, which is shown.
    if (files.length > 0 && files.length === count) await reviews.accept(hosted, version, files);
  }
  runs.show(hosted.id);
  await vscode.commands.executeCommand("autogpt.panel.focus");
}

/** Undefined when the user cancels. */
async function startComparison(parts: WaysDependencies, given: unknown): Promise<Comparison | undefined> {
  const { starter } = parts;
  await starter.demandPlace();
  if (!(await starter.offerSetup())) return undefined;
  await starter.demandIsolation();
  const task = getGivenTask(given) ?? (await askForTask(t("isolation.ways.title"), t("isolation.ways.askTask")));
  const ways = task === undefined ? undefined : await askForWays(parts);
  if (task === undefined || !ways) return undefined;
  const check = await askForCheck();
  if (check === undefined) return undefined;
  const request = { task, ways, ...(check === "" ? {} : { check }) };
  return { ...request, ways: await starter.startWays(request) };
}

/** Asks how the ways differ: by models, by instructions, or by chance alone. */
async function askForWays(parts: WaysDependencies): Promise<readonly Way[] | undefined> {
  const items: readonly (vscode.QuickPickItem & { ask(): Promise<readonly Way[] | undefined> })[] = [
    { label: t("isolation.ways.byModelButton"), ask: () => askForModels(parts) },
    { label: t("isolation.ways.byInstructionsButton"), ask: askForInstructions },
    ...COUNTS.map((count) => ({
      label: t("isolation.ways.sameButton", { count }),
      ask: async () =>
        Array.from({ length: count }, (_, index) => ({
          label: t("isolation.ways.numbered", { number: index + 1 }),
        })),
    })),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: t("isolation.ways.title"),
    placeHolder: t("isolation.ways.askVariation"),
    ignoreFocusOut: true,
  });
  const ways = await picked?.ask();
  if (ways) checkCount(ways);
  return ways;
}

async function askForModels(parts: WaysDependencies): Promise<readonly Way[] | undefined> {
  const picked = await pickModels(parts, t("isolation.ways.title"), t("isolation.ways.askModels"));
  if (!picked) return undefined;
  const settings = readSettings();
  return Promise.all(
    picked.map(async ({ label, model }) => ({
      label: formatDisplayLine(label),
      models: await parts.desk.createModelPair({ ...settings, model: { ...settings.model, ...model } }),
    })),
  );
}

async function askForInstructions(): Promise<readonly Way[] | undefined> {
  const answer = await vscode.window.showInputBox({
    title: t("isolation.ways.title"),
    prompt: t("isolation.ways.askInstructions"),
    placeHolder: t("isolation.ways.instructionsExample"),
    ignoreFocusOut: true,
  });
  const texts = answer?.split(";").map((text) => text.trim());
  return texts?.filter((text) => text !== "").map((text) => ({ label: text, instructions: text }));
}

async function askForCheck(): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: t("isolation.ways.title"),
    prompt: t("isolation.ways.askCheck"),
    placeHolder: "npm test",
    ignoreFocusOut: true,
  });
  return answer?.trim();
}
