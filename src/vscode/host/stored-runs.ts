import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { Queue } from "../../core/base/async.ts";
import { tryJson } from "../../core/base/json.ts";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { isRunning } from "../../editor/panel/run-status.ts";
import { findLockHolder } from "../../node/processes/process-lock.ts";
import { claimDraft, isTakeOverPending, requestRun } from "../../runs/log/run-lease.ts";
import { LOG_FILE } from "../../runs/log/run-log.ts";
import { readRunMetadata } from "../../runs/store/run-metadata.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import { isUnsentOfRun } from "../../schema/host-validators.ts";
import { t } from "../../texts/language.ts";
import type { RunLibrary } from "./run-library.ts";
import type { RunOpener } from "./run-opener.ts";

/** How long an extension host may take to leave its runs when its window is reloaded. */
const LEAVE_MS = 2_500;
/** How often the open runs are checked for other processes that work on them. */
const WATCH_MS = 1_000;
/** An older interrupted run is listed in the tree, but no longer offered. */
const RECENT_MS = 7 * 24 * 3_600_000;

async function getLogSize(folder: string): Promise<number> {
  return stat(join(folder, LOG_FILE)).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Opens stored runs, and offers to continue those that were interrupted. */
export class StoredRuns {
  private readonly runs: HostedRuns;
  private readonly library: RunLibrary;
  private readonly opener: RunOpener;
  private readonly opening = new Map<string, Promise<HostedRun>>();
  /** The last event and the size of each log when it was checked. */
  private readonly logs = new Map<string, { readonly seq: number; readonly size: number }>();
  /** One run is opened again at a time, so that none is replaced while it continues. */
  private readonly reloads = new Queue();
  private readonly showSent: () => Promise<void>;
  private restoring: Promise<HostedRun | undefined> | undefined;

  /** `showSent`: shows the run on another machine that the window has shown last, if it was one. */
  constructor(runs: HostedRuns, library: RunLibrary, opener: RunOpener, showSent: () => Promise<void>) {
    this.showSent = showSent;
    this.runs = runs;
    this.library = library;
    this.opener = opener;
  }

  /** Opens a run by its id, from this window or from disk. Concurrent calls open it once. */
  async open(id: string): Promise<HostedRun> {
    const known = this.runs.get(id) ?? this.opening.get(id);
    if (known) return known;
    const opening = this.loadFromDisk(id).finally(() => this.opening.delete(id));
    this.opening.set(id, opening);
    return opening;
  }

  private async loadFromDisk(id: string): Promise<HostedRun> {
    const stored = await this.library.open(id);
    const { title } = await readRunMetadata(stored.folder);
    const hosted = await this.openWithDraft(stored);
    this.runs.add(hosted);
    this.runs.rename(id, title);
    return hosted;
  }

  /** Opens a stored run, with what its user had typed in the window that handed it over. */
  private async openWithDraft(stored: StoredRun): Promise<HostedRun> {
    const hosted = await this.opener.open(stored);
    if (!hosted.live) return hosted;
    const draft = tryJson(await claimDraft(stored.folder, await this.library.seal(stored.id)));
    if (isUnsentOfRun(draft)) hosted.unsentElsewhere = draft;
    return hosted;
  }

  /** Watches which process works on each open run. A run on which another one works can only be read. */
  watchHolders(): vscode.Disposable {
    let checking: Promise<void> | undefined;
    const timer = setInterval(() => {
      checking ??= this.checkHolders().finally(() => {
        checking = undefined;
      });
    }, WATCH_MS);
    return { dispose: () => clearInterval(timer) };
  }

  private async checkHolders(): Promise<void> {
    for (const { id } of this.runs.all)
      await this.reloads.add(async () => {
        const hosted = this.runs.get(id);
        if (!hosted || hosted.place || isRunning(hosted)) return;
        const holder = await hosted.findHolder?.();
        // The process that asked for it takes what was typed here before it begins.
        if (!holder && hosted.handedOver === "asked" && (await this.isTakeOverPending(hosted))) return;
        const isCurrent = holder?.token === hosted.holder?.token && hosted.handedOver === undefined;
        const isStale = !isCurrent || (hosted.live !== undefined && (await this.isWrittenElsewhere(hosted)));
        if (isStale && !isRunning(hosted)) await this.reload(id).catch(() => undefined);
      });
  }

  private async isTakeOverPending({ id, home }: HostedRun): Promise<boolean> {
    return isTakeOverPending(home, await this.library.seal(id));
  }

  /** True if the log of an idle run has grown since the last check without this window. A short run leaves no other trace. */
  private async isWrittenElsewhere({ id, home, run }: HostedRun): Promise<boolean> {
    const before = this.logs.get(id);
    const now = { seq: run.state.seq, size: await getLogSize(home) };
    this.logs.set(id, now);
    return before !== undefined && before.seq === now.seq && before.size !== now.size;
  }

  /** Opens an open run again. */
  private async reload(id: string): Promise<HostedRun> {
    const size = await getLogSize(await this.library.findRunFolder(id));
    const hosted = await this.openWithDraft(await this.library.open(id));
    this.logs.set(id, { seq: hosted.run.state.seq, size });
    const before = this.runs.get(id);
    if (before && isRunning(before)) {
      await hosted.dispose();
      return before;
    }
    // The process that asked for the run has what was typed here.
    if (before?.handedOver === "asked") hosted.unsentElsewhere ??= { text: "", cards: [] };
    this.runs.replace(hosted);
    return hosted;
  }

  /** Shows the stored form of a run that was followed on another machine until now. */
  async openFetched(id: string): Promise<HostedRun> {
    this.library.forgetOwner();
    const hosted = await this.openWithDraft(await this.library.open(id));
    this.runs.replace(hosted);
    return hosted;
  }

  /** Takes a run over from the process that works on it, and continues it here. Throws a sentence if that one doesn't answer. */
  async takeOver(id: string, signal: AbortSignal): Promise<HostedRun> {
    const { home } = await this.open(id);
    return this.reloads.add(async () => {
      await requestRun(home, await this.library.seal(id), { findHolder: findLockHolder, signal });
      const hosted = await this.reload(id);
      const { end, paused } = hosted.run.state;
      if (end === undefined && paused === undefined) hosted.live?.resume();
      return hosted;
    });
  }

  /** Opens the newest interrupted run. */
  async openNewest(): Promise<HostedRun | undefined> {
    const found = (await this.listInterruptedRuns())[0];
    if (!found) return undefined;
    const hosted = await this.open(found.id);
    this.runs.show(hosted.id);
    return hosted;
  }

  /** Shows the newest interrupted run, once per window and only if no other run is shown. Returns that run. */
  async restoreOnce(): Promise<HostedRun | undefined> {
    if (!vscode.workspace.isTrusted) return undefined;
    this.restoring ??= this.restore();
    return this.restoring;
  }

  private async restore(): Promise<HostedRun | undefined> {
    await this.showSent().catch(() => undefined);
    const [found] = this.runs.shown ? [] : await this.listReleasedRuns();
    const hosted = found && (await this.open(found.id));
    if (!hosted || this.runs.shown) return undefined;
    this.runs.show(hosted.id);
    return hosted;
  }

  /** Offers to continue the run that was interrupted when the window closed. */
  async offer(): Promise<void> {
    const all = await this.library.list();
    if (all.length > 0) await vscode.commands.executeCommand("setContext", "autogpt.hasRuns", true);
    const hosted = await this.restoreOnce();
    if (!hosted || hosted !== this.runs.shown || isRunning(hosted)) return;
    const buttons = [t("actions.continueButton"), t("actions.restore.showButton")] as const;
    const answer = await vscode.window.showInformationMessage(
      t("actions.restore.interrupted", { task: formatDisplayLine(hosted.run.state.task) }),
      ...buttons,
    );
    if (answer === undefined) return;
    await vscode.commands.executeCommand("autogpt.openPanel", hosted.id);
    if (answer === buttons[0]) await vscode.commands.executeCommand("autogpt.continueAgent", hosted.id);
  }

  private async listInterruptedRuns(): Promise<readonly RunSummary[]> {
    return (await this.listUnfinishedRuns()).filter(({ holder }) => holder === undefined);
  }

  /** The same. After a reload, first waits until this window's earlier extension host has left its runs. */
  private async listReleasedRuns(): Promise<readonly RunSummary[]> {
    const deadline = performance.now() + LEAVE_MS;
    for (;;) {
      const all = await this.listUnfinishedRuns();
      const free = all.filter(({ holder }) => holder === undefined);
      const isLeaving = all[0]?.holder?.kind === "editor" && all[0].holder.machine === undefined;
      if (!isLeaving || performance.now() > deadline) return free;
      await wait(LEAVE_MS / 10);
    }
  }

  /** Recent runs that haven't ended and don't run in this window. */
  private async listUnfinishedRuns(): Promise<readonly RunSummary[]> {
    const all = await this.library.list();
    return all.filter(
      (run) =>
        (run.state === "open" || run.state === "paused") &&
        run.readOnly === undefined &&
        Date.now() - Date.parse(run.startedAt) < RECENT_MS &&
        !this.runs.get(run.id)?.live?.running,
    );
  }
}
