import type { PanelRequest } from "../../schema/panel-messages.ts";
import type { Panel } from "../app/panel-state.ts";
import { type WaitingCard, withDraft } from "./waiting-card.ts";

/** The box on a card that is being written in. */
export const CARD_INPUT_ID = "card-input";

/** What stands below the feed, and gets the focus when what had it is gone. */
export const DOCK_ID = "dock";

/** Changes what the user has made of the card on show. */
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

/** Sends a decision; the card takes no other until it is answered. */
export function sendDecision(panel: Panel, message: PanelRequest): void {
  const card = panel.state.run?.card;
  if (!card || card.sent) return;
  changeCard(panel, { sent: true, form: { kind: "none" } });
  panel.send(message);
  // Off the button, which is disabled now and soon gone, and would take the focus with it.
  panel.focus(DOCK_ID);
}
