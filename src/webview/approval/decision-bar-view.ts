import { keyed } from "lit/directives/keyed.js";
import { live } from "lit/directives/live.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { explainHowToSeeAll } from "../../core/commands/preview.ts";
import { type CardButton, getCardButtonRow, listCardButtons } from "../../schema/card-buttons.ts";
import { t, write } from "../../texts/language.ts";
import { changeRun, type Panel } from "../app/panel-state.ts";
import { type RunView, setFold } from "../run/run-view.ts";
import { arePicturesUnseen } from "../ui/attached-pictures-view.ts";
import { renderButton } from "../ui/buttons.ts";
import { EMPTY_COMPOSER } from "../ui/composer.ts";
import { sayFromComposer } from "../ui/composer-view.ts";
import { isFoldOpen } from "../ui/fold-view.ts";
import { type MenuItem, renderMenu } from "../ui/menu.ts";
import {
  CARD_COUNT_ID,
  CARD_HEADING_ID,
  changeCard,
  closeForm,
  createEscapeHandler,
  editArguments,
  explainFold,
  sendCardButton,
  sendEdited,
} from "./card-actions.ts";
import { getCardButtonFace } from "./card-button-face.ts";
import { HINT_ID, isWaitingForSight } from "./card-text-view.ts";
import { type CardForm, canApprove, formatCardKey, grantCount, type WaitingCard } from "./waiting-card.ts";

/** The pinned row of decisions, shown only while one is needed. */
export function renderDecisionBar(panel: Panel, view: RunView): unknown {
  const waiting = view.card;
  if (!waiting) return nothing;
  // A new element for each proposal, so that a key that is held down can't decide on the next one.
  return keyed(
    formatCardKey(waiting.card),
    html`<div
      class="decisions"
      role="group"
      data-step=${waiting.card.step}
      aria-label=${t("approval.decide", { step: waiting.card.step })}
    >
      ${isWaitingForSight(waiting) ? html`<p class="hint" id=${HINT_ID}>${write(explainHowToSeeAll(waiting.card.preview))}</p>` : nothing}
      ${renderDecisionRow(panel, view, waiting)}
    </div>`,
  );
}

function renderDecisionRow(panel: Panel, view: RunView, waiting: WaitingCard): TemplateResult {
  switch (waiting.form.kind) {
    case "editing":
      return renderEditingRow(panel, waiting, waiting.form);
    case "counting":
      return renderCountingRow(panel, waiting, waiting.form);
    case "none":
      return html`<div class="row">${approveView(panel, view, waiting)} ${rejectView(panel, waiting)} ${renderMoreMenu(panel, view, waiting)}</div>`;
  }
}

/** The Approve button, with other ways to approve in its menu. */
function approveView(panel: Panel, view: RunView, waiting: WaitingCard): TemplateResult {
  const [name = "approve"] = listCardButtons(waiting.card, "row");
  const { label, title } = getCardButtonFace(name, waiting);
  const disabled = !canApprove(waiting);
  const hasMenu = listApprovalItems(panel, view, waiting).length > 0;
  const hint = isWaitingForSight(waiting) ? write(explainHowToSeeAll(waiting.card.preview)) : title;
  return html`<div class="split">
    ${renderButton(label, () => sendCardButton(panel, name, {}), {
      kind: "primary",
      id: "approve",
      title: hint,
      disabled,
      ...(isWaitingForSight(waiting) ? { describedBy: HINT_ID } : {}),
    })}
    ${
      hasMenu
        ? renderMenu(panel, {
            name: `approve-${formatCardKey(waiting.card)}`,
            label: t("approval.approveMenu"),
            look: { kind: "primary", icon: "chevron", iconOnly: true, disabled },
            listItems: () => listApprovalItems(panel, view, waiting),
          })
        : nothing
    }
  </div>`;
}

/** The numbers of commands that the menu offers to approve at once. */
const COUNTS = [3, 10];

function listApprovalItems(panel: Panel, view: RunView, waiting: WaitingCard): readonly MenuItem[] {
  const { card } = waiting;
  const disabled = !canApprove(waiting);
  const items = listCardButtons(card, "approve").flatMap((name): MenuItem[] => {
    const { label, title } = getCardButtonFace(name, waiting);
    if (getCardButtonRow(name).form !== "count")
      return [{ label, title, disabled, choose: () => sendCardButton(panel, name, {}) }];
    const counts = COUNTS.map((count) => ({
      label: t("approval.approveNextButton", { count }),
      title,
      disabled,
      choose: () => sendCardButton(panel, name, { count }),
    }));
    return [...counts, { label, title, disabled, choose: () => beginCounting(panel) }];
  });
  const mayContinue = !card.sensitive && !view.facts.continuous && view.state.mode !== "plan" && !view.state.isolated;
  if (!mayContinue) return items;
  return [
    ...items,
    "separator",
    {
      label: t("approval.continuousButton"),
      icon: "warning",
      title: t("approval.continuous"),
      disabled,
      choose: () => panel.send({ type: "act", action: "toggleContinuous" }),
    },
    {
      label: t("actions.startIsolatedButton"),
      icon: "shield",
      title: t("isolation.insteadTitle"),
      choose: () => panel.send({ type: "act", action: "startIsolated" }),
    },
  ];
}

function rejectView(panel: Panel, waiting: WaitingCard): TemplateResult {
  const { label, title } = getCardButtonFace("refuse", waiting);
  return renderButton(label, () => reject(panel), { id: "reject", title, disabled: waiting.sent });
}

/** Rejects immediately. The text box's content is the reason. */
function reject(panel: Panel): void {
  const { composer } = panel.state;
  const feedback = composer.editing ? "" : composer.text.trim();
  const { pictures = [] } = panel.state.composer;
  // A message rejects as well, and takes the pictures along.
  if (feedback !== "" && pictures.length > 0 && !arePicturesUnseen(panel.state)) sayFromComposer(panel, feedback);
  else {
    sendCardButton(panel, "refuse", feedback === "" ? {} : { feedback });
    if (!composer.editing) panel.update((state) => ({ ...state, composer: EMPTY_COMPOSER }));
  }
}

/** Menu of actions that neither approve nor reject. */
function renderMoreMenu(panel: Panel, view: RunView, waiting: WaitingCard): TemplateResult {
  return renderMenu(panel, {
    name: `more-${formatCardKey(waiting.card)}`,
    label: t("approval.moreMenu"),
    look: { kind: "quiet", icon: "more", iconOnly: true },
    listItems: () => [
      ...listCardButtons(waiting.card, "more").map((name): MenuItem => {
        const { label, title } = getCardButtonFace(name, waiting);
        const disabled = getCardButtonRow(name).needs === "undecided" && waiting.sent;
        return { label, title, disabled, choose: () => press(panel, waiting, name) };
      }),
      ...explainItems(panel, view, waiting),
      {
        label: t("timeline.promptButton"),
        choose: () => panel.send({ type: "showPrompt", step: waiting.card.step }),
      },
    ],
  });
}

function press(panel: Panel, waiting: WaitingCard, name: CardButton): void {
  if (getCardButtonRow(name).form === "arguments") editArguments(panel, waiting);
  else sendCardButton(panel, name, {});
}

/** Shows or hides the explanation on the card of the rule that asks. */
function explainItems(panel: Panel, view: RunView, { card }: WaitingCard): readonly MenuItem[] {
  if (card.rule === "") return [];
  const open = isFoldOpen(view, explainFold(card));
  const toggle = (): void => {
    panel.update(changeRun((run) => setFold(run, explainFold(card), !open)));
    panel.focus(CARD_HEADING_ID);
  };
  return [{ label: t("approval.explainButton"), checked: open, choose: toggle }];
}

function beginCounting(panel: Panel): void {
  changeCard(panel, { form: { kind: "counting", count: "5" } });
  panel.focus(CARD_COUNT_ID);
}

/** The row with the number of commands to approve. */
function renderCountingRow(
  panel: Panel,
  waiting: WaitingCard,
  form: Extract<CardForm, { readonly kind: "counting" }>,
): TemplateResult {
  const count = grantCount(form.count);
  const send = (event: Event): void => {
    event.preventDefault();
    if (count !== undefined && canApprove(waiting)) sendCardButton(panel, "approveNext", { count });
  };
  const handleInput = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) changeCard(panel, { form: { kind: "counting", count: target.value } });
  };
  return html`<form class="row" @submit=${send} @keydown=${createEscapeHandler(panel)}>
    <input
      id=${CARD_COUNT_ID}
      type="number"
      min="2"
      max="99"
      aria-label=${t("approval.approveCount")}
      .value=${live(form.count)}
      @input=${handleInput}
    />
    ${renderButton(t("approval.approveNextButton", { count: count ?? "…" }), undefined, {
      kind: "primary",
      submits: true,
      title: t("approval.approveNext"),
      disabled: count === undefined || !canApprove(waiting),
    })}
    ${renderButton(t("common.cancel"), () => closeForm(panel), { kind: "quiet" })}
  </form>`;
}

/** The row while the command or its arguments are edited on the card. */
function renderEditingRow(
  panel: Panel,
  waiting: WaitingCard,
  form: Extract<CardForm, { readonly kind: "editing" }>,
): TemplateResult {
  return html`<div class="row">
    ${renderButton(t("approval.approveEditedButton"), () => sendEdited(panel, waiting, form), {
      kind: "primary",
      id: "approve-edited",
      disabled: !waiting.argumentsSeen,
      ...(waiting.argumentsSeen ? {} : { title: t("approval.scrollEdited") }),
    })}
    ${renderButton(t("common.cancel"), () => closeForm(panel), { kind: "quiet" })}
  </div>`;
}
