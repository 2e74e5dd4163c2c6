import { keyed } from "lit/directives/keyed.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { button } from "./buttons.ts";
import { cardButtonsView } from "./card-buttons-view.ts";
import { cardFormView } from "./card-form-view.ts";
import { explainView } from "./explain-view.ts";
import { foldView } from "./fold-view.ts";
import { counted } from "./format.ts";
import { icon } from "./icons.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";
import type { WaitingCard } from "./waiting-card.ts";

/** The proposal that waits: everything it would do, why it is asked, and the ways to decide. */
export function cardView(panel: Panel, view: RunView): unknown {
  const waiting = view.card;
  if (!waiting) return nothing;
  // A new element for each proposal: a key that is held down cannot decide on the next one.
  return keyed(`${waiting.card.step}-${waiting.card.hash}`, proposalView(panel, view, waiting));
}

function proposalView(panel: Panel, view: RunView, waiting: WaitingCard): TemplateResult {
  const { card } = waiting;
  return html`<section class="card proposal ${card.sensitive ? "sensitive" : ""}" aria-labelledby="card-heading">
    <h2 id="card-heading">
      ${icon(card.sensitive ? "shield" : "ask", "warn")}
      <span>${card.sensitive ? "Sensitive: allow" : "Allow"} <code>${card.command}</code>?</span>
      <span class="step-word">step ${card.step}</span>
    </h2>
    <div class="card-body">
      ${card.file === undefined ? nothing : fileView(panel, card.file)}
      ${textView(waiting)}
      ${whyView(panel, view, waiting)}
      ${card.unsaved ? html`<p class="problem-text">This file has changes that are not saved. Save it, then review the proposal anew.</p>` : nothing}
    </div>
    <div class="decide">${cardFormView(panel, waiting)} ${cardButtonsView(panel, waiting)}</div>
  </section>`;
}

function fileView(panel: Panel, file: string): TemplateResult {
  const open = (): void => panel.send({ type: "openFile", label: file });
  return html`<p class="card-file">${button(file, open, { kind: "quiet", icon: "file", title: `Open ${file}` })}</p>`;
}

function textView({ card, text, complete }: WaitingCard): TemplateResult | typeof nothing {
  if (text === "") return nothing;
  if (card.preview === "change" && complete) return html`<p dir="auto">${text}</p>`;
  return html`<pre class="verbatim whole" tabindex="0" role="group" aria-label="What ${card.command} would do" dir="auto">${text}</pre>
    ${complete ? nothing : html`<p class="hint">${icon("working")}The rest of it is still coming…</p>`}`;
}

/** Why it is asked, and what may have talked the agent into it. */
function whyView(panel: Panel, view: RunView, { card }: WaitingCard): TemplateResult | typeof nothing {
  const { rule, reason, sources } = card;
  if (reason === "" && sources.length === 0) return nothing;
  return html`<div class="card-why">
    ${reason === "" ? nothing : html`<span dir="auto">${reason}</span>`}
    ${rule === "" ? nothing : explainView(panel, view, { name: `asked-${card.step}`, rule })}
    ${sources.length === 0 ? nothing : influenceView(panel, view, card)}
  </div>`;
}

/** The untrusted text that changes the decision, each source by its whole name behind the word Show. */
function influenceView(panel: Panel, view: RunView, { step, sources }: WaitingCard["card"]): TemplateResult {
  const fold = { name: `sources-${step}`, summary: "Show", look: "explain" };
  return html`<div class="sources">
    ${icon("warning", "warn")}<span>Influenced by ${counted(sources.length, "untrusted source")}</span>
    ${foldView(panel, view, fold, () => html`<ul>${sources.map((name) => html`<li dir="auto">${name}</li>`)}</ul>`)}
  </div>`;
}
