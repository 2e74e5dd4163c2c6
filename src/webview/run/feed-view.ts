import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { assertNever } from "../../core/base/errors.ts";
import { splitMentionedTexts } from "../../core/base/mentioned-texts.ts";
import type { RunState } from "../../core/events/run-state.ts";
import { renderTextParts, t, writeValue } from "../../texts/language.ts";
import { changeRun, type Panel } from "../app/panel-state.ts";
import { renderPendingDecision } from "../approval/pending-view.ts";
import { renderRunProfile } from "../start/run-profile-view.ts";
import { renderButton, renderLinkButton } from "../ui/buttons.ts";
import { editEarlierMessage } from "../ui/composer-view.ts";
import { renderIcon } from "../ui/icons.ts";
import { renderMarkdownText } from "../ui/text-view.ts";
import { type LiveStep, NOTHING_LIVE } from "./live-step.ts";
import { isPauseNote, type News, type RunNote } from "./notes.ts";
import { isUnsaved } from "./outcome-view.ts";
import { listStepPictures, renderAttachedPictures } from "./pictures-view.ts";
import { type RunView, setAtEnd } from "./run-view.ts";
import { renderFileLinks } from "./step-line.ts";
import { isOnCard, isResting, renderLookingSteps, renderStep } from "./step-view.ts";
import { type FeedItem, listFeedItems } from "./step-window.ts";

export const FEED_ID = "feed";

/** The displayed steps, the open one last. */
export function renderFeed(panel: Panel, view: RunView): TemplateResult {
  const { window, state, notes } = view;
  const steps = state.open ? [...window.steps, state.open] : window.steps;
  const items = listFeedItems(steps, omitPauseNote(notes, state), window.earlier !== "none", findLatestStep(view));
  return html`<main class="feed-frame" aria-label=${t("timeline.steps")}>
    <h2 class="hidden">${t("timeline.steps")}</h2>
    <div class=${view.atEnd ? "feed follows" : "feed"} id=${FEED_ID} tabindex="0" role="group" aria-label=${t("timeline.stepsOfRun")}>
      <div>${renderRunProfile(panel, view)} ${renderEarlierSteps(panel, view)}
      ${repeat(
        items,
        (item) => item.key,
        (item) => renderFeedItem(panel, view, item),
      )}
      ${items.length === 0 ? html`<p class="hint empty">${isResting(view) ? t("timeline.noSteps") : t("timeline.preparing")}</p>` : nothing}
      ${renderPendingDecision(panel, view)}</div>
    </div>
    ${view.atEnd ? nothing : renderButton(t("timeline.latestButton"), () => jump(panel), { icon: "down", id: "jump" })}
  </main>`;
}

/** Leaves out the note of the current pause, because the card below shows its reason. */
function omitPauseNote(notes: readonly RunNote[], state: Pick<RunState, "paused" | "pausedText">): readonly RunNote[] {
  return isPauseNote(notes.at(-1), state) ? notes.slice(0, -1) : notes;
}

function jump(panel: Panel): void {
  panel.update(changeRun((view) => setAtEnd(view, true)));
  panel.focus(FEED_ID);
}

function renderEarlierSteps(panel: Panel, { window, state }: RunView): TemplateResult | typeof nothing {
  const first = window.steps[0]?.step;
  if (window.earlier === "none" || first === undefined) return nothing;
  const ask = (): void => {
    panel.update(changeRun((view) => ({ ...view, window: { ...view.window, earlier: "asked" } })));
    panel.send({ type: "earlier", run: state.id, before: first });
    panel.focus(FEED_ID);
  };
  const asked = window.earlier === "asked";
  return html`<div class="earlier">
    ${renderButton(asked ? t("timeline.loadingEarlier") : t("timeline.earlierButton"), ask, { kind: "quiet", icon: "up", disabled: asked })}
  </div>`;
}

/**
 * The last ended step, while no thoughts of the next step have arrived: its thoughts stay, so that they can be read. Undefined if the run
 * is over.
 */
function findLatestStep({ state, window, live }: RunView): number | undefined {
  const { open, end } = state;
  const thinks = open?.stage === "asked" && !(live.step === open.step && hasThoughts(live));
  return end || (open && !thinks) ? undefined : window.steps.at(-1)?.step;
}

function hasThoughts({ thoughts, reasoning }: LiveStep): boolean {
  return reasoning !== "" || Object.values(thoughts).some((text) => text !== "");
}

/** Draws a line again only when something in it has changed. */
function renderFeedItem(panel: Panel, view: RunView, item: FeedItem): unknown {
  const { folds, pictures, facts, state } = view;
  switch (item.kind) {
    case "note":
      return guard([item.note, hasPictures(item.note) ? view.attached : undefined, mayEditMessages(view)], () =>
        renderNote(panel, view, item.note),
      );
    case "looks":
      return guard([...item.steps, folds, pictures, facts.readOnly, facts.at, state.id], () =>
        renderLookingSteps(panel, view, item.steps),
      );
    case "step": {
      const { step } = item;
      const live: LiveStep = view.live.step === step.step && step.stage !== "ended" ? view.live : NOTHING_LIVE;
      const looks = isOnCard(view, step) ? "on card" : step.stage !== "ended" && isResting(view) ? "resting" : "";
      const unsaved = isUnsaved(view, step.outcome);
      const isLatest = step.step === findLatestStep(view);
      const shown = [
        step,
        live,
        looks,
        isLatest,
        folds,
        pictures,
        unsaved,
        listStepPictures(step).length > 0 ? view.attached : undefined,
        facts.readOnly,
        facts.at,
        state.id,
        state.end,
      ];
      return guard(shown, () => renderStep(panel, view, step, { live, isLatest }));
    }
    default:
      return assertNever(item);
  }
}

function hasPictures(note: RunNote): boolean {
  return note.attached !== undefined;
}

function renderNote(panel: Panel, view: RunView, note: RunNote): TemplateResult {
  const pictures = renderAttachedPictures(panel, view, note.attached ?? []);
  return note.kind === "said" ? renderSaidNote(panel, view, note, pictures) : renderNews(panel, note, pictures);
}

const SPEAKERS = {
  user: "timeline.you",
  self: "timeline.selfReview",
  agent: "timeline.parentAgent",
} as const;

/** True if an earlier message can be edited and sent again. */
export function mayEditMessages({ facts, state }: RunView): boolean {
  const isHere = !facts.elsewhere && facts.machine === undefined;
  return isHere && !facts.readOnly && !facts.at && state.worksFor === undefined;
}

function renderSaidNote(
  panel: Panel,
  view: RunView,
  { by, text, seq }: Extract<RunNote, { kind: "said" }>,
  pictures: unknown,
): TemplateResult {
  const edit = (): void => editEarlierMessage(panel, seq, splitMentionedTexts(text).typed);
  const isEditable = by === "user" && text !== "" && mayEditMessages(view);
  return html`<article class="said ${by}">
    <h3 class=${by === "user" ? "hidden" : ""}>${by === "user" ? nothing : renderIcon("mirror")}${t(SPEAKERS[by])}</h3>
    ${text === "" ? nothing : renderMarkdownText(panel, text)}${pictures}
    ${isEditable ? renderButton(t("timeline.editMessage"), edit, { kind: "quiet", icon: "edit", iconOnly: true, title: t("timeline.editMessage") }) : nothing}
  </article>`;
}

function renderNews(panel: Panel, { text, more = [], run }: News, pictures: unknown): TemplateResult {
  const parts = renderTextParts(text, (name, value) =>
    name === "files" && Array.isArray(value) ? renderFileLinks(panel, value) : writeValue(value),
  );
  const open = (): void => {
    if (run !== undefined) panel.send({ type: "openRun", run });
  };
  return html`<p class="note" dir="auto">${parts} ${more.join(" ")} ${
    run === undefined ? nothing : renderLinkButton(t("timeline.openRunButton"), "", open)
  }</p>${pictures}`;
}

/** Distance from the end, in pixels, that still counts as the end of the feed. */
const NEAR_END_PX = 40;
/** Streamed lines are shorter, and appear at once. */
const LEAST_GLIDE_PX = 48;
const GLIDE_MS = 120;

/** False while the page is hidden, or if the user wants less motion. */
function mayMove(): boolean {
  const isReduced = document.body.classList.contains("vscode-reduce-motion");
  return !(document.hidden || isReduced || matchMedia("(prefers-reduced-motion: reduce)").matches);
}

/** Keeps the reading position: the end of the feed until the reader scrolls up, then the same lines. */
export class FeedScroll {
  private readonly feed: () => HTMLElement | null;
  private readonly sizes: ResizeObserver;
  private anchor: { readonly id: string; readonly top: number } | undefined;
  private watched: HTMLElement | undefined;
  private lastTop = 0;
  private followsEnd = true;
  private isGliding = false;

  constructor(feed: () => HTMLElement | null) {
    this.feed = feed;
    this.sizes = new ResizeObserver(() => this.toEnd());
  }

  /** True if the feed follows its end after a scroll: scrolling up stops following, and returning near the end resumes it. */
  isFollowingAfterScroll(): boolean {
    const feed = this.feed();
    if (!feed) return true;
    const { scrollTop, scrollHeight, clientHeight } = feed;
    const up = scrollTop < this.lastTop - 1;
    this.lastTop = scrollTop;
    const near = scrollHeight - scrollTop - clientHeight <= NEAR_END_PX;
    this.followsEnd = near || (this.followsEnd && !up);
    return this.followsEnd;
  }

  /** Remembers the first visible step before lines are inserted above it. */
  hold(): void {
    const feed = this.feed();
    const top = feed?.getBoundingClientRect().top ?? 0;
    const first = [...(feed?.querySelectorAll(".step") ?? [])].find(
      (step) => step.getBoundingClientRect().bottom > top,
    );
    this.anchor = first ? { id: first.id, top: first.getBoundingClientRect().top } : undefined;
  }

  /** Scrolls after a drawing: to the end, or so that the remembered step stays in place. */
  settle(followsEnd: boolean): void {
    const found = followsEnd && !this.followsEnd;
    this.followsEnd = followsEnd;
    this.watch();
    const { anchor } = this;
    this.anchor = undefined;
    const feed = this.feed();
    const held = anchor && document.getElementById(anchor.id);
    if (found) this.toEnd();
    else if (feed && held && !followsEnd) {
      feed.scrollTop += held.getBoundingClientRect().top - anchor.top;
      this.lastTop = feed.scrollTop;
    }
  }

  /** Observes sizes that change after drawing, as when lines come into view or a card takes space. */
  private watch(): void {
    const feed = this.feed();
    if (!feed || feed === this.watched) return;
    this.watched = feed;
    this.sizes.disconnect();
    this.sizes.observe(feed);
    if (feed.firstElementChild) this.sizes.observe(feed.firstElementChild);
  }

  private toEnd(): void {
    const feed = this.feed();
    if (!feed || !this.followsEnd || this.isGliding) return;
    const distance = feed.scrollHeight - feed.clientHeight - feed.scrollTop;
    if (distance > LEAST_GLIDE_PX && distance < feed.clientHeight && mayMove()) this.moveToEnd(feed, performance.now());
    else this.setTop(feed, feed.scrollHeight);
  }

  /** Scrolls to the end in a moment, so that a card that appears doesn't make the lines jump. */
  private moveToEnd(feed: HTMLElement, startedAt: number): void {
    const from = feed.scrollTop;
    const move = (now: number): void => {
      const share = Math.min(1, Math.max(0, now - startedAt) / GLIDE_MS);
      this.isGliding = share < 1 && this.followsEnd;
      if (!this.followsEnd) return;
      this.setTop(feed, from + (feed.scrollHeight - feed.clientHeight - from) * (1 - (1 - share) ** 3));
      if (this.isGliding) requestAnimationFrame(move);
    };
    this.isGliding = true;
    requestAnimationFrame(move);
  }

  private setTop(feed: HTMLElement, top: number): void {
    feed.scrollTop = top;
    this.lastTop = feed.scrollTop;
  }
}
