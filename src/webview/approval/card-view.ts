import { keyed } from "lit/directives/keyed.js";
import { live } from "lit/directives/live.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { isNotebook } from "../../core/ports/notebooks.ts";
import { getCardButtonRow, listCardButtons } from "../../schema/card-buttons.ts";
import { splitTextParts, t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import type { RunView } from "../run/run-view.ts";
import { renderButton } from "../ui/buttons.ts";
import { renderFigures } from "../ui/figures-view.ts";
import { describeRuleOrigin, foldView, isFoldOpen } from "../ui/fold-view.ts";
import { renderIcon } from "../ui/icons.ts";
import {
  CARD_HEADING_ID,
  CARD_INPUT_ID,
  changeCard,
  createEscapeHandler,
  explainFold,
  sendCardButton,
  sendEdited,
} from "./card-actions.ts";
import { getCardButtonFace } from "./card-button-face.ts";
import { renderCardQuestion } from "./card-question.ts";
import { renderCardText } from "./card-text-view.ts";
import { type CardForm, formatCardKey, type WaitingCard } from "./waiting-card.ts";

/** The waiting proposal in the stream: its question, everything it would do, and the reason for asking. */
export function renderCard(panel: Panel, view: RunView): unknown {
  const waiting = view.card;
  if (!waiting) return nothing;
  // A new element for each proposal, so that nothing of the last one, such as its scroll position, stays.
  return keyed(formatCardKey(waiting.card), renderProposal(panel, view, waiting));
}

function renderProposal(panel: Panel, view: RunView, waiting: WaitingCard): TemplateResult {
  const { card } = waiting;
  return html`<section
    class="card proposal ${card.sensitive ? "sensitive" : ""}"
    data-card=${formatCardKey(card)}
    data-step=${card.step}
    aria-labelledby=${CARD_HEADING_ID}
  >
    <h2 id=${CARD_HEADING_ID} tabindex="-1" title=${t("approval.commandName", { command: card.command, step: card.step })}>
      ${card.sensitive ? html`${renderIcon("shield", "warn")}<span class="tag">${t("approval.sensitive")}</span>` : nothing}
      <span class="question-text" dir="auto">${renderCardQuestion(card, (value) => renderSubject(panel, card, value))}</span>
      ${card.figures?.edited ? html`<span class="tag edited">${t("approval.edited")}</span>` : nothing}
      ${card.figures ? renderFigures(card.figures) : nothing}
      <span class="hidden step-word">${t("approval.stepWord", { step: card.step })}</span>
    </h2>
    ${waiting.form.kind === "editing" ? renderCardForm(panel, waiting, waiting.form) : renderCardText(panel, waiting)}
    ${renderToolDetails(panel, view, card)} ${renderHunks(waiting)} ${renderReason(panel, view, waiting)} ${renderUnsavedEdits(waiting)} ${renderCardButtons(panel, waiting)}
  </section>`;
}

/** The subject of the question: a file with its diff or text, or another named object. */
function renderSubject(panel: Panel, { file }: WaitingCard["card"], value: string): TemplateResult {
  if (value !== file) return html`<code>${value}</code>`;
  const open = (): void => panel.send({ type: "openFile", label: value });
  return html`<button type="button" class="file" title=${t("actions.openFile", { file: value })} @click=${open}>${value}</button>`;
}

/** The program and the files of a foreign tool, which the user has agreed to before. */
function renderToolDetails(panel: Panel, view: RunView, { tool, step }: WaitingCard["card"]): unknown {
  if (!tool) return nothing;
  const fold = { name: `tool-${step}`, summary: t("approval.toolDetails"), look: "explain" };
  return foldView(panel, view, fold, () => html`<pre class="verbatim" dir="auto">${tool.about}</pre>`);
}

/** The user's own edits of the change. */
function renderHunks({ card: { figures } }: WaitingCard): TemplateResult | typeof nothing {
  if (!figures?.edited) return nothing;
  const { hunks, dropped } = figures;
  if (hunks === 0) return html`<p class="card-edited">${t("approval.noChangesLeft")}</p>`;
  return dropped > 0 ? html`<p class="card-edited">${t("approval.editedDropped", { count: dropped })}</p>` : nothing;
}

/** Edits that aren't saved: of the file to change, or of files that a program would read. */
function renderUnsavedEdits({
  card: { file = "", unsaved, unsavedFiles },
}: WaitingCard): TemplateResult | typeof nothing {
  const why = isNotebook(file) ? t("approval.openNotebook") : t("approval.unsavedFile");
  if (unsaved) return html`<p class="card-unsaved">${renderIcon("edit", "warn")}${why}</p>`;
  if (!unsavedFiles) return nothing;
  return html`<div class="card-unsaved">
    <p>${renderIcon("edit", "warn")}${t("approval.unsavedFiles")}</p>
    <ul>${unsavedFiles.map((file) => html`<li dir="auto">${file}</li>`)}</ul>
  </div>`;
}

/** The reason for asking, and the untrusted text that may have led to the proposal. */
function renderReason(panel: Panel, view: RunView, { card }: WaitingCard): TemplateResult | typeof nothing {
  const { rule, reason, influence, sensitive, marks } = card;
  const isExplained = rule !== "" && isFoldOpen(view, explainFold(card));
  if (reason === "" && !influence && !isExplained) return nothing;
  const warns = sensitive || marks !== undefined || rule === "unreadable-line";
  return html`<div class="card-why">
    ${reason === "" ? nothing : html`<p class=${warns ? "warns" : nothing} dir="auto">${warns ? renderIcon("warning", "warn") : nothing}${reason}</p>`}
    ${
      isExplained
        ? html`<p class="explanation" dir="auto">${splitTextParts("approval.rule", { rule: html`<code>${rule}</code>` })} ${describeRuleOrigin(rule)}</p>`
        : nothing
    }
    ${influence ? renderInfluence(panel, view, card, influence) : nothing}
  </div>`;
}

/** The newest untrusted source that affects the decision, with the full names of all behind "Show". */
function renderInfluence(
  panel: Panel,
  view: RunView,
  { step, sources }: WaitingCard["card"],
  influence: string,
): TemplateResult {
  const fold = { name: `sources-${step}`, summary: t("approval.influenceButton"), look: "explain" };
  return html`<div class="sources">
    ${renderIcon("warning", "warn")}<span dir="auto">${influence}</span>
    ${foldView(panel, view, fold, () => html`<ul>${sources.map((name) => html`<li dir="auto">${name}</li>`)}</ul>`)}
  </div>`;
}

/** The buttons on the card itself: to see the change, or to save its file first. */
function renderCardButtons(panel: Panel, waiting: WaitingCard): TemplateResult | typeof nothing {
  const names = listCardButtons(waiting.card, "card");
  if (names.length === 0) return nothing;
  return html`<div class="row tight">
    ${names.map((name) => {
      const { label, title } = getCardButtonFace(name, waiting);
      const { needs } = getCardButtonRow(name);
      return renderButton(label, () => sendCardButton(panel, name, {}), {
        kind: waiting.seen ? "quiet" : "secondary",
        title,
        disabled: needs === "undecided" && waiting.sent,
      });
    })}
  </div>`;
}

/** The box in which a command line or other arguments are edited. Ctrl+Enter approves them. */
function renderCardForm(
  panel: Panel,
  waiting: WaitingCard,
  form: Extract<CardForm, { readonly kind: "editing" }>,
): TemplateResult {
  const { text, argument, problem } = form;
  const handleInput = ({ target }: Event): void => {
    if (!(target instanceof HTMLTextAreaElement)) return;
    const { problem: _problem, ...rest } = form;
    changeCard(panel, { form: { ...rest, text: target.value } });
  };
  const handleKey = (event: KeyboardEvent): void => {
    createEscapeHandler(panel)(event);
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
    event.preventDefault();
    sendEdited(panel, waiting, form);
  };
  const isPlain = argument !== undefined;
  return html`<div class="card-form" @keydown=${handleKey}>
    <label for=${CARD_INPUT_ID}>${isPlain ? t("approval.commandLabel") : t("approval.argumentsLabel")}</label>
    <textarea
      id=${CARD_INPUT_ID}
      class="code"
      rows=${isPlain ? 3 : 6}
      spellcheck="false"
      aria-invalid=${problem ? "true" : nothing}
      aria-describedby=${problem ? "card-problem" : nothing}
      .value=${live(text)}
      @input=${handleInput}
    ></textarea>
    ${problem ? html`<p class="problem" id="card-problem" role="alert">${problem}</p>` : nothing}
  </div>`;
}
