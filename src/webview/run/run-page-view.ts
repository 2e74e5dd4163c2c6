import { html, nothing, type TemplateResult } from "lit/html.js";
import { findOpenQuestion } from "../../core/events/run-state.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { DOCK_ID } from "../approval/card-actions.ts";
import { renderDecisionBar } from "../approval/decision-bar-view.ts";
import { noticeView, renderActionButton } from "../ui/buttons.ts";
import { COMPOSER_ID, renderComposer, sayFromComposer, sendEditedMessage } from "../ui/composer-view.ts";
import { renderFeed } from "./feed-view.ts";
import { getRunActivity } from "./run-activity.ts";
import { renderRunHeader } from "./run-header-view.ts";
import type { RunView } from "./run-view.ts";
import { renderSideDetails } from "./side-view.ts";
import { renderWalk } from "./walk-view.ts";

/** The page of a run: header at the top, steps in the middle, and the user's part at the bottom. */
export function renderRunPage(panel: Panel, view: RunView): TemplateResult {
  return html`<div class="run">
    ${renderRunHeader(panel, view)}
    ${renderSideDetails(panel, view)}
    ${renderFeed(panel, view)}
    <section class="dock" id=${DOCK_ID} tabindex="-1" aria-label=${isUsersTurn(view) ? t("approval.yourTurn") : t("approval.say")}>
      <div class="asks">
        ${renderWalk(panel, view)} ${noticeView(panel)}
      </div>
      ${renderDecisionBar(panel, view)} ${renderMessageBox(panel, view)}
    </section>
  </div>`;
}

/** True while the run waits for its user, or is over. */
function isUsersTurn(view: RunView): boolean {
  return getRunActivity(view).kind !== "busy";
}

function renderMessageBox(panel: Panel, view: RunView): TemplateResult {
  const { state, facts, question } = view;
  if (facts.at) return html``;
  if (facts.elsewhere) return renderElsewhere(panel, view);
  const { editing } = panel.state.composer;
  const isDiscarded = state.review?.what === "discarded" && !editing;
  if (facts.readOnly || isDiscarded) {
    const why = facts.why ?? (isDiscarded ? t("isolation.discarded") : t("approval.readOnlyRun"));
    return html`<p class="hint read-only" dir="auto">${why}</p>`;
  }
  const send = (text: string): void => {
    if (editing) sendEditedMessage(panel, text);
    else sayFromComposer(panel, text);
    // Off the button, which is disabled while nothing is written.
    panel.focus(COMPOSER_ID);
  };
  return html`${state.queued.length > 0 ? renderQueue(state.queued) : nothing}
  ${renderComposer(panel, {
    label: editing ? t("timeline.editMessage") : question === undefined ? t("approval.say") : t("approval.answer"),
    placeholder: choosePlaceholder(view),
    submit: question === undefined || editing ? t("start.sendButton") : t("approval.answerButton"),
    rows: 2,
    busy: editing !== undefined && panel.state.starting === true,
    send,
  })}`;
}

/** The user's part of a run on which another process works: its open question, and the button that takes it over. */
function renderElsewhere(panel: Panel, { facts, state }: RunView): TemplateResult {
  const question = findOpenQuestion(state);
  return html`${question === undefined ? nothing : html`<p dir="auto">${question}</p>`}
    <p class="hint read-only" dir="auto">${facts.why ?? ""}</p>
    <div class="row">${renderActionButton(panel, "takeOver", { kind: "primary" })}</div>`;
}

function choosePlaceholder({ card, question, state, running, facts: { machine } }: RunView): string {
  if ((running || machine !== undefined ? question : findOpenQuestion(state)) !== undefined)
    return t("approval.answerHint");
  if (card) return t("approval.redirectHint");
  if (state.end && state.isolated) return t("isolation.askHint");
  return state.end?.reason === "finished" ? t("approval.followUpHint") : t("approval.sayHint");
}

function renderQueue(queued: readonly string[]): TemplateResult {
  return html`<div class="queued">
    <p class="hint">${t("approval.queued")}</p>
    <ul>${queued.map((text) => html`<li dir="auto">${text}</li>`)}</ul>
  </div>`;
}
