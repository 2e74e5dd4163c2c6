import { repeat } from "lit/directives/repeat.js";
import { html, nothing, render, type TemplateResult } from "lit/html.js";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import { t } from "../../texts/language.ts";
import { changeCard, DOCK_ID } from "../approval/card-actions.ts";
import { type CardEnd, CardWatch } from "../approval/card-watch.ts";
import { formatCardKey, markCardSeen } from "../approval/waiting-card.ts";
import { renderCostsPage } from "../models/costs-view.ts";
import { renderModelsPage } from "../models/models-view.ts";
import { renderPermissionsPage } from "../permissions/permissions-view.ts";
import { renderWaysPage } from "../permissions/ways-view.ts";
import { FEED_ID, FeedScroll } from "../run/feed-view.ts";
import { moveBetweenLines, setLineStops } from "../run/line-keys.ts";
import { renderRunPage } from "../run/run-page-view.ts";
import { type RunView, setAtEnd } from "../run/run-view.ts";
import { openRunsView } from "../run/switcher-view.ts";
import { renderProfile, START_BUTTON_ID } from "../start/profile-view.ts";
import { startView } from "../start/start-view.ts";
import { renderToolsPage } from "../tools/tools-view.ts";
import { noticeView, PAGE_HEADING_ID, renderButton } from "../ui/buttons.ts";
import { COMPOSER_ID } from "../ui/composer-view.ts";
import { closeFoldAround } from "../ui/fold-view.ts";
import { findAnnouncement } from "./announcements.ts";
import { addAnnouncement, changeRun, type Panel, type PanelChange, type PanelState } from "./panel-state.ts";
import { receive } from "./receive.ts";

/** Services that the page provides to the panel. */
export interface PanelEnvironment {
  readonly root: HTMLElement;
  send(message: PanelRequest): void;
  /** Called with each new state, before it is drawn. */
  handleChange(before: PanelState, after: PanelState): void;
  /** The drawing failed; nothing more is drawn. */
  handleFailure(error: unknown): void;
}

/**
 * The running panel. The user's changes are drawn immediately, so that the next key sees their result. Messages from the extension are
 * drawn once per frame, however many there are.
 */
export class PanelApp implements Panel {
  private readonly page: PanelEnvironment;
  private readonly follow: FeedScroll;
  private readonly cards: CardWatch;
  private readonly drawSoon: () => void;
  private current: PanelState;
  private drawn: PanelState | undefined;
  private wantsFocus: string | undefined;
  private drawing = false;
  private broken = false;

  constructor(page: PanelEnvironment, state: PanelState) {
    this.page = page;
    this.current = state;
    this.follow = new FeedScroll(() => page.root.querySelector(`#${FEED_ID}`));
    this.cards = new CardWatch(page.root, (end, card) => this.handleEndReached(end, card));
    this.drawSoon = limitToFrames(() => this.draw());
    page.root.addEventListener("scroll", () => this.handleScroll(), { capture: true, passive: true });
    leaveKeysToComposition(page.root);
    page.root.addEventListener("keydown", (event) => {
      moveBetweenLines(page.root, event);
      closeFoldAround(event);
    });
    page.root.addEventListener("focusin", () => setLineStops(page.root));
    this.drawSoon();
  }

  get state(): PanelState {
    return this.current;
  }

  send(message: PanelRequest): void {
    this.page.send(message);
  }

  receive(message: PanelUpdate): void {
    const { state, answer } = receive(this.current, message);
    if (state.form && !this.current.form) this.wantsFocus = START_BUTTON_ID;
    if (this.take(state)) this.drawSoon();
    if (answer) this.send(answer);
  }

  update(change: PanelChange): void {
    if (this.take(change(this.current))) this.draw();
  }

  focus(id: string): void {
    this.wantsFocus = id;
    this.draw();
  }

  /** Takes a new state. True if it differs. */
  private take(next: PanelState): boolean {
    const before = this.current;
    if (next === before) return false;
    const news = findAnnouncement(before, next);
    this.current = news === undefined ? next : addAnnouncement(next, news);
    this.page.handleChange(before, this.current);
    return true;
  }

  private draw(): void {
    if (this.broken) return;
    if (this.drawing) {
      this.drawSoon();
      return;
    }
    this.drawing = true;
    const { state, drawn } = { state: this.current, drawn: this.drawn };
    const { activeElement } = document;
    try {
      if (drawn?.run?.window.steps[0] !== state.run?.window.steps[0]) this.follow.hold();
      render(renderApp(this), this.page.root);
      this.drawn = state;
      if (state.run && state.run !== drawn?.run) this.follow.settle(state.run.atEnd);
      this.cards.settle(state.run?.card !== undefined);
      this.moveFocus(activeElement);
      if (hasOtherLines(drawn?.run, state.run)) setLineStops(this.page.root);
    } catch (error) {
      this.broken = true;
      this.page.handleFailure(error);
    } finally {
      this.drawing = false;
    }
  }

  /**
   * Focuses the element that a view requested. If the focused element is gone or disabled, focuses the place of the next decision instead.
   * Does nothing in a page without focus, so that an editor never loses it.
   */
  private moveFocus(before: Element | null): void {
    if (!document.hasFocus()) return;
    const wanted = this.wantsFocus === undefined ? null : document.getElementById(this.wantsFocus);
    if (wanted) {
      this.wantsFocus = undefined;
      wanted.focus();
    } else if (before && before !== document.body && (!before.isConnected || before.matches(":disabled")))
      focusFirst(DOCK_ID, START_BUTTON_ID, COMPOSER_ID, PAGE_HEADING_ID);
  }

  /** Called when the user reaches the end of the card's text or arguments. */
  private handleEndReached(end: CardEnd, card: string): void {
    const before = this.current.run?.card;
    if (!before || formatCardKey(before.card) !== card) return;
    const { step, hash } = before.card;
    if (end === "text") {
      const after = markCardSeen(before);
      if (after === before) return;
      this.send({ type: "seen", step, hash });
      changeCard(this, after);
    } else if (before.form.kind === "editing" && !before.argumentsSeen) changeCard(this, { argumentsSeen: true });
  }

  private handleScroll(): void {
    this.cards.settle(this.current.run?.card !== undefined);
    if (this.current.run) this.update(changeRun((view) => setAtEnd(view, this.follow.isFollowingAfterScroll())));
  }
}

/** True if lines were added or unfolded. Streaming text doesn't count. */
function hasOtherLines(before: RunView | undefined, after: RunView | undefined): boolean {
  return after !== undefined && (after.window !== before?.window || after.folds !== before.folds);
}

/** Focuses the first of these elements that exists and can have the focus. */
function focusFirst(...ids: readonly string[]): void {
  for (const element of ids.flatMap((id) => document.getElementById(id) ?? [])) {
    element.focus();
    if (document.activeElement === element) return;
  }
}

/** The whole panel: one of its pages, and the line for screen readers. */
function renderApp(panel: Panel): TemplateResult {
  return html`<div class="panel ${panel.state.wide ? "wide" : ""}">
    ${hasNoRun(panel.state) ? openRunsView(panel) : nothing} ${renderPage(panel)}
    <div class="hidden" role="log" aria-live="polite">
      ${repeat(
        panel.state.announcements,
        ({ id }) => id,
        ({ text }) => html`<p>${text}</p>`,
      )}
    </div>
  </div>`;
}

/** True for the start page and the form of a profile. */
function hasNoRun({ run, form, models, tools }: PanelState): boolean {
  return models === undefined && tools === undefined && (run === undefined || form !== undefined);
}

function renderPage(panel: Panel): TemplateResult {
  const { form, run, welcome, models, tools, permissions, ways, costs } = panel.state;
  if (tools) return renderToolsPage(panel, tools);
  if (models) return renderModelsPage(panel, models);
  if (permissions) return renderPermissionsPage(panel, permissions);
  if (ways) return renderWaysPage(panel, ways);
  if (costs) return renderCostsPage(panel, costs);
  if (form) return renderProfile(panel, form);
  if (run) return renderRunPage(panel, run);
  if (welcome) return startView(panel, welcome);
  return renderRestoringNotice(panel);
}

/** A placeholder until the extension reports the state; its first message replaces this view. */
function renderRestoringNotice(panel: Panel): TemplateResult {
  if (!panel.state.slow)
    return html`<main class="starting" role="status"><p>${t("common.restoring")}</p>${noticeView(panel)}</main>`;
  return html`<main class="broken" role="status">
    <h1>${t("header.slow")}</h1>
    <p>${t("header.slowText")}</p>
    ${noticeView(panel)} ${renderButton(t("models.tryAgainButton"), () => panel.send({ type: "ready" }))}
  </main>`;
}

/** Draws once per frame at most. Nothing is drawn while the page is hidden. */
function limitToFrames(draw: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/** Safari ends a composition before it reports the key that ended it. No one presses another key within this time, in ms. */
const SAME_KEY_MS = 30;
/** The code of any key that an input method has handled, and the only sign of it in Safari. */
const TAKEN_KEY = 229;

/** Hides keys that choose or end a composed text, as in Japanese, from all handlers below. The input method still gets them. */
function leaveKeysToComposition(root: HTMLElement): void {
  let endedMs = Number.NEGATIVE_INFINITY;
  const before = { capture: true };
  root.addEventListener(
    "compositionend",
    ({ timeStamp }) => {
      endedMs = timeStamp;
    },
    before,
  );
  root.addEventListener(
    "keydown",
    (event) => {
      const isTaken = event.isComposing || event.keyCode === TAKEN_KEY;
      if (isTaken || event.timeStamp - endedMs < SAME_KEY_MS) event.stopPropagation();
    },
    before,
  );
}
