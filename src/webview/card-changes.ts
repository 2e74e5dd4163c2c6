import type { FromPanel } from "../protocol.ts";
import { inRun, type Panel } from "./panel-state.ts";
import type { WaitingCard } from "./waiting-card.ts";

/** The box on a card that is being written in. */
export const CARD_INPUT_ID = "card-input";

/** Changes what the user has made of the card on show. */
export function changeCard(panel: Panel, news: Partial<WaitingCard>): void {
  panel.update(inRun((view) => (view.card ? { ...view, card: { ...view.card, ...news } } : view)));
}

/** Sends a decision; the card takes no other until it is answered. */
export function decided(panel: Panel, message: FromPanel): void {
  const card = panel.state.run?.card;
  if (!card || card.sent) return;
  changeCard(panel, { sent: true, form: { kind: "none" } });
  panel.send(message);
}
