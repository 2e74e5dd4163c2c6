import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as vscode from "vscode";
import { escapeInvisible } from "../../core/base/text.ts";
import { completeProfile, draftProfile } from "../../core/prompt/profile.ts";
import { compareStepPrompt, type ShownPrompt } from "../../core/prompt/shown-prompt.ts";
import { findRunByArgument, type HostedRun, type HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import type { QuestionBoard } from "../../editor/panel/question-board.ts";
import { getRunTitle } from "../../editor/panel/run-status.ts";
import { findPendingProposal } from "../../editor/review/pending-decisions.ts";
import { DEMO_TASK } from "../../models/demo/demo-files.ts";
import { createDemoScript } from "../../models/demo/demo-script.ts";
import { createScriptedModel } from "../../models/demo/scripted-model.ts";
import { readLog } from "../../runs/log/read-log.ts";
import { createDemoFolder } from "../../runtime/demo-host.ts";
import type { NewRun } from "../../runtime/first-event.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { type FleetRuns, getMachineName, QueuedRun, type SentRun } from "../fleet/fleet-runs.ts";
import { showMessage, showProgress } from "../host/notifications.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { RunOpener } from "../host/run-opener.ts";
import { readSettings } from "../host/settings.ts";
import { editProfile } from "../host/starter.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { revealElsewhere } from "../panel/other-windows.ts";
import type { PanelHost } from "../panel/panel-host.ts";
import type { DiffReview } from "../review/diff-review.ts";
import { pickRun } from "../views/runs-tree.ts";
import type { TextDocuments } from "../views/text-documents.ts";
import { listAllFolders } from "../workspace/folders.ts";

/** Dependencies of the actions that show something. */
interface ShowDependencies {
  readonly runs: HostedRuns;
  readonly keys: KeyRing;
  readonly library: RunLibrary;
  readonly stored: StoredRuns;
  readonly fleet: FleetRuns;
  readonly opener: RunOpener;
  readonly diff: DiffReview;
  readonly board: QuestionBoard;
  /** A run in another place; undefined for any other. */
  takeUp(id: string): Promise<SentRun | undefined>;
  readonly documents: TextDocuments;
  readonly storage: vscode.Uri;
  readonly channel: vscode.LogOutputChannel;
  getPanel(): PanelHost;
  showPermissions(): void;
  showCosts(): void;
}

/** Actions that show the panel, runs, prompts, permissions or the log. */
export function showActions(parts: ShowDependencies) {
  return {
    openPanel: (run?: unknown, step?: unknown) => openPanel(parts, run, step),
    focusInput: () => parts.getPanel().focusInput(),
    openPanelInEditor: (given?: unknown) => openPanelInEditor(parts, given),
    openRun: (given?: unknown) => openRun(parts, given),
    openRunAsText: (given?: unknown) => openRunAsText(parts, given),
    showPrompt: (step?: unknown, run?: unknown) => showStepPrompt(parts, step, run),
    showPermissions: async () => parts.showPermissions(),
    showCosts: async () => parts.showCosts(),
    editProfile: async () => editProfile(parts.library.getHome(getFirstFolder())),
    tryDemo: async () => {
      await startDemo(parts.opener, parts.runs, parts.storage);
      await openPanel(parts);
    },
    showLog: async () => parts.channel.show(true),
  };
}

/** Opens the panel, with a run if one is named, and the diff of its pending file change. */
async function openPanel(parts: ShowDependencies, run?: unknown, step?: unknown): Promise<void> {
  const { runs, diff, board } = parts;
  if (typeof run === "string" && runs.get(run)) runs.show(run);
  else if (typeof run === "string" && (await revealElsewhere(board, run))) return;
  else if (typeof run === "string" && (await parts.takeUp(run))) return openRun(parts, run);
  await vscode.commands.executeCommand("autogpt.panel.focus");
  const waiting = findPendingProposal(runs.shown);
  if (waiting?.request.step === step && waiting?.request.prepared.preview.kind === "change") {
    await diff.reveal(waiting.hosted.id, waiting.request.step);
  }
}

/** Opens a page for a tree item's run or the shown run, so that several runs can be watched. Without a run, the page follows the panel. */
async function openPanelInEditor({ getPanel, runs, stored }: ShowDependencies, given: unknown): Promise<void> {
  const named = typeof given === "object" && given !== null && "runId" in given ? String(given.runId) : undefined;
  const hosted = named === undefined ? runs.shown : await stored.open(named);
  const title = hosted ? formatDisplayLine(getRunTitle(hosted)) : "AutoGPT";
  const page = vscode.window.createWebviewPanel("autogpt.panelInEditor", title || "AutoGPT", vscode.ViewColumn.Active, {
    enableScripts: true,
  });
  getPanel().attachPanel(page, hosted?.id);
}

async function openRun(parts: ShowDependencies, given: unknown): Promise<void> {
  const id = await pickRun(parts, given, t("runs.tree.open"));
  if (id === undefined) return;
  const { fleet, stored, runs } = parts;
  const sent = await parts.takeUp(id);
  const follow = (signal: AbortSignal) => fleet.open(id, signal);
  try {
    if (sent) await showProgress(t("fleet.looking", { machine: getMachineName(sent.place) }), follow);
    else await stored.open(id);
  } catch (error) {
    if (!(error instanceof QueuedRun)) throw error;
    return void (await showMessage("info", error.text));
  }
  runs.show(id);
  await openPanel(parts);
}

/** Opens a run as one text document, without secrets. An open tab of the run gets its current text. */
async function openRunAsText(parts: ShowDependencies, given: unknown): Promise<void> {
  const { library, runs, documents, keys } = parts;
  const id = await pickRun(parts, given ?? runs.shown?.id, t("actions.openAsTextButton"));
  if (id === undefined) return;
  const { events } = await library.open(id);
  const { exportRun } = await import("../../runs/export/export-run.ts");
  const [report] = exportRun(events, "markdown", await keys.listKeys());
  const title = t("header.textTitle", { run: id });
  await documents.show(title, escapeInvisible(report?.text ?? ""), { languageId: "markdown" });
}

async function showStepPrompt(
  { runs, stored, documents }: ShowDependencies,
  step: unknown,
  run: unknown,
): Promise<void> {
  const hosted = findRunByArgument(runs, run) ?? runs.shown ?? runs.all.at(-1) ?? (await stored.openNewest());
  if (!hosted) fail("runs.noPrompts");
  const picked = typeof step === "number" ? step : await pickStep(hosted);
  if (picked !== undefined) await showPrompt(documents, hosted, picked);
}

function getFirstFolder(): string {
  const [first] = listAllFolders();
  return first ? first.path : fail("runs.noProfileFolder");
}

/** The demo: a real run in a scratch folder, with a scripted model. */
async function startDemo(opener: RunOpener, runs: HostedRuns, storage: vscode.Uri): Promise<void> {
  const folder = await createDemoFolder(storage.fsPath, `shop-${Date.now()}`);
  const model = createScriptedModel(createDemoScript(getCheckCommand()), { tokensPerSecond: 120 });
  const { profile } = await draftProfile(DEMO_TASK, model, { signal: AbortSignal.timeout(10_000) });
  const wanted: NewRun = {
    task: DEMO_TASK,
    profile: profile ?? completeProfile(DEMO_TASK),
    folder,
    settings: readSettings(),
    models: { smart: model, fast: model },
    mode: "ask",
  };
  const hosted = await opener.beginDemo(wanted, storage.fsPath);
  runs.add(hosted);
  runs.show(hosted.id);
  hosted.live?.resume();
}

/** The command line for the demo's checks: uses Node if there is one, else the Node inside VS Code. */
function getCheckCommand(): string {
  const names = process.platform === "win32" ? ["node.exe"] : ["node"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (folders.some((folder) => names.some((name) => existsSync(join(folder, name))))) return "node check.mjs";
  const program = process.execPath;
  return process.platform === "win32"
    ? `$env:ELECTRON_RUN_AS_NODE=1; & "${program}" check.mjs`
    : `ELECTRON_RUN_AS_NODE=1 "${program}" check.mjs`;
}

/** Opens what was sent for a step, rebuilt from the run's events. */
async function showPrompt(documents: TextDocuments, hosted: HostedRun, step: number): Promise<void> {
  const { events } = await readLog(hosted.home);
  const shown = compareStepPrompt(events, step);
  if (!shown) fail("review.noPrompt", { step });
  await documents.show(t("review.promptOfStep", { step }), formatPrompt(shown), { languageId: "markdown" });
}

/** Formats the prompt, with a mark after the part that can be cached, below facts about the cache. */
function formatPrompt({ same, rest, before = 0, differsAt, usage }: ShownPrompt): string {
  const facts = [
    ...(usage ? [t("review.promptCached", { cached: usage.cached ?? 0, input: usage.input })] : []),
    ...(differsAt === undefined ? [] : [t("review.promptDiffers", { step: before, byte: differsAt })]),
  ];
  if (same === "") return [...facts, rest].join("\n\n");
  const begin = same.endsWith("\n\n") ? same : `${same}\n\n`;
  const line = 2 * (facts.length + 1) + begin.split("\n").length;
  const head = [...facts, t("review.promptSameTo", { step: before, line })];
  return [...head, `${begin}═══ ${t("review.promptSame", { step: before })} ═══`, rest].join("\n\n");
}

/** Lets the user pick a step whose prompt can be shown. */
async function pickStep(hosted: HostedRun): Promise<number | undefined> {
  const { events } = await readLog(hosted.home);
  const commands = new Map<number, string>();
  for (const event of events) {
    if (event.type === "asked") commands.set(event.step, "");
    if (event.type === "replied") commands.set(event.step, getCommandName(event));
  }
  const items = [...commands]
    .toReversed()
    .map(([step, description]) => ({ label: t("approval.stepWord", { step }), description, step }));
  return (
    await vscode.window.showQuickPick(items, {
      title: t("review.showPrompt"),
      placeHolder: t("review.whichStep"),
    })
  )?.step;
}

function getCommandName({ reply }: Extract<AgentEvent, { type: "replied" }>): string {
  return reply.kind === "proposal" ? reply.call.name : "";
}
