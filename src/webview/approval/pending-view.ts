import { html, nothing, type TemplateResult } from "lit/html.js";
import { PAUSED_BY_USER } from "../../core/base/async.ts";
import { pauseReason } from "../../core/events/end-text.ts";
import { findOpenQuestion } from "../../core/events/run-state.ts";
import type { Sentence } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { canContinue } from "../run/run-activity.ts";
import type { RunView } from "../run/run-view.ts";
import { listRemedies, renderActionButton, renderRemedyButton } from "../ui/buttons.ts";
import { renderIcon } from "../ui/icons.ts";
import { renderMarkdownText } from "../ui/text-view.ts";
import { renderCard } from "./card-view.ts";
import { renderEarlyReview, renderRunEnd } from "./end-view.ts";

/** The end of the stream, below the open step: the proposal, question, pause or end that needs the user. */
export function renderPendingDecision(panel: Panel, view: RunView): unknown {
  return html`${renderPause(panel, view)} ${renderRunEnd(panel, view)} ${renderEarlyReview(panel, view)} ${renderCard(panel, view)} ${renderQuestion(panel, view)}`;
}

/** The agent's question, which is answered in the composer. */
function renderQuestion(panel: Panel, { question }: RunView): TemplateResult | typeof nothing {
  if (question === undefined) return nothing;
  return html`<section class="card question" aria-label=${t("approval.question")}>
    <h2>${renderIcon("ask", "warn")}${t("approval.question")}</h2>
    ${renderMarkdownText(panel, question)}
  </section>`;
}

/** The problem that blocks the run until a person fixes it. */
function renderBlockedRun(panel: Panel, blockedReason: Sentence): TemplateResult {
  return html`<section class="card paused" aria-label=${t("approval.disk")}>
    <h2>${renderIcon("warning", "warn")}${t("approval.disk")}</h2>
    <p dir="auto">${write(blockedReason)}</p>
    <div class="row">${renderActionButton(panel, "stop")}</div>
  </section>`;
}

/** The reason of a pause, with buttons that help. */
function renderPause(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { state, facts, card, question, blockedReason } = view;
  if (blockedReason !== undefined) return renderBlockedRun(panel, blockedReason);
  if (state.end || facts.readOnly || card || question !== undefined || !canContinue(view)) return nothing;
  const trouble = state.paused !== undefined && state.paused !== PAUSED_BY_USER;
  const heading = trouble
    ? t("approval.pausedTrouble")
    : state.paused === undefined
      ? t("approval.interrupted")
      : t("approval.paused");
  const { machine } = facts;
  const interrupted = machine === undefined ? t("approval.interruptedText") : t("fleet.unfollowed", { machine });
  const text = state.paused === undefined ? interrupted : pauseReason(state.paused, state);
  const asked = state.paused === undefined ? findOpenQuestion(state) : undefined;
  const helps = listRemedies(trouble ? text : "", trouble ? ["continue", "selectModel", "setApiKey"] : ["continue"]);
  return html`<section class="card paused" aria-label=${heading}>
    <h2>${renderIcon(trouble ? "warning" : "pause", trouble ? "warn" : "")}${heading}</h2>
    <p dir="auto">${write(text)}</p>
    ${asked === undefined ? nothing : renderMarkdownText(panel, asked)}
    <div class="row">
      ${helps.map((help, index) => renderRemedyButton(panel, help, index === 0 ? { kind: "primary" } : {}))}
    </div>
  </section>`;
}
