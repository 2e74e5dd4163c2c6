import * as vscode from "vscode";
import { escapeInvisible } from "../../core/base/text.ts";
import { findRunByArgument, type HostedRuns } from "../../panel/hosted-runs.ts";
import { formatDisplayLine } from "../../panel/notification-text.ts";
import { getRunTitle } from "../../panel/run-status.ts";
import { findPendingProposal } from "../../review/pending-decisions.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { RunLibrary } from "../host/run-library.ts";
import type { RunOpener } from "../host/run-opener.ts";
import { editProfile } from "../host/starter.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import type { PanelHost } from "../panel/panel-host.ts";
import type { DiffReview } from "../review/diff-review.ts";
import { pickStep, showPrompt } from "../views/prompt-document.ts";
import { pickRun } from "../views/runs-tree.ts";
import type { TextDocuments } from "../views/text-documents.ts";
import { listAllFolders } from "../workspace/folders.ts";
import { startDemo } from "./demo.ts";

/** Dependencies of the actions that show something. */
export interface ShowDependencies {
  readonly runs: HostedRuns;
  readonly keys: KeyRing;
  readonly library: RunLibrary;
  readonly stored: StoredRuns;
  readonly opener: RunOpener;
  readonly diff: DiffReview;
  readonly documents: TextDocuments;
  readonly storage: vscode.Uri;
  readonly channel: vscode.LogOutputChannel;
  getPanel(): PanelHost;
  showPermissions(): void;
}

/** Actions that show the panel, runs, prompts, permissions or the log. */
export function showActions(parts: ShowDependencies) {
  return {
    openPanel: (run?: unknown, step?: unknown) => openPanel(parts, run, step),
    openPanelInEditor: (given?: unknown) => openPanelInEditor(parts, given),
    openRun: (given?: unknown) => openRun(parts, given),
    openRunAsText: (given?: unknown) => openRunAsText(parts, given),
    showPrompt: (step?: unknown, run?: unknown) => showStepPrompt(parts, step, run),
    showPermissions: async () => parts.showPermissions(),
    editProfile: async () => editProfile(parts.library.getHome(getFirstFolder())),
    tryDemo: async () => {
      await startDemo(parts.opener, parts.runs, parts.storage);
      await openPanel(parts);
    },
    showLog: async () => parts.channel.show(true),
  };
}

/** Opens the panel, with a run if one is named, and the diff of its pending file change. */
async function openPanel({ runs, diff }: ShowDependencies, run?: unknown, step?: unknown): Promise<void> {
  if (typeof run === "string" && runs.get(run)) runs.show(run);
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
  const id = await pickRun(parts.library, given, t("runs.tree.open"));
  if (id === undefined) return;
  const hosted = await parts.stored.open(id);
  parts.runs.show(hosted.id);
  await openPanel(parts);
}

/** Opens a run as one text document, without secrets. An open tab of the run gets its current text. */
async function openRunAsText(parts: ShowDependencies, given: unknown): Promise<void> {
  const { library, runs, documents, keys } = parts;
  const id = await pickRun(library, given ?? runs.shown?.id, t("actions.openAsTextButton"));
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
