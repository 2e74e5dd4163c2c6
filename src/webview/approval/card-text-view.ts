import { html, nothing, type TemplateResult } from "lit/html.js";
import { counted } from "../../core/base/text.ts";
import { approvalHint } from "../../core/commands/preview.ts";
import { cardButtonRow } from "../../schema/card-buttons.ts";
import type { Panel } from "../app/panel-state.ts";
import { button } from "../ui/buttons.ts";
import { icon } from "../ui/icons.ts";
import { endsOf, lineCount } from "../ui/long-text.ts";
import { textView } from "../ui/text-view.ts";
import { changeCard, sendCardButton } from "./card-actions.ts";
import { isFinish, isFolded, type WaitingCard } from "./waiting-card.ts";

/** The part of a card that scrolls. */
const CARD_TEXT_ID = "card-text";

/** Id of the reason why nothing can be approved yet. */
const HINT_ID = "approve-hint";

/** Follows the last character of a whole text: once it is visible, the text was shown to its end. */
const END_MARK = html`<span class="end-mark"></span>`;

/** Everything the proposal would do: a long text folded to its ends, and shown as a whole on demand. */
export function cardTextView(panel: Panel, waiting: WaitingCard): TemplateResult | typeof nothing {
  const { card, text, complete } = waiting;
  if (text === "") return nothing;
  if (card.preview !== "details")
    return html`<p class="card-summary" dir="auto">${text}</p>${card.preview === "cutChange" ? html`<div class="row tight">${openWholeButton(panel, card)}</div>` : nothing}`;
  return html`<div class="card-body ${isFolded(waiting) ? "ends" : ""}" id=${CARD_TEXT_ID} tabindex="0" role="group" aria-label="What ${card.command} would do">
      ${isFinish(card) ? html`${textView(panel, text.replace(/^Finish:\n+/, ""))}${complete ? END_MARK : nothing}` : verbatimView(waiting)}
    </div>
    ${complete ? footView(panel, waiting) : html`<p class="hint">${icon("working")}Loading the rest…</p>`}`;
}

function verbatimView(waiting: WaitingCard): TemplateResult {
  const { card, text, complete } = waiting;
  const caption =
    card.caption === undefined || !complete
      ? nothing
      : html`<p class="hint caption" dir="auto">${card.caption}</p>`;
  const ends = isFolded(waiting) ? endsOf(text) : undefined;
  // White space between the tags would become part of the text.
  if (!ends)
    return html`<pre class="verbatim" dir="auto">${text}</pre>
    ${caption}${complete ? END_MARK : nothing}`;
  return html`<pre class="verbatim first" dir="auto">${linesView(ends.first)}</pre>
    <p class="hint">⋯ part hidden ⋯</p>
    <pre class="verbatim last" dir="auto">${linesView(ends.last)}</pre>
    ${caption}`;
}

function linesView(text: string): readonly TemplateResult[] {
  return text.split("\n").map((line) => html`<span>${line}\n</span>`);
}

function unfold(panel: Panel): void {
  changeCard(panel, { unfolded: true });
  panel.focus(CARD_TEXT_ID);
}

/** The length of the text, and buttons to see all of it; nothing below a short text that is visible. */
function footView(panel: Panel, waiting: WaitingCard): TemplateResult | typeof nothing {
  const { card, text } = waiting;
  const isLong = endsOf(text) !== undefined;
  if (!isLong && !waitsForSight(waiting)) return nothing;
  const lines = lineCount(text);
  const length = lines === 1 ? counted(text.length, "character") : counted(lines, "line");
  return html`<div class="row tight card-length">
    <span class="hint">${length}</span>
    ${isFolded(waiting) ? button("Show all", () => unfold(panel), { kind: "quiet" }) : nothing}
    ${openWholeButton(panel, card)}
  </div>`;
}

function openWholeButton(panel: Panel, card: WaitingCard["card"]): TemplateResult {
  const { label, look, tooltip = "" } = cardButtonRow("openWhole");
  return button(label(card), () => sendCardButton(panel, "openWhole", {}), { kind: look, title: tooltip });
}

/** The reason why it can't be approved yet, while its end hasn't been visible. */
export function hintView(waiting: WaitingCard): TemplateResult | typeof nothing {
  if (!waitsForSight(waiting)) return nothing;
  return html`<p class="hint" id=${HINT_ID}>${approvalHint(waiting.card.preview)}</p>`;
}

/** The same for a button: on hover, and for screen readers. */
export function hintOf(waiting: WaitingCard): { readonly title?: string; readonly describedBy?: string } {
  return waitsForSight(waiting) ? { title: approvalHint(waiting.card.preview), describedBy: HINT_ID } : {};
}

function waitsForSight({ armed, seen, sent, complete }: WaitingCard): boolean {
  return armed && complete && !seen && !sent;
}
