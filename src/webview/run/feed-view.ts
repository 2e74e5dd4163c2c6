import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { inRun, type Panel } from "../app/panel-state.ts";
import { pendingView } from "../approval/pending-view.ts";
import { button, fileButton } from "../ui/buttons.ts";
import { icon } from "../ui/icons.ts";
import { textView } from "../ui/text-view.ts";
import type { RunNote } from "./notes.ts";
import { isUnsaved } from "./outcome-view.ts";
import { type LiveStep, NOTHING_LIVE, type RunView, withAtEnd } from "./run-view.ts";
import { isOnCard, isResting, stepView } from "./step-view.ts";
import { type FeedItem, feedItems } from "./step-window.ts";

export const FEED_ID = "feed";

/** The displayed steps, the open one last. */
export function feedView(panel: Panel, view: RunView): TemplateResult {
  const { window, state, notes } = view;
  const steps = state.open ? [...window.steps, state.open] : window.steps;
  const items = feedItems(steps, withoutLast(notes, state.paused), window.earlier !== "none");
  return html`<main class="feed-frame" aria-label="Steps">
    <h2 class="hidden">Steps</h2>
    <div class=${view.atEnd ? "feed follows" : "feed"} id=${FEED_ID} tabindex="0" role="group" aria-label="Steps of the run">
      <div>${earlierView(panel, view)}
      ${repeat(
        items,
        (item) => item.key,
        (item) => itemView(panel, view, item),
      )}
      ${items.length === 0 ? html`<p class="hint empty">${isResting(view) ? "No steps yet." : "Preparing the first step…"}</p>` : nothing}
      ${pendingView(panel, view)}</div>
    </div>
    ${view.atEnd ? nothing : button("Jump to Latest", () => jump(panel), { icon: "down", id: "jump" })}
  </main>`;
}

/** Leaves out the note of the current pause, because the card below shows its reason. */
function withoutLast(notes: readonly RunNote[], paused: string | undefined): readonly RunNote[] {
  const isOnShow = paused !== undefined && notes.at(-1)?.text === `Paused: ${paused}`;
  return isOnShow ? notes.slice(0, -1) : notes;
}

function jump(panel: Panel): void {
  panel.update(inRun((view) => withAtEnd(view, true)));
}

function earlierView(panel: Panel, { window, state }: RunView): TemplateResult | typeof nothing {
  const first = window.steps[0]?.step;
  if (window.earlier === "none" || first === undefined) return nothing;
  const ask = (): void => {
    panel.update(inRun((view) => ({ ...view, window: { ...view.window, earlier: "asked" } })));
    panel.send({ type: "earlier", run: state.id, before: first });
  };
  const asked = window.earlier === "asked";
  return html`<div class="earlier">
    ${button(asked ? "Loading Earlier Steps…" : "Earlier Steps", ask, { kind: "quiet", icon: "up", disabled: asked })}
  </div>`;
}

/** Draws a line again only when something in it has changed. */
function itemView(panel: Panel, view: RunView, item: FeedItem): unknown {
  if (item.kind === "note") return guard([item.note], () => noteView(panel, item.note));
  const { step } = item;
  const live: LiveStep = view.live.step === step.step && step.stage !== "ended" ? view.live : NOTHING_LIVE;
  const { folds, pictures, facts, state } = view;
  const looks = isOnCard(view, step) ? "on card" : step.stage !== "ended" && isResting(view) ? "resting" : "";
  const unsaved = isUnsaved(view, step.outcome);
  return guard([step, live, looks, folds, pictures, unsaved, facts.readOnly, state.id, state.end], () =>
    stepView(panel, view, step, live),
  );
}

function noteView(panel: Panel, { kind, text, run, files = [] }: RunNote): TemplateResult {
  if (files.length > 0)
    return html`<p class="note" dir="auto">${text} ${files.map((file) => fileButton(panel, file))}</p>`;
  if (run !== undefined) {
    const open = button("Open Its Run", () => panel.send({ type: "openRun", run }), { kind: "quiet" });
    return html`<p class="note" dir="auto">${text} ${open}</p>`;
  }
  if (kind === "other") return html`<p class="note" dir="auto">${text}</p>`;
  const user = kind === "user";
  return html`<article class="said ${kind}">
    <h3>${icon(user ? "user" : "mirror")}${user ? "You" : "Self-review"}</h3>
    ${textView(panel, text)}
  </article>`;
}

/** Distance from the end, in pixels, that still counts as the end of the feed. */
const NEAR_END_PX = 40;

/** Keeps the reading position: the end of the feed until the reader scrolls up, then the same lines. */
export class FeedScroll {
  private readonly feed: () => HTMLElement | null;
  private readonly sizes: ResizeObserver;
  private anchor: { readonly id: string; readonly top: number } | undefined;
  private watched: HTMLElement | undefined;
  private lastTop = 0;
  private followsEnd = true;

  constructor(feed: () => HTMLElement | null) {
    this.feed = feed;
    this.sizes = new ResizeObserver(() => this.toEnd());
  }

  /** True if the end is followed after a scroll: scrolling up leaves it, coming near it returns to it. */
  scrolled(): boolean {
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

  /** Observes sizes that change after a drawing: lines come into view, a card takes space. */
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
    if (!feed || !this.followsEnd) return;
    feed.scrollTop = feed.scrollHeight;
    this.lastTop = feed.scrollTop;
  }
}
