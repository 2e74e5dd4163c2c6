import { omitUndefined } from "../../core/base/objects.ts";
import type { ModelDelta } from "../../core/ports/model.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import type { Card, ChangeFigures, UsageReport, Welcome } from "../../schema/panel-values.ts";
import { readPanelRequest } from "../../schema/readers.ts";
import type { SandboxFacts } from "../../schema/review-page.ts";
import { getErrorText, type Sentence } from "../../texts/display-text.ts";
import { write } from "../../texts/language.ts";
import type { OfferedText } from "./draft-link.ts";
import {
  listShownProcesses,
  listStepMessages,
  revealHiddenText,
  splitStepsForPanel,
  trimEventForPanel,
  trimStateForPanel,
} from "./feed.ts";
import type { HostedRun, HostedRuns } from "./hosted-runs.ts";
import type { IsolatedReviews } from "./isolated-reviews.ts";
import { collectRunResult } from "./run-result.ts";
import { isRunning, openRuns } from "./run-status.ts";
import { ThoughtRelay } from "./thought-relay.ts";

/** The webview of a page. */
interface PageWebview {
  postMessage(message: PanelUpdate): PromiseLike<boolean>;
  onDidReceiveMessage(listener: (message: unknown) => void): unknown;
}

/** Dependencies of a page of the panel. */
export interface PageDependencies {
  readonly runs: Pick<HostedRuns, "get" | "shown" | "shownStep" | "all" | "listWarnings" | "closeWarnings">;
  /** Resolves once an interrupted run, if any, is displayed. Until then, the contents of a page aren't known. */
  waitUntilRestored(): Promise<unknown>;
  /** Content of the start page; with `quick`, without looking for models. */
  buildWelcome(options: { readonly quick: boolean }): Promise<Welcome>;
  /** The card of the pending proposal, and the pieces of its text that don't fit into its message. */
  findCard(hosted: HostedRun): { readonly card: Card; readonly rest: readonly string[] } | undefined;
  hasSpeech(): boolean;
  /** Reports the current costs and the state of the memory. */
  reportUsage(hosted: HostedRun): Promise<UsageReport>;
  /** The stored events of a run. */
  loadEvents(hosted: HostedRun): Promise<readonly AgentEvent[]>;
  /** The agents that a run's own agent suggests for what follows. */
  findNextAgents(hosted: HostedRun): Promise<readonly { readonly agent: string; readonly label: string }[]>;
  /** Real paths of files with unsaved edits in a run's folders. */
  listUnsavedFiles(hosted: HostedRun): readonly string[];
  /** The sandbox of an isolated run; undefined for any other run, and where its copy is gone. */
  findSandbox(hosted: HostedRun): SandboxFacts | undefined;
  readonly reviews: Pick<IsolatedReviews, "buildPage">;
  /** Handles a request of a page about its run. Throws a sentence when that isn't possible. */
  receive(message: PanelRequest, reply: (message: PanelUpdate) => void, run: HostedRun | undefined): Promise<void>;
}

/** Callbacks from a page to the panel's host. */
interface PageCallbacks {
  focus(inside: boolean): void;
  /** Whether the page is visible. A hidden page reloads before it is shown again. */
  isVisible(): boolean;
  /** A drafted profile to show instead of a run. */
  draft(): Extract<PanelUpdate, { readonly type: "drafted" }> | undefined;
  /** Takes the texts that are offered to this page. A page that shows a run gets none for a new one. */
  takeOffers(showsRun: boolean): readonly OfferedText[];
}

/**
 * One page of the panel. It gets a snapshot of its run, then the changes. A page with its own run keeps that one; any
 * other follows the shown run.
 */
export class PanelPage {
  private readonly parts: PageDependencies;
  private readonly webview: PageWebview;
  private readonly callbacks: PageCallbacks;
  private readonly own: string | undefined;
  private readonly relay: ThoughtRelay;
  private ready = false;
  private accounting: NodeJS.Timeout | undefined;
  /** Counts searches for models: a slow one must not replace the results of a later one. */
  private starts = 0;
  /** Counts comparisons of a copy with the workspace, likewise. */
  private reviews = 0;
  /** The last displayed step of the run; undefined if all are displayed. */
  private at: number | undefined;
  /** The events of the run that the user steps through, so that they're read only once. */
  private walked: { readonly run: HostedRun; readonly events: Promise<readonly AgentEvent[]> } | undefined;
  /** Counts the requested steps: later ones replace those that aren't displayed yet. */
  private walks = 0;

  constructor(parts: PageDependencies, webview: PageWebview, callbacks: PageCallbacks, own?: string) {
    this.parts = parts;
    this.webview = webview;
    this.callbacks = callbacks;
    this.own = own;
    this.at = this.findRequestedStep();
    this.relay = new ThoughtRelay((message) => this.send(message));
    webview.onDidReceiveMessage((raw: unknown) => void this.receive(raw));
  }

  /** The run that this page shows. */
  get run(): HostedRun | undefined {
    const { runs } = this.parts;
    return (this.own === undefined ? undefined : runs.get(this.own)) ?? runs.shown;
  }

  sendEvent(runId: string, event: AgentEvent): void {
    if (this.walked?.run.id === runId) this.walked = undefined;
    if (!this.isFollowing(runId)) return;
    if (event.type === "asked") this.relay.begin();
    else this.relay.flush();
    this.send({ type: "event", run: runId, event: trimEventForPanel(event) });
    const { run } = this;
    if (CHANGES_ACCOUNT.has(event.type)) this.scheduleAccount();
    if (run && (event.type === "over" || event.type === "undone")) void this.sendChanges(run);
    if (event.type === "over" || event.type === "reviewed") this.review(runId);
  }

  sendDelta(runId: string, step: number, delta: ModelDelta): void {
    if (this.isFollowing(runId)) this.relay.addDelta(runId, step, delta);
  }

  sendRestart(runId: string, step: number): void {
    if (this.isFollowing(runId)) this.relay.restart(runId, step);
  }

  sendOutput(runId: string, step: number, chunk: string): void {
    if (this.isFollowing(runId)) this.relay.addOutput(runId, step, chunk);
  }

  notice(runId: string, text: Sentence, kind: "info" | "warning"): void {
    if (this.isFollowing(runId)) this.send({ type: "notice", text, kind });
  }

  /** Announces that the memory of a folder changed. */
  announceMemory(folder: string): void {
    if (this.run?.folder === folder) this.scheduleAccount();
  }

  announceWaiting(hosted: HostedRun): void {
    if (this.isFollowing(hosted.id)) this.sendWaiting(hosted);
  }

  /** Announces that a file's unsaved edits have changed, or are gone. */
  announceUnsaved(): void {
    const { run } = this;
    if (run) this.announceWaiting(run);
  }

  /** Announces that all of a pending proposal was seen. */
  announceSeen(runId: string, hash: string): void {
    if (this.isFollowing(runId)) this.send({ type: "seen", run: runId, hash });
  }

  /** Announces that the user's edits changed the size of a pending change. */
  announceFigures(runId: string, hash: string, figures: ChangeFigures): void {
    if (this.isFollowing(runId)) this.send({ type: "figures", run: runId, hash, figures });
  }

  /** Compares the copy of an isolated run with the workspace again. */
  review(runId: string): void {
    const { run } = this;
    if (run && this.isFollowing(runId) && this.ready)
      void this.sendReview(run).catch((error: unknown) => this.complain(error));
  }

  /** Announces that another run may be the shown one. */
  handleRunSwitch(): void {
    this.at = this.findRequestedStep();
    this.refresh();
  }

  /** Sends what the page should show: its run, or the start page. */
  refresh(): void {
    if (this.ready) void this.sendAll().catch((error: unknown) => this.complain(error));
  }

  send(message: PanelUpdate): void {
    if (this.ready) void this.webview.postMessage(revealHiddenText(message));
  }

  dispose(): void {
    clearTimeout(this.accounting);
    this.relay.dispose();
  }

  /** The step for which the displayed run was opened. */
  private findRequestedStep(): number | undefined {
    const { shown, shownStep } = this.parts.runs;
    return this.run === shown ? shownStep : undefined;
  }

  private isFollowing(runId: string): boolean {
    return this.at === undefined && this.run?.id === runId;
  }

  private async receive(raw: unknown): Promise<void> {
    const message = readPanelRequest(raw);
    if (!message) return;
    if (message.type === "focus") return this.callbacks.focus(message.inside);
    await this.answer(message).catch((error: unknown) => this.complain(error));
  }

  private async answer(message: PanelRequest): Promise<void> {
    switch (message.type) {
      case "ready":
      case "resync":
        this.ready = true;
        return this.sendAll();
      case "stepThrough":
        this.at = message.step;
        return this.sendAll();
      case "typed": {
        const run = this.parts.runs.get(message.run);
        if (run) run.unsent = message.unsent;
        return;
      }
      case "closeWarnings":
        return this.parts.runs.closeWarnings(message.run);
      default:
        return this.parts.receive(message, (reply) => this.send(reply), this.run);
    }
  }

  /** Reports why a request failed, unless the user canceled it. */
  private complain(error: unknown): void {
    const cancelled = error instanceof Error && error.name === "Canceled";
    this.send({ type: "notice", kind: "error", text: cancelled ? "" : getErrorText(error) });
  }

  private async sendAll(): Promise<void> {
    if (!this.run) await this.parts.waitUntilRestored();
    const { run } = this;
    if (!run) return this.sendStart();
    if (this.at !== undefined) return this.sendStep(run, this.at);
    this.walked = undefined;
    const { state } = run.run;
    const { unsentElsewhere } = run;
    const sandbox = this.parts.findSandbox(run);
    this.send({
      type: "snapshot",
      run: run.id,
      state: trimStateForPanel(state),
      readOnly: run.live === undefined,
      ...(run.readOnly === undefined ? {} : { why: write(run.readOnly) }),
      ...(run.holder ? { elsewhere: true as const } : {}),
      ...omitUndefined({ machine: run.place?.machine }),
      running: isRunning(run),
      commands: (run.commands?.specs ?? []).map(({ name, description }) => ({ name, description })),
      withheld: run.commands?.withheld ?? [],
      ...getCurrentFacts(run),
      speech: this.parts.hasSpeech(),
      ...omitUndefined({ sandbox }),
    });
    for (const text of this.parts.runs.listWarnings(run.id)) this.notice(run.id, text, "warning");
    if (unsentElsewhere) this.send({ type: "unsent", run: run.id, unsent: unsentElsewhere });
    delete run.unsentElsewhere;
    this.sendOffers();
    this.sendRuns();
    const first = state.recent[0]?.step ?? 1;
    const beside = run.sideEvents.listEventsSince(state.recent);
    for (const page of splitStepsForPanel(run.id, state.recent, first > 1, beside)) this.send(page);
    this.sendWaiting(run);
    if (state.end) await this.sendChanges(run);
    if (state.end) this.review(run.id);
    this.scheduleAccount();
  }

  /** Sends the run as of a step, unless another step is requested in the meantime. */
  private async sendStep(run: HostedRun, step: number): Promise<void> {
    const turn = ++this.walks;
    if (this.walked?.run !== run) this.walked = { run, events: this.parts.loadEvents(run) };
    const events = await this.walked.events.catch((error: unknown) => {
      this.walked = undefined;
      throw error;
    });
    await new Promise((resolve) => setImmediate(resolve));
    if (turn !== this.walks || this.at === undefined) return;
    for (const message of listStepMessages(run.id, events, step)) this.send(message);
  }

  /** Sends one report for several changes in a row. */
  private scheduleAccount(): void {
    this.accounting ??= setTimeout(() => {
      this.accounting = undefined;
      void this.sendAccount().catch(() => undefined);
    }, ACCOUNT_MS).unref();
  }

  /** Errors are ignored here, because the list of runs reports the same ones. */
  private async sendAccount(): Promise<void> {
    const { run } = this;
    if (!run || !this.callbacks.isVisible()) return;
    const account = await this.parts.reportUsage(run);
    if (this.isFollowing(run.id)) this.send({ type: "account", run: run.id, account });
  }

  private async sendStart(): Promise<void> {
    const quick = await this.parts.buildWelcome({ quick: true });
    // A run that has started meanwhile isn't covered.
    if (this.run) return;
    this.send({ type: "welcome", welcome: quick });
    this.sendOffers();
    this.sendRuns();
    const draft = this.callbacks.draft();
    if (draft) this.send(draft);
    const turn = ++this.starts;
    const welcome = await this.parts.buildWelcome({ quick: false });
    if (!this.run && turn === this.starts) this.send({ type: "welcome", welcome });
  }

  private sendWaiting(hosted: HostedRun): void {
    const { pending: waiting, blockedReason: hindrance } = hosted.live ?? {};
    const shown = waiting?.kind === "proposal" ? this.parts.findCard(hosted) : undefined;
    this.relay.flush();
    this.send({
      type: "waiting",
      run: hosted.id,
      running: isRunning(hosted),
      ...omitUndefined({ blockedReason: hindrance, lost: hosted.place?.lost }),
      ...(shown ? { card: shown.card } : {}),
      ...(waiting?.kind === "question" ? { question: waiting.text } : {}),
    });
    for (const [index, text] of (shown?.rest ?? []).entries()) {
      const more = index < (shown?.rest.length ?? 0) - 1;
      this.send({ type: "cardText", run: hosted.id, hash: shown?.card.hash ?? "", text, more });
    }
    this.send({ type: "grant", run: hosted.id, ...getCurrentFacts(hosted) });
    this.send({ type: "processes", run: hosted.id, processes: listShownProcesses(hosted.processes) });
    this.send({ type: "unsavedFiles", run: hosted.id, paths: [...this.parts.listUnsavedFiles(hosted)] });
  }

  private sendOffers(): void {
    if (!this.ready || !this.callbacks.isVisible()) return;
    for (const offer of this.callbacks.takeOffers(this.run !== undefined)) this.send({ type: "offered", ...offer });
  }

  private sendRuns(): void {
    this.send({ type: "runs", runs: [...openRuns(this.parts.runs.all)] });
  }

  /** Sends the changes in an isolated run's copy. Drops a comparison that a later one has overtaken. */
  private async sendReview(run: HostedRun): Promise<void> {
    const { findSandbox, reviews } = this.parts;
    if (findSandbox(run) === undefined || run.run.state.review?.what === "discarded") return;
    const turn = ++this.reviews;
    this.send({ type: "review", run: run.id });
    const review = await reviews.buildPage(run);
    if (turn === this.reviews && this.isFollowing(run.id)) this.send({ type: "review", run: run.id, review });
  }

  /** Sends the files that the run has changed and not undone. */
  private async sendChanges(hosted: HostedRun): Promise<void> {
    const standing = (await hosted.undo?.listUndoableSteps().catch(() => [])) ?? [];
    const all = [...new Set(standing.flatMap((step) => step.files.map(({ file }) => file)))];
    const files = all.filter((file) => !file.endsWith("/"));
    // New folders are listed only if they are all there is.
    const shown = files.length > 0 ? files : all;
    const redoable = (await hosted.undo?.canRedo().catch(() => false)) ?? false;
    const events = await this.parts.loadEvents(hosted).catch(() => []);
    const next = await this.parts.findNextAgents(hosted).catch(() => []);
    this.send({
      type: "changes",
      run: hosted.id,
      files: shown.slice(0, MOST_FILES),
      count: shown.length,
      ...omitUndefined({ redoable: redoable || undefined }),
      ...(next.length > 0 ? { nextAgents: next.map(({ agent, label }) => ({ agent, label })) } : {}),
      ...collectRunResult(events, new Set(standing.map(({ step }) => step))),
    });
  }
}

/** Events that change spending or memory. */
const CHANGES_ACCOUNT: ReadonlySet<AgentEvent["type"]> = new Set(["replied", "spent", "compacted", "ended", "over"]);
const ACCOUNT_MS = 1_500;

/** Number of changed files that the panel lists; the review shows all of them. */
const MOST_FILES = 200;

function getCurrentFacts(hosted: HostedRun): { continuous: boolean; grant: number; drafting?: true } {
  return {
    continuous: (hosted.grants?.continuousLeft ?? 0) > 0,
    grant: hosted.grants?.left ?? 0,
    ...omitUndefined({ drafting: hosted.isDrafting || undefined }),
  };
}
