import { type CardButton, getCardButtonRow } from "../../schema/card-buttons.ts";
import type { PanelRequest } from "../../schema/panel-messages.ts";
import { write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import {
  type CardForm,
  createEditingForm,
  readEditedArguments,
  updateCardDrafts,
  type WaitingCard,
} from "./waiting-card.ts";

/** Id of the text box on a card. */
export const CARD_INPUT_ID = "card-input";

/** Id of the question on a card. */
export const CARD_HEADING_ID = "card-heading";

/** Id of the number of commands to approve. */
export const CARD_COUNT_ID = "card-count";

/** Id of the part below the feed, which gets the focus when the focused element is gone. */
export const DOCK_ID = "dock";

/** Changes the user's state of the displayed card. */
export function changeCard(panel: Panel, news: Partial<WaitingCard>): void {
  panel.update((state) => {
    const { run, cardDrafts } = state;
    if (!run?.card) return state;
    const card = { ...run.card, ...news };
    return {
      ...state,
      run: { ...run, card },
      cardDrafts: news.form ? updateCardDrafts(cardDrafts, run.state.id, card.card.step, card.form) : cardDrafts,
    };
  });
}

/** Input that the user entered before pressing a button. */
type CardInput = Pick<Extract<PanelRequest, { readonly type: "cardButton" }>, "count" | "feedback" | "args">;

/** Sends a button of the card. After a decision, the card accepts no other until the response. */
export function sendCardButton(panel: Panel, name: CardButton, input: CardInput): void {
  const waiting = panel.state.run?.card;
  if (!waiting) return;
  const { step, hash } = waiting.card;
  const message: PanelRequest = { type: "cardButton", button: name, step, hash, ...input };
  if (!getCardButtonRow(name).decides) {
    panel.send(message);
    return;
  }
  if (waiting.sent) return;
  changeCard(panel, { sent: true, form: { kind: "none" } });
  panel.send(message);
  // Off the button, which is disabled now and soon gone, and would take the focus with it.
  panel.focus(DOCK_ID);
}

/** The name of the fold that explains which rule asks. */
export function explainFold({ step }: WaitingCard["card"]): string {
  return `asked-${step}`;
}

/** Closes the form without a decision. */
export function closeForm(panel: Panel): void {
  changeCard(panel, { form: { kind: "none" } });
  panel.focus(CARD_HEADING_ID);
}

export function createEscapeHandler(panel: Panel): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    closeForm(panel);
  };
}

/** Opens the box for editing the command line or other arguments, with the caret at the beginning. */
export function editArguments(panel: Panel, waiting: WaitingCard): void {
  changeCard(panel, { form: createEditingForm(waiting), argumentsSeen: false });
  panel.focus(CARD_INPUT_ID);
  const box = document.getElementById(CARD_INPUT_ID);
  // The caret is at the end of the text, and the box would scroll there.
  if (box instanceof HTMLTextAreaElement) box.setSelectionRange(0, 0);
  box?.scrollTo(0, 0);
}

/** Approves the edited arguments, once the user has seen all of them and they are valid. */
export function sendEdited(
  panel: Panel,
  { card, argumentsSeen }: WaitingCard,
  form: Extract<CardForm, { readonly kind: "editing" }>,
): void {
  if (!argumentsSeen) return;
  const read = readEditedArguments(form, card);
  if (read.kind === "arguments") {
    sendCardButton(panel, "editArguments", { args: read.args });
    return;
  }
  changeCard(panel, { form: { ...form, problem: write(read.problem) } });
  panel.focus(CARD_INPUT_ID);
}
