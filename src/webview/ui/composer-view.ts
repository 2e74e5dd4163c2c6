import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { counted } from "../../core/base/text.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { button } from "./buttons.ts";
import {
  type ComposerState,
  choicesOf,
  type FileOffer,
  type MentionChoice,
  meaningOf,
  takeOffer,
  withActiveMoved,
  withoutOffer,
  withTyped,
} from "./composer.ts";
import { icon } from "./icons.ts";

export const COMPOSER_ID = "composer";
const LIST_ID = "composer-files";

/** Texts and behavior of a composer. */
export interface ComposerUse {
  readonly label: string;
  readonly placeholder: string;
  readonly submit: string;
  readonly rows: number;
  readonly disabled?: boolean;
  /** The sent text is being processed: nothing can be changed or sent, and the focus stays. */
  readonly busy?: boolean;
  /** Pickers at the start of its foot. */
  readonly foot?: unknown;
  send(text: string): void;
}

/** The user's text box: Enter sends, Shift+Enter starts a new line, `@` completes the name of a file or terminal. */
export function composerView(panel: Panel, use: ComposerUse): TemplateResult {
  const { composer } = panel.state;
  const { offer } = composer;
  const isOffering = offer !== undefined && choicesOf(offer).length > 0;
  const empty = composer.text.trim() === "";
  const idle = empty || use.disabled === true || use.busy === true;
  const submit = (): void => {
    if (!idle) use.send(composer.text.trim());
  };
  return html`<form class="composer" @submit=${prevented(submit)}>
    <label for=${COMPOSER_ID} class="hidden">${use.label}</label>
    ${offer ? offerView(panel, offer) : nothing}
    <div class=${use.foot === undefined ? "box slim" : "box"}>
      <textarea
        id=${COMPOSER_ID}
        rows=${use.rows}
        dir="auto"
        placeholder=${use.placeholder}
        ?disabled=${use.disabled ?? false}
        ?readonly=${use.busy ?? false}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls=${isOffering ? LIST_ID : nothing}
        aria-activedescendant=${isOffering ? optionId(offer.active) : nothing}
        .value=${live(composer.text)}
        @input=${(event: Event) => typedIn(panel, event)}
        @click=${(event: Event) => typedIn(panel, event)}
        @keyup=${(event: KeyboardEvent) => (MOVES.has(event.key) ? typedIn(panel, event) : undefined)}
        @keydown=${(event: KeyboardEvent) => pressed(panel, event, submit)}
        @blur=${() => panel.update((state) => ({ ...state, composer: withoutOffer(state.composer) }))}
      ></textarea>
      <div class="foot">
        ${use.foot ?? nothing}<span class="spring"></span>
        ${button(t("start.mentionButton"), () => mention(panel), {
          kind: "quiet",
          icon: "mention",
          iconOnly: true,
          title: t("start.mentionHint"),
          disabled: use.disabled === true || use.busy === true,
        })}
        ${button(use.submit, undefined, { kind: "primary", icon: "send", iconOnly: true, submits: true, disabled: idle })}
      </div>
    </div>
  </form>`;
}

/** Replaces the text, to be edited or sent. */
export function writeInComposer(panel: Panel, text: string): void {
  panel.update((state) => ({ ...state, composer: { ...withoutOffer(state.composer), text } }));
  panel.focus(COMPOSER_ID);
}

/** Begins a mention at the caret, as if the user had typed its `@`. */
function mention(panel: Panel): void {
  const box = document.getElementById(COMPOSER_ID);
  if (!(box instanceof HTMLTextAreaElement)) return;
  box.focus();
  const before = box.value.slice(0, box.selectionStart);
  box.setRangeText(/(?:^|\s)$/.test(before) ? "@" : " @", box.selectionStart, box.selectionEnd, "end");
  typeInto(panel, box);
}

/** Keys that move the caret without typing. */
const MOVES: ReadonlySet<string> = new Set(["ArrowLeft", "ArrowRight", "Home", "End"]);

function prevented(act: () => void): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    act();
  };
}

function typedIn(panel: Panel, { target }: Event): void {
  if (target instanceof HTMLTextAreaElement) typeInto(panel, target);
}

function typeInto(panel: Panel, target: HTMLTextAreaElement): void {
  const next = withTyped(panel.state.composer, target.value, target.selectionStart);
  const asked = panel.state.composer.offer?.mention.query;
  panel.update((state) => ({ ...state, composer: next }));
  if (next.offer && next.offer.mention.query !== asked)
    panel.send({ type: "findFiles", query: next.offer.mention.query });
}

function pressed(panel: Panel, event: KeyboardEvent, submit: () => void): void {
  const { composer } = panel.state;
  const meaning = event.isComposing ? undefined : meaningOf(composer, event);
  if (meaning === undefined) return;
  event.preventDefault();
  const change = (to: ComposerState): void => panel.update((state) => ({ ...state, composer: to }));
  if (meaning === "send") submit();
  else if (meaning === "take") take(panel, composer.offer?.active ?? 0);
  else if (meaning === "dismiss") change(withoutOffer(composer));
  else change(withActiveMoved(composer, meaning === "down" ? 1 : -1));
}

function take(panel: Panel, index: number): void {
  const result = takeOffer(panel.state.composer, index);
  if (!result) return;
  panel.update((state) => ({ ...state, composer: result.composer }));
  if (result.choice.kind === "terminal") panel.send({ type: "shareTerminal", label: result.choice.name });
  const box = document.getElementById(COMPOSER_ID);
  if (!(box instanceof HTMLTextAreaElement)) return;
  box.value = result.composer.text;
  box.setSelectionRange(result.caret, result.caret);
}

function offerView(panel: Panel, offer: FileOffer): TemplateResult {
  const choices = choicesOf(offer);
  const count = (kind: MentionChoice["kind"]): number => choices.filter((one) => one.kind === kind).length;
  const counts = (["terminal", "file"] as const)
    .filter((kind) => count(kind) > 0)
    .map((kind) => counted(count(kind), kind));
  const status = !offer.files ? "" : choices.length === 0 ? "No file matches." : `${counts.join(", ")}.`;
  return html`<div class="offer">
    <span class="hidden" role="status">${status}</span>
    ${
      choices.length > 0
        ? html`<ul id=${LIST_ID} role="listbox" aria-label="Files">
          ${repeat(
            choices,
            ({ kind, name }) => `${kind} ${name}`,
            ({ kind, text }, index) => html`<li
              role="option"
              id=${optionId(index)}
              aria-selected=${index === offer.active}
              @mousedown=${prevented(() => take(panel, index))}
            >
              ${icon(kind)}<bdi>${text}</bdi>
            </li>`,
          )}
        </ul>`
        : html`<p class="hint">${offer.files ? "No file matches." : "Looking for files…"}</p>`
    }
  </div>`;
}

function optionId(index: number): string {
  return `composer-file-${index}`;
}
