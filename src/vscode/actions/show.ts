import * as vscode from "vscode";
import type { TaughtRules } from "../../safety/taught-rules.ts";
import type { Composer } from "../compose.ts";
import { startDemo } from "../demo.ts";
import type { DiffReview } from "../diff-review.ts";
import { type HostedRuns, runGiven } from "../hosted-runs.ts";
import type { KeyRing } from "../keys.ts";
import type { Library } from "../library.ts";
import type { PanelHost } from "../panel-host.ts";
import { showPermissions } from "../permissions.ts";
import { pickRun } from "../pick-run.ts";
import { openFolders } from "../place.ts";
import { editProfile } from "../profile-store.ts";
import { pickStep, showPrompt } from "../prompt-document.ts";
import { plain } from "../say.ts";
import type { StoredRuns } from "../stored-runs.ts";
import type { TextDocuments } from "../text-documents.ts";
import { proposalOf } from "../waits.ts";

/** What showing things needs. */
export interface Showing {
  readonly runs: HostedRuns;
  readonly keys: KeyRing;
  readonly library: Library;
  readonly stored: StoredRuns;
  readonly composer: Composer;
  readonly diff: DiffReview;
  readonly documents: TextDocuments;
  readonly taught: TaughtRules;
  readonly storage: vscode.Uri;
  readonly channel: vscode.LogOutputChannel;
  panel(): PanelHost;
}

/** Actions that show something: the panel, runs, prompts, permissions, the log. */
export function showActions(parts: Showing) {
  return {
    openPanel: (run?: unknown, step?: unknown) => openPanel(parts, run, step),
    openPanelInEditor: (given?: unknown) => openPanelInEditor(parts, given),
    openRun: (given?: unknown) => openRun(parts, given),
    showPrompt: (step?: unknown, run?: unknown) => promptOf(parts, step, run),
    showPermissions: async () => showPermissions(parts),
    editProfile: async () => editProfile(firstFolder()),
    tryDemo: async () => {
      await startDemo(parts.composer, parts.runs, parts.storage);
      await openPanel(parts);
    },
    showLog: async () => parts.channel.show(true),
  };
}

/** Opens the panel, with a run if one is named; of a waiting file change its diff as well. */
async function openPanel({ runs, diff }: Showing, run?: unknown, step?: unknown): Promise<void> {
  if (typeof run === "string" && runs.get(run)) runs.show(run);
  await vscode.commands.executeCommand("autogpt.panel.focus");
  const waiting = proposalOf(runs.shown);
  if (waiting?.request.step === step && waiting?.request.prepared.preview.kind === "change") {
    await diff.reveal(waiting.hosted.id, waiting.request.step);
  }
}

/** A page of its own for the run of a tree item or the shown one, so that several runs can be watched; else one that follows the panel. */
async function openPanelInEditor({ panel, runs, stored }: Showing, given: unknown): Promise<void> {
  const named =
    typeof given === "object" && given !== null && "runId" in given ? String(given.runId) : undefined;
  const hosted = named === undefined ? runs.shown : await stored.open(named);
  const title = hosted ? plain(hosted.run.state.profile.name) : "AutoGPT";
  const page = vscode.window.createWebviewPanel(
    "autogpt.panelInEditor",
    title || "AutoGPT",
    vscode.ViewColumn.Active,
    { enableScripts: true },
  );
  panel().attachPanel(page, hosted?.id);
}

async function openRun(parts: Showing, given: unknown): Promise<void> {
  const id = await pickRun(parts.library, given, "Open Run");
  if (id === undefined) return;
  const hosted = await parts.stored.open(id);
  parts.runs.show(hosted.id);
  await openPanel(parts);
}

async function promptOf({ runs, stored, documents }: Showing, step: unknown, run: unknown): Promise<void> {
  const hosted = runGiven(runs, run) ?? runs.shown ?? runs.all.at(-1) ?? (await stored.newest());
  if (!hosted) throw new Error("Open a run first; then its prompts can be shown.");
  const picked = typeof step === "number" ? step : await pickStep(hosted);
  if (picked !== undefined) await showPrompt(documents, hosted, picked);
}

function firstFolder(): string {
  const [first] = openFolders();
  if (!first) throw new Error("Profiles are kept in the open folder. Open one first.");
  return first.path;
}
