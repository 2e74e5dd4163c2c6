import { live } from "lit/directives/live.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Panel } from "../app/panel-state.ts";
import { button } from "../ui/buttons.ts";
import { CARD_INPUT_ID, changeCard, sendCardButton } from "./card-actions.ts";
import { type CardForm, readEditedArguments, type WaitingCard } from "./waiting-card.ts";

/** The form on a card: a reason to reject it, or other arguments. */
export function cardFormView(panel: Panel, waiting: WaitingCard): TemplateResult | typeof nothing {
  switch (waiting.form.kind) {
    case "refusing":
      return refusalView(panel, waiting.form);
    case "editing":
      return argumentsView(panel, waiting, waiting.form);
    case "none":
      return nothing;
  }
}

function close(panel: Panel): void {
  changeCard(panel, { form: { kind: "none" } });
  panel.focus("card-heading");
}

function onEscape(panel: Panel): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close(panel);
  };
}

function refusalView(
  panel: Panel,
  { reason }: Extract<CardForm, { readonly kind: "refusing" }>,
): TemplateResult {
  const refuse = (event: Event): void => {
    event.preventDefault();
    sendCardButton(panel, "refuse", { feedback: reason.trim() });
  };
  const typed = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement)
      changeCard(panel, { form: { kind: "refusing", reason: target.value } });
  };
  return html`<form class="card-form" @submit=${refuse} @keydown=${onEscape(panel)}>
    <label for=${CARD_INPUT_ID}>Tell the agent why (optional)</label>
    <input id=${CARD_INPUT_ID} type="text" dir="auto" autocomplete="off" .value=${live(reason)} @input=${typed} />
    <div class="row">
      ${button("Reject", undefined, { kind: "primary", icon: "close", submits: true })}
      ${button("Cancel", () => close(panel), { kind: "quiet" })}
    </div>
  </form>`;
}

function argumentsView(
  panel: Panel,
  { argumentsSeen }: WaitingCard,
  form: Extract<CardForm, { readonly kind: "editing" }>,
): TemplateResult {
  const { text, problem } = form;
  const run = (event: Event): void => {
    event.preventDefault();
    if (!argumentsSeen) return;
    const read = readEditedArguments(text);
    if (read.kind === "arguments") {
      sendCardButton(panel, "editArguments", { args: read.args });
      return;
    }
    changeCard(panel, { form: { ...form, problem: read.problem } });
    panel.focus(CARD_INPUT_ID);
  };
  const typed = ({ target }: Event): void => {
    if (target instanceof HTMLTextAreaElement)
      changeCard(panel, { form: { kind: "editing", text: target.value } });
  };
  return html`<form class="card-form" @submit=${run} @keydown=${onEscape(panel)}>
    <label for=${CARD_INPUT_ID}>Arguments, as one JSON object</label>
    <textarea
      id=${CARD_INPUT_ID}
      class="code"
      rows="6"
      spellcheck="false"
      aria-invalid=${problem ? "true" : nothing}
      aria-describedby=${problem ? "card-problem" : nothing}
      .value=${live(text)}
      @input=${typed}
    ></textarea>
    ${problem ? html`<p class="problem" id="card-problem" role="alert">${problem}</p>` : nothing}
    <div class="row">
      ${button("Approve Edited Arguments", undefined, {
        kind: "primary",
        icon: "accept",
        submits: true,
        disabled: !argumentsSeen,
        ...(argumentsSeen ? {} : { title: "Scroll to the end of the arguments to approve them." }),
      })}
      ${button("Cancel", () => close(panel), { kind: "quiet" })}
    </div>
  </form>`;
}
