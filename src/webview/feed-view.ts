import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { button, fileButton } from "./buttons.ts";
import { type FeedItem, feedItems } from "./feed-items.ts";
import { icon } from "./icons.ts";
import { type LiveStep, NOTHING_LIVE } from "./live-step.ts";
import type { Note } from "./notes.ts";
import { inRun, type Panel } from "./panel-state.ts";
import { type RunView, withAtEnd } from "./run-view.ts";
import { isOnCard, rests, stepView } from "./step-view.ts";
import { textView } from "./text-view.ts";

export const FEED_ID = "feed";

/** The steps on show, the open one last. */
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
      ${items.length === 0 ? html`<p class="hint empty">${rests(view) ? "No step was taken yet." : "The first step is being prepared…"}</p>` : nothing}</div>
    </div>
    ${view.atEnd ? nothing : button("Jump to Latest", () => jump(panel), { icon: "down", id: "jump" })}
  </main>`;
}

/** Why the run is paused stands on its card as long as it is. */
function withoutLast(notes: readonly Note[], paused: string | undefined): readonly Note[] {
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

/** A line is drawn anew only when something it shows is another one. */
function itemView(panel: Panel, view: RunView, item: FeedItem): unknown {
  if (item.kind === "note") return guard([item.note], () => noteView(panel, item.note));
  const { step } = item;
  const live: LiveStep = view.live.step === step.step && step.stage !== "ended" ? view.live : NOTHING_LIVE;
  const { folds, pictures, facts, state } = view;
  const looks = isOnCard(view, step) ? "on card" : step.stage !== "ended" && rests(view) ? "resting" : "";
  return guard([step, live, looks, folds, pictures, facts.readOnly, state.id, state.end], () =>
    stepView(panel, view, step, live),
  );
}

function noteView(panel: Panel, { kind, text, run, files = [] }: Note): TemplateResult {
  if (files.length > 0)
    return html`<p class="note" dir="auto">${text} ${files.map((file) => fileButton(panel, file))}</p>`;
  if (run !== undefined) {
    const open = button("Open Its Run", () => panel.send({ type: "openRun", run }), { kind: "quiet" });
    return html`<p class="note" dir="auto">${text} ${open}</p>`;
  }
  if (kind === "other") return html`<p class="note" dir="auto">${text}</p>`;
  const user = kind === "user";
  return html`<article class="said ${kind}">
    <h3>${icon(user ? "user" : "mirror")}${user ? "You" : "Criticism of itself"}</h3>
    ${textView(panel, text)}
  </article>`;
}
