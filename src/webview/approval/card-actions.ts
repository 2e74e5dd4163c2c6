import { type CardButton, cardButtonRow } from "../../schema/card-buttons.ts";
import type { PanelRequest } from "../../schema/panel-messages.ts";
import type { Panel } from "../app/panel-state.ts";
import { type WaitingCard, withDraft } from "./waiting-card.ts";

/** Id of the text box on a card. */
export const CARD_INPUT_ID = "card-input";

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
      cardDrafts: news.form ? withDraft(cardDrafts, run.state.id, card.card.step, card.form) : cardDrafts,
    };
  });
}

/** Input that the user entered before pressing a button. */
type CardInput = Pick<Extract<PanelRequest, { readonly type: "cardButton" }>, "count" | "feedback" | "args">;

/** Sends a button of the card. After a decision the card takes no other one until that is answered. */
export function sendCardButton(panel: Panel, name: CardButton, input: CardInput): void {
  const waiting = panel.state.run?.card;
  if (!waiting) return;
  const { step, hash } = waiting.card;
  const message: PanelRequest = { type: "cardButton", button: name, step, hash, ...input };
  if (!cardButtonRow(name).decides) {
    panel.send(message);
    return;
  }
  if (waiting.sent) return;
  changeCard(panel, { sent: true, form: { kind: "none" } });
  panel.send(message);
  // Off the button, which is disabled now and soon gone, and would take the focus with it.
  panel.focus(DOCK_ID);
}
