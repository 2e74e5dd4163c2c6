import { html, nothing, type TemplateResult } from "lit/html.js";
import { tryJson } from "../../core/base/json.ts";
import { escapeForApproval } from "../../core/base/text.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderButton } from "../ui/buttons.ts";
import { renderIcon } from "../ui/icons.ts";
import { countLines, findTextEnds, type TextEnds } from "../ui/long-text.ts";
import { changeCard, sendCardButton } from "./card-actions.ts";
import { isFolded, type WaitingCard } from "./waiting-card.ts";

/** The part of a card that scrolls. */
const CARD_TEXT_ID = "card-text";

/** Id of the reason why nothing can be approved yet. */
export const HINT_ID = "approve-hint";

/** Marks the position before a whole text. */
const START_MARK = html`<span class="start-mark"></span>`;

/** Marks the position after a whole text. Once both marks were visible, the user has seen the text. */
const END_MARK = html`<span class="end-mark"></span>`;

/** Everything that the proposal would do. A long text is folded to its beginning and end, and unfolds on demand. */
export function renderCardText(panel: Panel, waiting: WaitingCard): TemplateResult | typeof nothing {
  const { card, text, complete } = waiting;
  if (card.preview !== "details")
    return html`${text === "" ? nothing : html`<p class="card-summary" dir="auto">${text}</p>`}${card.preview === "cutChange" ? html`<div class="row tight">${openWholeButton(panel)}</div>` : nothing}`;
  if (text === "") return nothing;
  return html`<div class="card-body ${isFolded(waiting) ? "ends" : ""}" id=${CARD_TEXT_ID} tabindex="0" role="group" aria-label=${t("approval.details")}>
      ${renderVerbatimText(panel, waiting)}
    </div>
    ${
      complete
        ? html`${renderCaption(panel, waiting)}${isWaitingForSight(waiting) && !isFolded(waiting) ? html`<div class="row tight">${openWholeButton(panel)}</div>` : nothing}`
        : html`<p class="hint">${renderIcon("working")}${t("approval.loading")}</p>`
    }`;
}

/** Where and how a command line would run. What an earlier card of the run has explained is in the tooltip. */
function renderCaption({ state: { run } }: Panel, { card }: WaitingCard): TemplateResult | typeof nothing {
  const { caption, explanation, folder, command, step } = card;
  if (caption === undefined) return nothing;
  const isKnown = run?.window.steps.some(({ began, step: earlier }) => earlier < step && began?.name === command);
  const joinLines = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join("\n");
  const title = joinLines(folder, isKnown ? explanation : undefined);
  return html`<p class="hint caption" dir="auto" title=${title || nothing}>${joinLines(caption, isKnown ? undefined : explanation)}</p>`;
}

function renderVerbatimText(panel: Panel, waiting: WaitingCard): TemplateResult {
  const { text, complete, card } = waiting;
  const { marks = [] } = card;
  const ends = isFolded(waiting) ? findTextEnds(text) : undefined;
  if (!ends && complete && card.tool?.hasOnlyArguments && card.args)
    return html`${START_MARK}${renderArguments(card.args)}${END_MARK}`;
  // White space between the tags would become part of the text.
  if (!ends)
    return html`${complete ? START_MARK : nothing}<pre class="verbatim" dir="auto">${markWords(text, marks)}</pre>${complete ? END_MARK : nothing}`;
  return html`<pre class="verbatim first" dir="auto">${markWords(ends.first, marks)}</pre>
    <div class="row">
      ${renderButton(formatHiddenLength(text, ends), () => unfold(panel), { kind: "quiet", id: "unfold", icon: "chevron" })}
      ${openWholeButton(panel)}
    </div>
    <pre class="verbatim last" dir="auto">${markWords(ends.last, marks)}</pre>`;
}

/** The text with these words marked, where they aren't parts of others. */
function markWords(text: string, words: readonly string[]): unknown {
  if (words.length === 0) return text;
  const forms = words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .map((word) => `${/^\w/.test(word) ? "(?<![\\w./-])" : ""}${word}${/\w$/.test(word) ? "(?![\\w-])" : ""}`);
  const parts = text.split(new RegExp(`(${forms.join("|")})`));
  return parts.map((part, index) => (index % 2 === 0 ? part : html`<mark>${part}</mark>`));
}

/** All arguments of a tool: texts as they are, and other values, or texts that look like them, as JSON. */
function renderArguments(args: Readonly<Record<string, unknown>>): TemplateResult {
  const rows = Object.entries(args);
  if (rows.length === 0) return html`<p class="hint">${t("approval.noArguments")}</p>`;
  return html`<table class="arguments">
    <tbody>
      ${rows.map(
        ([name, value]) => html`<tr>
          <th scope="row" class=${name.length > LONG_NAME ? "long" : nothing} dir="auto">${escapeForApproval(name)}</th>
          <td dir="auto">${escapeForApproval(formatArgument(value))}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Characters of a name that may be broken into several lines. */
const LONG_NAME = 12;

function formatArgument(value: unknown): string {
  const isText = typeof value === "string" && value.trim() !== "" && tryJson(value) === undefined;
  return isText ? value : (JSON.stringify(value) ?? "");
}

/** The length of the part between a text's ends. */
function formatHiddenLength(text: string, { first, last }: TextEnds): string {
  const hidden = text.slice(first.length, text.length - last.length);
  const lines = countLines(hidden.replace(/^\n|\n$/g, ""));
  return lines > 1
    ? t("approval.hiddenLines", { count: lines })
    : t("approval.hiddenCharacters", { count: hidden.length });
}

function unfold(panel: Panel): void {
  changeCard(panel, { unfolded: true });
  panel.focus(CARD_TEXT_ID);
}

function openWholeButton(panel: Panel): TemplateResult {
  return renderButton(t("actions.openInEditorButton"), () => sendCardButton(panel, "openWhole", {}), {
    kind: "quiet",
  });
}

/** True if the user only has to see the end of the text before approving. */
export function isWaitingForSight({ armed, seen, sent, complete }: WaitingCard): boolean {
  return armed && complete && !seen && !sent;
}
