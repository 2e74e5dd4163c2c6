import type { Card } from "./panel-values.ts";

/** A button on the card that shows a proposal. */
export interface CardButtonRow {
  readonly label: (card: Card) => string;
  readonly icon?: "accept" | "close" | "edit" | "mirror" | "shield";
  readonly look: "primary" | "secondary" | "quiet";
  /** Where it is: in the first row, among the other ways to decide, or beside a text that is cut. */
  readonly place: "main" | "more" | "text";
  readonly isShown: (card: Card) => boolean;
  /** `seen`: only once all of the proposal was seen; `undecided`: until a decision was sent. */
  readonly needs: "seen" | "undecided" | "nothing";
  /** Input that the user enters first. */
  readonly form?: "reason" | "arguments" | "count";
  /** It sends a decision, so the card takes no other one until that is answered. */
  readonly decides: boolean;
  readonly tooltip?: string;
  /** The palette action that does the same. `hasKey`: a key may press it by accident, so it waits until the card was on show. */
  readonly palette?: { readonly action: string; readonly title: string; readonly hasKey: boolean };
}

/** Every button of the card, in order. The panel's buttons, its requests, their handlers and the palette actions follow from these rows. */
const CARD_BUTTONS = {
  saveAndApprove: {
    label: () => "Save and Approve",
    icon: "accept",
    look: "primary",
    place: "main",
    isShown: ({ unsavedFiles }) => unsavedFiles !== undefined,
    needs: "seen",
    decides: true,
    tooltip: "Save these files as they are, without formatting, then run it",
  },
  approve: {
    label: ({ unsavedFiles }) => (unsavedFiles ? "Approve Without Saving" : "Approve"),
    icon: "accept",
    look: "primary",
    place: "main",
    isShown: () => true,
    needs: "seen",
    decides: true,
    palette: { action: "approve", title: "Approve Command", hasKey: true },
  },
  review: {
    label: () => "Review",
    icon: "edit",
    look: "secondary",
    place: "main",
    isShown: (card) => card.preview !== "details",
    needs: "nothing",
    decides: false,
    tooltip: "Open the diff to read and edit it",
  },
  saveAndReviewAgain: {
    label: () => "Save First",
    look: "secondary",
    place: "main",
    // A notebook that is open is changed in its editor even when it's saved.
    isShown: ({ unsaved, file = "" }) => unsaved === true && !/\.ipynb$/i.test(file),
    needs: "undecided",
    decides: true,
    tooltip: "Save the file, then review the change of the saved file",
  },
  refuse: {
    label: () => "Reject…",
    icon: "close",
    look: "secondary",
    place: "main",
    isShown: () => true,
    needs: "undecided",
    form: "reason",
    decides: true,
    palette: { action: "refuse", title: "Reject Command…", hasKey: true },
  },
  approveNext: {
    label: () => "Approve Next",
    look: "quiet",
    place: "more",
    isShown: (card) => !card.sensitive,
    needs: "seen",
    form: "count",
    decides: true,
    tooltip:
      "Approve this command and the ones after it. A rejection, a question or a sensitive command ends that.",
    palette: { action: "approveNext", title: "Approve Next N Commands…", hasKey: false },
  },
  editArguments: {
    label: () => "Edit Arguments…",
    icon: "edit",
    look: "quiet",
    place: "more",
    isShown: (card) => card.args !== undefined,
    needs: "undecided",
    form: "arguments",
    decides: true,
  },
  criticise: {
    label: () => "Self-review",
    icon: "mirror",
    look: "quiet",
    place: "more",
    isShown: () => true,
    needs: "undecided",
    decides: true,
    tooltip: "Ask the agent to review its own proposal. Nothing runs.",
    palette: { action: "selfFeedback", title: "Ask the Agent to Review Itself", hasKey: false },
  },
  alwaysAllow: {
    label: ({ teaches = "" }) => `Always Allow ${teaches}`,
    icon: "shield",
    look: "quiet",
    place: "more",
    isShown: (card) => card.teaches !== undefined,
    needs: "seen",
    decides: true,
  },
  openWhole: {
    label: () => "Open in Editor",
    look: "quiet",
    place: "text",
    isShown: () => true,
    needs: "nothing",
    decides: false,
    tooltip: "Open all of it in an editor",
  },
} as const satisfies Readonly<Record<string, CardButtonRow>>;

export type CardButton = keyof typeof CARD_BUTTONS;

type Row = (typeof CARD_BUTTONS)[CardButton];

/** The palette actions that buttons of the card have. */
export type CardAction = Extract<Row, { readonly palette: object }>["palette"]["action"];

/** The names of the buttons, in order. */
export const CARD_BUTTON_NAMES: readonly CardButton[] = Object.keys(CARD_BUTTONS).filter(
  (name): name is CardButton => Object.hasOwn(CARD_BUTTONS, name),
);

/** A button's row. */
export function cardButtonRow(name: CardButton): CardButtonRow {
  return CARD_BUTTONS[name];
}
