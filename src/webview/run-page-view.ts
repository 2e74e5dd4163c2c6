import { html, nothing, type TemplateResult } from "lit/html.js";
import { DOCK_ID } from "./card-changes.ts";
import { cardView } from "./card-view.ts";
import { EMPTY_COMPOSER } from "./composer.ts";
import { composerView } from "./composer-view.ts";
import { endView } from "./end-view.ts";
import { feedView } from "./feed-view.ts";
import { noticeView } from "./notice-view.ts";
import type { Panel } from "./panel-state.ts";
import { pausedView } from "./paused-view.ts";
import { questionView } from "./question-view.ts";
import { runHeaderView } from "./run-header-view.ts";
import type { RunView } from "./run-view.ts";
import { sideView } from "./side-view.ts";
import { walkView } from "./walk-view.ts";

/** A run: who and what at the top, its steps in the middle, what waits for the user at the bottom. */
export function runPageView(panel: Panel, view: RunView): TemplateResult {
  return html`<div class="run">
    ${runHeaderView(panel, view)}
    ${sideView(panel, view)}
    ${feedView(panel, view)}
    <section class="dock" id=${DOCK_ID} tabindex="-1" aria-label="Your turn">
      <div class="asks">
        ${walkView(panel, view)} ${pausedView(panel, view)} ${endView(panel, view)} ${cardView(panel, view)} ${questionView(panel, view)}
        ${noticeView(panel)}
      </div>
      ${sayView(panel, view)}
    </section>
  </div>`;
}

function sayView(panel: Panel, view: RunView): TemplateResult {
  const { state, facts, card, question } = view;
  if (facts.at) return html``;
  if (facts.readOnly)
    return html`<p class="hint read-only" dir="auto">${facts.why ?? "This run can be read here, not continued."}</p>`;
  const send = (text: string): void => {
    panel.update((before) => ({ ...before, composer: EMPTY_COMPOSER }));
    panel.send({ type: "say", text });
  };
  return html`${state.queued.length > 0 ? queuedView(state.queued) : nothing}
  ${composerView(panel, {
    label: question === undefined ? "Say something to the agent" : "Your answer",
    labelShown: false,
    placeholder: placeholder(card !== undefined, question !== undefined),
    submit: question === undefined ? "Send" : "Answer",
    rows: 2,
    send,
  })}`;
}

function placeholder(hasCard: boolean, hasQuestion: boolean): string {
  if (hasQuestion) return "Answer the agent…";
  if (hasCard) return "Reply to reject and redirect…";
  return "Say something to the agent…";
}

function queuedView(queued: readonly string[]): TemplateResult {
  return html`<div class="queued">
    <p class="hint">The agent reads this before its next step:</p>
    <ul>${queued.map((text) => html`<li dir="auto">${text}</li>`)}</ul>
  </div>`;
}
