import type { Card } from "./panel-values.ts";

/** A button that decides on a proposal or shows more of it. */
export interface CardButtonRow {
  /** Where it is: in the pinned row, in the Approve menu, in the menu of other choices, or on the card itself. */
  readonly getPlace: (card: Card) => "row" | "approve" | "more" | "card";
  readonly isShown: (card: Card) => boolean;
  /** `seen`: enabled once the user has seen the whole proposal; `undecided`: until a decision was sent. */
  readonly needs: "seen" | "undecided" | "nothing";
  /** Input that the user enters first. */
  readonly form?: "reason" | "arguments" | "count";
  /** True if it sends a decision. The card then accepts no other until the response. */
  readonly decides: boolean;
  /** The equivalent palette action. `hasKey`: a key may trigger it by accident, so it's ignored until the card was visible. */
  readonly palette?: { readonly action: string; readonly title: string; readonly hasKey: boolean };
}

/** Every button of the card, in order. The panel's buttons, its requests, their handlers and the palette actions follow from these rows. */
const CARD_BUTTONS = {
  saveAndApprove: {
    getPlace: () => "row",
    isShown: ({ unsavedFiles }) => unsavedFiles !== undefined,
    needs: "seen",
    decides: true,
  },
  approve: {
    getPlace: ({ unsavedFiles }) => (unsavedFiles ? "approve" : "row"),
    isShown: () => true,
    needs: "seen",
    decides: true,
    palette: { action: "approve", title: "Approve Command", hasKey: true },
  },
  review: {
    getPlace: () => "card",
    isShown: (card) => card.preview !== "details",
    needs: "nothing",
    decides: false,
  },
  saveAndReviewAgain: {
    getPlace: () => "card",
    // A notebook that is open is changed in its editor even when it's saved.
    isShown: ({ unsaved, file = "" }) => unsaved === true && !/\.ipynb$/i.test(file),
    needs: "undecided",
    decides: true,
  },
  refuse: {
    getPlace: () => "row",
    isShown: () => true,
    needs: "undecided",
    form: "reason",
    decides: true,
    palette: { action: "refuse", title: "Reject Command…", hasKey: true },
  },
  approveNext: {
    getPlace: () => "approve",
    isShown: (card) => !card.sensitive && !card.remote,
    needs: "seen",
    form: "count",
    decides: true,
    palette: { action: "approveNext", title: "Approve Next N Commands…", hasKey: false },
  },
  alwaysAllow: {
    getPlace: () => "approve",
    isShown: (card) => card.teaches !== undefined && !card.sensitive && !card.remote,
    needs: "seen",
    decides: true,
  },
  editArguments: {
    getPlace: () => "more",
    isShown: (card) => card.args !== undefined && !card.remote,
    needs: "undecided",
    form: "arguments",
    decides: true,
  },
  criticise: {
    getPlace: () => "more",
    isShown: (card) => !card.remote,
    needs: "undecided",
    decides: true,
    palette: { action: "selfFeedback", title: "Ask the Agent to Review Itself", hasKey: false },
  },
  openWhole: {
    getPlace: () => "more",
    isShown: () => true,
    needs: "nothing",
    decides: false,
  },
} as const satisfies Readonly<Record<string, CardButtonRow>>;

export type CardButton = keyof typeof CARD_BUTTONS;

type Row = (typeof CARD_BUTTONS)[CardButton];

/** Palette actions of the card's buttons. */
export type CardAction = Extract<Row, { readonly palette: object }>["palette"]["action"];

/** The names of the buttons, in order. */
export const CARD_BUTTON_NAMES: readonly CardButton[] = Object.keys(CARD_BUTTONS).filter((name): name is CardButton =>
  Object.hasOwn(CARD_BUTTONS, name),
);

/** A button's row. */
export function getCardButtonRow(name: CardButton): CardButtonRow {
  return CARD_BUTTONS[name];
}

/** The buttons of a card at a place. */
export function listCardButtons(card: Card, place: ReturnType<CardButtonRow["getPlace"]>): readonly CardButton[] {
  return CARD_BUTTON_NAMES.filter((name) => {
    const row = getCardButtonRow(name);
    return row.getPlace(card) === place && row.isShown(card);
  });
}
