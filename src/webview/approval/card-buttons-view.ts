import { live } from "lit/directives/live.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { assertNever } from "../../core/base/errors.ts";
import {
  CARD_BUTTON_NAMES,
  type CardButton,
  type CardButtonRow,
  cardButtonRow,
} from "../../schema/card-buttons.ts";
import type { Panel } from "../app/panel-state.ts";
import type { RunView } from "../run/run-view.ts";
import { button } from "../ui/buttons.ts";
import { foldView } from "../ui/fold-view.ts";
import { CARD_INPUT_ID, changeCard, sendCardButton } from "./card-actions.ts";
import { hintOf } from "./card-text-view.ts";
import { canApprove, cardArgumentsText, grantCount, type WaitingCard } from "./waiting-card.ts";

/** The ways to decide on a proposal. */
export function cardButtonsView(
  panel: Panel,
  view: RunView,
  waiting: WaitingCard,
): TemplateResult | typeof nothing {
  if (waiting.form.kind !== "none") return nothing;
  const more = buttonsAt(panel, waiting, "more");
  const otherWays = (): TemplateResult => html`<div class="row more">${more}</div>`;
  return html`<div class="row">${buttonsAt(panel, waiting, "main")}</div>
    ${
      more.length === 0
        ? nothing
        : panel.state.tall
          ? otherWays()
          : foldView(panel, view, { name: "ways", summary: "More", look: "ways" }, otherWays)
    }`;
}

function buttonsAt(
  panel: Panel,
  waiting: WaitingCard,
  place: CardButtonRow["place"],
): readonly TemplateResult[] {
  const names = CARD_BUTTON_NAMES.filter((name) => {
    const row = cardButtonRow(name);
    return row.place === place && row.isShown(waiting.card);
  });
  return names.map((name) =>
    cardButtonRow(name).form === "count"
      ? countView(panel, waiting, name)
      : cardButtonView(waiting, name, () => press(panel, waiting, name)),
  );
}

/** A button of the card, as its row describes it. `submit`: its form handles the press. */
function cardButtonView(
  waiting: WaitingCard,
  name: CardButton,
  click: (() => void) | "submit",
  isDisabled = false,
): TemplateResult {
  const { label, icon, look, needs, tooltip } = cardButtonRow(name);
  return button(label(waiting.card), click === "submit" ? undefined : click, {
    kind: look,
    submits: click === "submit",
    ...(icon ? { icon } : {}),
    ...(look === "primary" ? { id: name } : {}),
    ...(tooltip === undefined ? {} : { title: tooltip }),
    ...(needs === "nothing" ? {} : { disabled: isDisabled || !isAllowed(waiting, needs) }),
    ...(needs === "seen" ? hintOf(waiting) : {}),
  });
}

function isAllowed(waiting: WaitingCard, needs: "seen" | "undecided"): boolean {
  switch (needs) {
    case "seen":
      return canApprove(waiting);
    case "undecided":
      return !waiting.sent;
    default:
      return assertNever(needs);
  }
}

/** Does what a button does, or begins with what the user has to enter first. */
function press(panel: Panel, waiting: WaitingCard, name: CardButton): void {
  const { form } = cardButtonRow(name);
  switch (form) {
    case undefined:
      sendCardButton(panel, name, {});
      break;
    case "reason":
      changeCard(panel, { form: { kind: "refusing", reason: "" } });
      panel.focus(CARD_INPUT_ID);
      break;
    case "arguments":
      beginEditing(panel, waiting);
      break;
    case "count":
      break;
    default:
      assertNever(form);
  }
}

function beginEditing(panel: Panel, { card }: WaitingCard): void {
  changeCard(panel, { form: { kind: "editing", text: cardArgumentsText(card) }, argumentsSeen: false });
  panel.focus(CARD_INPUT_ID);
  const box = document.getElementById(CARD_INPUT_ID);
  // The caret is at the end of the text, and the box would scroll there.
  if (box instanceof HTMLTextAreaElement) box.setSelectionRange(0, 0);
  box?.scrollTo(0, 0);
}

/** A button with the number of commands that it is for. */
function countView(panel: Panel, waiting: WaitingCard, name: CardButton): TemplateResult {
  const count = grantCount(waiting.count);
  const send = (event: Event): void => {
    event.preventDefault();
    if (count !== undefined && canApprove(waiting)) sendCardButton(panel, name, { count });
  };
  const typed = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) changeCard(panel, { count: target.value });
  };
  return html`<form class="grant" @submit=${send}>
    ${cardButtonView(waiting, name, "submit", count === undefined)}
    <input type="number" min="2" max="99" aria-label="How many commands to approve, including this one" .value=${live(waiting.count)} @input=${typed} />
  </form>`;
}
