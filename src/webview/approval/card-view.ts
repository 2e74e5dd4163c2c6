import { keyed } from "lit/directives/keyed.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { counted } from "../../core/base/text.ts";
import { isNotebook } from "../../core/ports/notebooks.ts";
import type { Panel } from "../app/panel-state.ts";
import type { RunView } from "../run/run-view.ts";
import { button } from "../ui/buttons.ts";
import { explainView, foldView } from "../ui/fold-view.ts";
import { icon } from "../ui/icons.ts";
import { cardButtonsView } from "./card-buttons-view.ts";
import { cardFormView } from "./card-form-view.ts";
import { cardTextView, hintView } from "./card-text-view.ts";
import { cardKey, type WaitingCard } from "./waiting-card.ts";

/** The waiting proposal: everything it would do, the reason for asking, and the buttons. */
export function cardView(panel: Panel, view: RunView): unknown {
  const waiting = view.card;
  if (!waiting) return nothing;
  // A new element for each proposal, so that a key that is held down can't decide on the next one.
  return keyed(cardKey(waiting.card), proposalView(panel, view, waiting));
}

function proposalView(panel: Panel, view: RunView, waiting: WaitingCard): TemplateResult {
  const { card } = waiting;
  return html`<section class="card proposal ${card.sensitive ? "sensitive" : ""}" data-card=${cardKey(card)} aria-labelledby="card-heading">
    <div class="card-head">
    <h2 id="card-heading">
      ${icon(card.sensitive ? "shield" : "ask", "warn")}
      <span>${card.sensitive ? "Sensitive: allow" : "Allow"} <code>${card.command}</code>?</span>
      <span class="step-word">step ${card.step}</span>
    </h2>
    ${whyView(panel, view, waiting)}
    </div>
    ${card.file === undefined ? nothing : fileView(panel, card.file)}
    ${waiting.form.kind === "editing" ? nothing : cardTextView(panel, waiting)}
    ${unsavedView(waiting)}
    <div class="decide">${waiting.form.kind === "none" ? hintView(waiting) : nothing} ${cardFormView(panel, waiting)} ${cardButtonsView(panel, view, waiting)}</div>
  </section>`;
}

function fileView(panel: Panel, file: string): TemplateResult {
  const open = (): void => panel.send({ type: "openFile", label: file });
  return html`<p class="card-file">${button(file, open, { kind: "quiet", icon: "file", title: `Open ${file}` })}</p>`;
}

/** Edits that aren't saved: of the file to change, or of files that a program would read. */
function unsavedView({
  card: { file = "", unsaved, unsavedFiles },
}: WaitingCard): TemplateResult | typeof nothing {
  const why = isNotebook(file) ? "This notebook is open." : "This file has unsaved edits.";
  if (unsaved)
    return html`<p class="card-unsaved">${icon("edit", "warn")}${why} It will be changed in the editor, not on disk.</p>`;
  if (!unsavedFiles) return nothing;
  return html`<div class="card-unsaved">
    <p>${icon("edit", "warn")}Not saved, so the command won't see these edits:</p>
    <ul>${unsavedFiles.map((file) => html`<li dir="auto">${file}</li>`)}</ul>
  </div>`;
}

/** The reason for asking, and the untrusted text that may have led to the proposal. */
function whyView(panel: Panel, view: RunView, { card }: WaitingCard): TemplateResult | typeof nothing {
  const { rule, reason, sources } = card;
  if (reason === "" && sources.length === 0) return nothing;
  return html`<div class="card-why">
    ${reason === "" ? nothing : html`<span dir="auto">${reason}</span>`}
    ${rule === "" ? nothing : explainView(panel, view, { name: `asked-${card.step}`, rule })}
    ${sources.length === 0 ? nothing : influenceView(panel, view, card)}
  </div>`;
}

/** The untrusted sources that affect the decision, with their full names behind "Show". */
function influenceView(panel: Panel, view: RunView, { step, sources }: WaitingCard["card"]): TemplateResult {
  const fold = { name: `sources-${step}`, summary: "Show", look: "explain" };
  return html`<div class="sources">
    ${icon("warning", "warn")}<span>Influenced by ${counted(sources.length, "untrusted source")}</span>
    ${foldView(panel, view, fold, () => html`<ul>${sources.map((name) => html`<li dir="auto">${name}</li>`)}</ul>`)}
  </div>`;
}
