import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { MentionContext, OwnCommandOffer, PanelRequest } from "../../schema/panel-messages.ts";
import { displayText, type TextCode } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { omitNotice, type Panel } from "../app/panel-state.ts";
import { attachPictures, filterPictureFiles } from "./attached-pictures.ts";
import { arePicturesUnseen, attachButton, renderComposerPictures } from "./attached-pictures-view.ts";
import { renderButton } from "./buttons.ts";
import {
  type ComposerState,
  EMPTY_COMPOSER,
  endEditing,
  type FileOffer,
  findKeyMeaning,
  isContextChoice,
  isOpenChoice,
  listMentionChoices,
  type MentionChoice,
  moveActiveChoice,
  omitOffer,
  takeOffer,
  updateTypedText,
} from "./composer.ts";
import { type IconName, renderIcon } from "./icons.ts";

export const COMPOSER_ID = "composer";
const LIST_ID = "composer-files";

/** Texts and behavior of a composer. */
export interface ComposerUse {
  readonly label: string;
  readonly placeholder: string;
  readonly submit: string;
  readonly rows: number;
  readonly disabled?: boolean;
  /** True if nothing can be sent, although text can be written. */
  readonly unsendable?: boolean;
  /** The sent text is being processed: nothing can be changed or sent, and the focus stays. */
  readonly busy?: boolean;
  /** Pickers at the start of its foot. */
  readonly foot?: unknown;
  send(text: string): void;
}

/** The user's text box: Enter sends, Shift+Enter starts a new line, `@` completes a mention, and `/` a command of one's own. */
export function renderComposer(panel: Panel, use: ComposerUse): TemplateResult {
  const { composer } = panel.state;
  const { offer } = composer;
  const isOffering = offer !== undefined && listMentionChoices(offer).length > 0;
  const empty = composer.text.trim() === "";
  const still = use.disabled === true || use.busy === true;
  const idle = empty || still || use.unsendable === true || arePicturesUnseen(panel.state);
  const submit = (): void => {
    if (!idle) use.send(composer.text.trim());
  };
  return html`<form class="composer" @submit=${wrapPreventingDefault(submit)}>
    <label for=${COMPOSER_ID} class="hidden">${use.label}</label>
    ${offer ? renderMentionOffer(panel, offer) : nothing} ${renderNote(panel)}
    <div
      class=${use.foot === undefined ? "box slim" : "box"}
      @dragover=${handleDragOver}
      @drop=${(event: DragEvent) => handleDrop(panel, event, still)}
    >
      ${renderComposerPictures(panel, COMPOSER_ID)}
      <textarea
        id=${COMPOSER_ID}
        rows=${use.rows}
        dir="auto"
        placeholder=${use.placeholder}
        ?disabled=${use.disabled ?? false}
        ?readonly=${use.busy ?? false}
        aria-autocomplete="list"
        aria-describedby=${composer.note === undefined ? nothing : NOTE_ID}
        aria-haspopup="listbox"
        aria-controls=${isOffering ? LIST_ID : nothing}
        aria-activedescendant=${isOffering ? getOptionId(offer.active) : nothing}
        .value=${live(composer.text)}
        @input=${(event: Event) => handleInput(panel, event)}
        @click=${(event: Event) => handleInput(panel, event)}
        @keyup=${(event: KeyboardEvent) => (MOVES.has(event.key) ? handleInput(panel, event) : undefined)}
        @keydown=${(event: KeyboardEvent) => handleKey(panel, event, submit)}
        @paste=${(event: ClipboardEvent) => handlePaste(panel, event, still)}
        @blur=${() => panel.update((state) => ({ ...state, composer: omitOffer(state.composer) }))}
      ></textarea>
      <div class="foot">
        ${use.foot ?? nothing}<span class="spring"></span>
        ${renderButton(t("start.mentionButton"), () => mention(panel), {
          kind: "quiet",
          icon: "mention",
          iconOnly: true,
          title: t("start.mentionHint"),
          disabled: still,
        })}
        ${attachButton(panel, still, COMPOSER_ID)}
        ${renderButton(use.submit, undefined, { kind: "primary", icon: "send", iconOnly: true, submits: true, disabled: idle })}
      </div>
    </div>
  </form>`;
}

/** Where the text comes from, or that it replaces an earlier message, with a button to cancel that. */
function renderNote(panel: Panel): TemplateResult | typeof nothing {
  const { note, editing } = panel.state.composer;
  if (note === undefined) return nothing;
  return html`<div class="row note">
    <p class="hint" role="status" id=${NOTE_ID} dir="auto">${renderIcon(editing ? "edit" : "link")} ${write(note)}</p>
    ${editing ? renderButton(t("common.cancel"), () => cancelEditing(panel), { kind: "quiet" }) : nothing}
  </div>`;
}

/** Puts an earlier message of the user into the composer, to be sent again in other words. */
export function editEarlierMessage(panel: Panel, seq: number, text: string): void {
  panel.update((state) => {
    const before = endEditing(omitOffer(state.composer), true);
    const note = displayText(state.run?.state.isolated ? "timeline.editingIsolated" : "timeline.editing");
    return { ...state, composer: { text, note, editing: { seq, before } } };
  });
  panel.focus(COMPOSER_ID);
}

function cancelEditing(panel: Panel): void {
  panel.update((state) => ({ ...state, composer: endEditing(state.composer, true) }));
  panel.focus(COMPOSER_ID);
}

/** Sends the earlier message in its new words. The text stays until the run that continues from there is shown. */
export function sendEditedMessage(panel: Panel, text: string): void {
  const { editing } = panel.state.composer;
  if (!editing) return;
  panel.update((state) => ({ ...omitNotice(state), starting: true }));
  panel.send({ type: "editMessage", seq: editing.seq, text, ...getComposerPictures(panel.state) });
}

const NOTE_ID = "composer-note";

/** Attaches pasted pictures. If there is also text, as from a spreadsheet, pastes the text instead. */
function handlePaste(panel: Panel, event: ClipboardEvent, still: boolean): void {
  const data = event.clipboardData;
  const files = filterPictureFiles(data?.files);
  if (still || files.length === 0 || data?.types.includes("text/plain")) return;
  event.preventDefault();
  void attachPictures(panel, files);
}

function handleDragOver(event: DragEvent): void {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
}

function handleDrop(panel: Panel, event: DragEvent, still: boolean): void {
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length === 0) return;
  event.preventDefault();
  if (!still) void attachPictures(panel, files);
}

/** Sends a text with the composer's pictures, and empties the composer. */
export function sayFromComposer(panel: Panel, text: string): void {
  const pictures = getComposerPictures(panel.state);
  panel.update((state) => ({ ...state, composer: EMPTY_COMPOSER }));
  panel.send({ type: "say", text, ...pictures });
}

/** The pictures of a request, if there are any. */
export function getComposerPictures({ composer }: Panel["state"]): Pick<SayRequest, "pictures"> {
  const { pictures = [] } = composer;
  return pictures.length === 0 ? {} : { pictures: pictures.map(({ name, data }) => ({ name, data })) };
}

type SayRequest = Extract<PanelRequest, { readonly type: "say" }>;

/** Replaces the text, to be edited or sent. */
export function writeInComposer(panel: Panel, text: string): void {
  panel.update((state) => ({ ...state, composer: { ...omitOffer(state.composer), text } }));
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

function wrapPreventingDefault(act: () => void): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    act();
  };
}

function handleInput(panel: Panel, { target }: Event): void {
  if (target instanceof HTMLTextAreaElement) typeInto(panel, target);
}

function typeInto(panel: Panel, target: HTMLTextAreaElement): void {
  const next = updateTypedText(panel.state.composer, target.value, target.selectionStart);
  const asked = panel.state.composer.offer?.mention.query;
  // An error was about the text as it was.
  panel.update((state) => ({ ...(state.notice?.kind === "error" ? omitNotice(state) : state), composer: next }));
  const { query, isCommand } = next.offer?.mention ?? {};
  if (query !== undefined && query !== asked)
    panel.send({ type: "findFiles", query, ...(isCommand ? { commands: true } : {}) });
}

function handleKey(panel: Panel, event: KeyboardEvent, submit: () => void): void {
  const { composer } = panel.state;
  const meaning = findKeyMeaning(composer, event);
  if (meaning === undefined && event.key === "Escape" && composer.editing) cancelEditing(panel);
  if (meaning === undefined) return;
  event.preventDefault();
  const change = (to: ComposerState): void => panel.update((state) => ({ ...state, composer: to }));
  if (meaning === "send") submit();
  else if (meaning === "take") take(panel, composer.offer?.active ?? 0);
  else if (meaning === "dismiss") change(omitOffer(composer));
  else change(moveActiveChoice(composer, meaning === "down" ? 1 : -1));
}

function take(panel: Panel, index: number): void {
  const result = takeOffer(panel.state.composer, index);
  if (!result) return;
  const { composer, caret, choice } = result;
  panel.update((state) => ({ ...state, composer }));
  if (choice.kind === "terminal" && !isOpenChoice(choice)) panel.send({ type: "shareTerminal", label: choice.name });
  const box = document.getElementById(COMPOSER_ID);
  if (!(box instanceof HTMLTextAreaElement)) return;
  box.value = composer.text;
  box.setSelectionRange(caret, caret);
  if (isOpenChoice(choice)) typeInto(panel, box);
}

function renderMentionOffer(panel: Panel, offer: FileOffer): TemplateResult {
  const choices = listMentionChoices(offer);
  const nothingFound = offer.files && choices.length === 0;
  const status = choices.length > 0 ? t("start.offersFound", { count: choices.length }) : "";
  // Text after a slash is often a path, for which a list would be in the way.
  if (offer.mention.isCommand && choices.length === 0) return html``;
  return html`<div class="offer">
    <span class="hidden" role="status">${nothingFound ? t("start.noOffers") : status}</span>
    ${
      choices.length > 0
        ? html`<ul id=${LIST_ID} role="listbox" aria-label=${t("start.offers")}>
          ${repeat(
            choices,
            ({ kind, text }) => `${kind} ${text}`,
            (choice, index) => html`<li
              role="option"
              id=${getOptionId(index)}
              aria-selected=${index === offer.active}
              @mousedown=${wrapPreventingDefault(() => take(panel, index))}
            >
              ${renderChoice(choice)}
            </li>`,
          )}
        </ul>`
        : html`<p class="hint">${nothingFound ? t("start.noOffers") : t("start.searching")}</p>`
    }
  </div>`;
}

function renderChoice(choice: MentionChoice): TemplateResult {
  const { kind, name, text, command } = choice;
  if (command) return renderCommandChoice(command);
  if (kind === "command") return html``;
  const [drawing, code] = CHOICES[kind];
  const isContext = isContextChoice(choice);
  return html`${renderIcon(drawing)}<bdi>${isContext ? `@${text}` : text}</bdi>${isContext ? html`<span class="detail">${t(code)}</span>` : kind === "issue" ? html`<span class="detail"><bdi>${name}</bdi></span>` : nothing}`;
}

/** A command with its arguments, its description and the file that it's from. */
function renderCommandChoice({ name, hint, description, file }: OwnCommandOffer): TemplateResult {
  return html`${renderIcon("file")}<span class="command">
      <span><bdi>/${name}</bdi>${hint === "" ? nothing : html` <bdi class="hint">${hint}</bdi>`}</span>
      ${description === "" ? nothing : html`<bdi class="about">${description}</bdi>`} <bdi class="about">${file}</bdi>
    </span>`;
}

type OfferCode = Extract<TextCode, `start.offer${Capitalize<MentionContext>}`>;

const CHOICES: Readonly<Record<MentionContext, readonly [icon: IconName, code: OfferCode]>> = {
  file: ["file", "start.offerFile"],
  folder: ["folder", "start.offerFolder"],
  selection: ["selection", "start.offerSelection"],
  problems: ["warning", "start.offerProblems"],
  git: ["git", "start.offerGit"],
  url: ["link", "start.offerUrl"],
  terminal: ["terminal", "start.offerTerminal"],
  prompt: ["file", "start.offerPrompt"],
  issue: ["ask", "start.offerIssue"],
};

function getOptionId(index: number): string {
  return `composer-file-${index}`;
}
