import { live } from "lit/directives/live.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { CARD_INPUT_ID, changeCard, createEscapeHandler, sendEdited } from "./card-actions.ts";
import type { CardForm, WaitingCard } from "./waiting-card.ts";

/** The box in which a command line or other arguments are edited. Ctrl+Enter approves them. */
export function renderCardForm(
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
