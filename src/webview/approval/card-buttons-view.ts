import { live } from "lit/directives/live.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Panel } from "../app/panel-state.ts";
import type { RunView } from "../run/run-view.ts";
import { button } from "../ui/buttons.ts";
import { foldView } from "../ui/fold-view.ts";
import { CARD_INPUT_ID, changeCard, sendDecision } from "./card-actions.ts";
import { hintOf } from "./card-text-view.ts";
import { canApprove, cardArgumentsText, grantCount, type WaitingCard } from "./waiting-card.ts";

/** The ways to decide on a proposal. */
export function cardButtonsView(
  panel: Panel,
  view: RunView,
  waiting: WaitingCard,
): TemplateResult | typeof nothing {
  const { card, form } = waiting;
  if (form.kind !== "none") return nothing;
  if (card.unsaved) return unsavedView(panel, waiting);
  const { step, hash } = card;
  return html`<div class="row">
      ${button("Approve", () => sendDecision(panel, { type: "approve", step, hash, count: 1 }), {
        kind: "primary",
        icon: "accept",
        disabled: !canApprove(waiting),
        id: "approve",
        ...hintOf(waiting),
      })}
      ${
        card.preview === "details"
          ? nothing
          : button("Review", () => panel.send({ type: "review", step }), {
              icon: "edit",
              title: "Open the diff to read and edit it",
            })
      }
      ${refuseButton(panel, waiting)}
    </div>
    ${panel.state.tall ? otherWaysView(panel, waiting) : foldView(panel, view, { name: "ways", summary: "More", look: "ways" }, () => otherWaysView(panel, waiting))}`;
}

function otherWaysView(panel: Panel, waiting: WaitingCard): TemplateResult {
  const { card } = waiting;
  const { step, hash } = card;
  return html`<div class="row more">
    ${card.sensitive ? nothing : grantView(panel, waiting)}
    ${card.args === undefined ? nothing : button("Edit Arguments…", () => beginEditing(panel, waiting), { kind: "quiet", icon: "edit", disabled: waiting.sent })}
    ${button("Self-review", () => sendDecision(panel, { type: "criticise", step }), {
      kind: "quiet",
      icon: "mirror",
      disabled: waiting.sent,
      title: "Ask the agent to review its own proposal. Nothing runs.",
    })}
    ${
      card.teaches === undefined
        ? nothing
        : button(
            `Always Allow ${card.teaches}`,
            () => sendDecision(panel, { type: "alwaysAllow", step, hash }),
            {
              kind: "quiet",
              icon: "shield",
              disabled: !canApprove(waiting),
              ...hintOf(waiting),
            },
          )
    }
  </div>`;
}

function unsavedView(panel: Panel, waiting: WaitingCard): TemplateResult {
  const { step } = waiting.card;
  return html`<div class="row">
    ${button("Save and Review Again", () => sendDecision(panel, { type: "saveAndReviewAgain", step }), {
      kind: "primary",
      disabled: waiting.sent,
    })}
    ${refuseButton(panel, waiting)}
  </div>`;
}

function refuseButton(panel: Panel, waiting: WaitingCard): TemplateResult {
  const begin = (): void => {
    changeCard(panel, { form: { kind: "refusing", reason: "" } });
    panel.focus(CARD_INPUT_ID);
  };
  return button("Refuse…", begin, { icon: "close", disabled: waiting.sent });
}

function beginEditing(panel: Panel, { card }: WaitingCard): void {
  changeCard(panel, { form: { kind: "editing", text: cardArgumentsText(card) }, argumentsSeen: false });
  panel.focus(CARD_INPUT_ID);
  const box = document.getElementById(CARD_INPUT_ID);
  // The caret is at the end of the text, and the box would scroll there.
  if (box instanceof HTMLTextAreaElement) box.setSelectionRange(0, 0);
  box?.scrollTo(0, 0);
}

/** Approves this command and the next ones. */
function grantView(panel: Panel, waiting: WaitingCard): TemplateResult {
  const { step, hash } = waiting.card;
  const count = grantCount(waiting.count);
  const approve = (event: Event): void => {
    event.preventDefault();
    if (count !== undefined && canApprove(waiting))
      sendDecision(panel, { type: "approve", step, hash, count });
  };
  const typed = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) changeCard(panel, { count: target.value });
  };
  return html`<form class="grant" @submit=${approve}>
    ${button("Approve Next", undefined, {
      kind: "quiet",
      submits: true,
      disabled: count === undefined || !canApprove(waiting),
      title:
        "Approve this command and the ones after it. A refusal, a question or a sensitive command ends that.",
      ...hintOf(waiting),
    })}
    <input type="number" min="2" max="99" aria-label="How many commands to approve, this one included" .value=${live(waiting.count)} @input=${typed} />
  </form>`;
}
