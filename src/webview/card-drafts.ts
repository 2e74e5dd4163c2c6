import type { CardForm, WaitingCard } from "./waiting-card.ts";

/** Unsent text on a card, kept by run and step while the card is out of sight. */
export interface CardDraft {
  readonly run: string;
  readonly step: number;
  readonly form: Exclude<CardForm, { readonly kind: "none" }>;
}

const MOST_KEPT = 20;

/** The drafts after a card's form has changed; a form that was closed or sent leaves none. */
export function withDraft(
  drafts: readonly CardDraft[],
  run: string,
  step: number,
  form: CardForm,
): readonly CardDraft[] {
  const others = drafts.filter((draft) => draft.run !== run || draft.step !== step);
  return form.kind === "none" ? others : [...others, { run, step, form }].slice(-MOST_KEPT);
}

/** The card with what was written on it before; one that is being written on, or was decided, stays as it is. */
export function withDraftOf(drafts: readonly CardDraft[], run: string, card: WaitingCard): WaitingCard {
  const draft = drafts.find((one) => one.run === run && one.step === card.card.step);
  return draft && card.form.kind === "none" && !card.sent ? { ...card, form: draft.form } : card;
}
