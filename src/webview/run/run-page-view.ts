import { html, nothing, type TemplateResult } from "lit/html.js";
import { PAUSED_BY_USER } from "../../core/base/async.ts";
import { counted } from "../../core/base/text.ts";
import type { ReadPage } from "../../schema/run-values.ts";
import { inRun, type Panel } from "../app/panel-state.ts";
import { DOCK_ID } from "../approval/card-actions.ts";
import { cardView } from "../approval/card-view.ts";
import { actionButton, button, fileButton, noticeView, remediesFor, remedyButton } from "../ui/buttons.ts";
import { EMPTY_COMPOSER } from "../ui/composer.ts";
import { composerView } from "../ui/composer-view.ts";
import { foldView } from "../ui/fold-view.ts";
import { icon } from "../ui/icons.ts";
import { addressView, textView } from "../ui/text-view.ts";
import { feedView } from "./feed-view.ts";
import { canContinue, endText } from "./run-activity.ts";
import { runHeaderView, walkView } from "./run-header-view.ts";
import type { RunView } from "./run-view.ts";
import { sideView } from "./side-view.ts";

/** The page of a run: header at the top, steps in the middle, and the user's part at the bottom. */
export function runPageView(panel: Panel, view: RunView): TemplateResult {
  return html`<div class="run">
    ${runHeaderView(panel, view)}
    ${sideView(panel, view)}
    ${feedView(panel, view)}
    <section class="dock" id=${DOCK_ID} tabindex="-1" aria-label="Your turn">
      <div class="asks">
        ${walkView(panel, view)} ${pausedView(panel, view)} ${endView(panel, view)} ${cardView(panel, view)}
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

/** The problem that blocks the run until a person fixes it. */
function hinderedView(panel: Panel, blockedReason: string): TemplateResult {
  return html`<section class="card paused" aria-label="Waiting for its disk">
    <h2>${icon("warning", "warn")}Waiting for its disk</h2>
    <p dir="auto">${blockedReason}</p>
    <div class="row">${actionButton(panel, "stop")}</div>
  </section>`;
}

/** The reason of a pause, with buttons that help. */
function pausedView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { state, facts, card, question, blockedReason } = view;
  if (blockedReason !== undefined) return hinderedView(panel, blockedReason);
  if (state.end || facts.readOnly || card || question !== undefined || !canContinue(view)) return nothing;
  const trouble = state.paused !== undefined && state.paused !== PAUSED_BY_USER;
  const heading = trouble ? "Paused: action required" : state.paused === undefined ? "Interrupted" : "Paused";
  const text =
    state.paused ??
    "VS Code was closed or reloaded while the agent was working. Continue to pick up where it stopped.";
  const helps = remediesFor(
    trouble ? text : "",
    trouble ? ["continue", "selectModel", "setApiKey"] : ["continue"],
  );
  return html`<section class="card paused" aria-label=${heading}>
    <h2>${icon(trouble ? "warning" : "pause", trouble ? "warn" : "")}${heading}</h2>
    <p dir="auto">${text}</p>
    <div class="row">
      ${helps.map((help, index) => remedyButton(panel, help, index === 0 ? { kind: "primary" } : {}))}
    </div>
  </section>`;
}

/** The end of the run, with the possible next actions. */
function endView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { state, facts } = view;
  if (!state.end) return nothing;
  const { heading, text, actions } = endText(state);
  const told = facts.readOnly && state.end.reason === "stopped" ? "" : text;
  const finished = state.end.reason === "finished";
  const useful = facts.readOnly ? actions.filter((action) => action === "newRun") : actions;
  const helps = remediesFor(state.end.reason === "failed" && !facts.readOnly ? text : "", useful);
  return html`<section class="card end" aria-label="The end">
    <h2>${icon(finished ? "flag" : "warning", finished ? "good" : "warn")}${heading}</h2>
    ${told === "" ? nothing : html`<div class="scrolls" tabindex="0" role="group" aria-label=${heading}>${textView(panel, told)}</div>`}
    ${state.end.reason === "finished" ? pagesView(panel, view, state.end.pages ?? []) : nothing}
    ${changesView(panel, view)}
    <div class="row">
      ${helps.map((help, index) => remedyButton(panel, help, index === 0 ? { kind: "primary" } : {}))}
    </div>
  </section>`;
}

/** The pages that the answer may rest on, with the passages that were found on them word for word. */
function pagesView(panel: Panel, view: RunView, pages: readonly ReadPage[]): TemplateResult | typeof nothing {
  if (pages.length === 0) return nothing;
  const summary = html`<h3>Sources</h3><span class="count">${counted(pages.length, "page")}</span>`;
  const fold = { name: "sources", summary, openAtFirst: pages.length <= MAX_PAGES_OPEN, look: "read-pages" };
  return foldView(
    panel,
    view,
    fold,
    () => html`<div class="prose scrolls" tabindex="0" role="group" aria-label="Sources"><ul>
      ${pages.map(
        ({ url, title, quotes }) => html`<li dir="auto">
          <p>${addressView(panel, url, title)}</p>
          ${quotes.map((quote) => html`<blockquote>${quote}</blockquote>`)}
        </li>`,
      )}
    </ul></div>`,
  );
}

/** More pages are folded at first. */
const MAX_PAGES_OPEN = 3;

/** The files that the run has changed. All changes are kept unless the user decides otherwise. */
function changesView(panel: Panel, { changes, facts }: RunView): TemplateResult | typeof nothing {
  if (facts.readOnly || !changes || changes.count === 0) return nothing;
  const { files, count } = changes;
  const keep = (): void => panel.update(inRun(withoutChanges));
  return html`<div class="changes">
    <p>${counted(count, files.every(isFolder) ? "folder" : "file")} changed:</p>
    <ul role="list">
      ${files
        .slice(0, MAX_FILES_SHOWN)
        .map((file) => (isFolder(file) ? html`<li>${file}</li>` : html`<li>${fileButton(panel, file)}</li>`))}
    </ul>
    ${count > MAX_FILES_SHOWN ? html`<p class="hint">and ${count - Math.min(MAX_FILES_SHOWN, files.length)} more</p>` : nothing}
    <div class="row">
      ${actionButton(panel, "reviewChanges")} ${button("Keep", keep, { icon: "accept" })}
      ${actionButton(panel, "commitChanges")} ${actionButton(panel, "undoRun")}
    </div>
  </div>`;
}

function isFolder(label: string): boolean {
  return label.endsWith("/");
}

/** Number of names shown; the review has them all. */
const MAX_FILES_SHOWN = 8;

function withoutChanges(view: RunView): RunView {
  const { changes: _changes, ...rest } = view;
  return rest;
}
