import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible, escapeInvisibleJson } from "../../core/base/text.ts";
import { isFullyShown } from "../../core/commands/preview.ts";
import type { Card, ChangeFigures } from "../../schema/panel-values.ts";
import type { CardDraft } from "../../schema/saved-panel.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { findTextEnds } from "../ui/long-text.ts";

/** Input that the user is entering before a decision. */
export type CardForm =
  | { readonly kind: "none" }
  /** Other arguments: as JSON, or as the text of the argument named `argument`. */
  | {
      readonly kind: "editing";
      readonly text: string;
      readonly argument?: string;
      readonly problem?: string;
    }
  /** How many commands to approve, as typed. */
  | { readonly kind: "counting"; readonly count: string };

/** The waiting proposal, and the user's progress with it. */
export interface WaitingCard {
  readonly card: Card;
  /** The text received so far. */
  readonly text: string;
  readonly complete: boolean;
  /** The user has unfolded a long text. */
  readonly unfolded: boolean;
  /** True if the user has seen all of it, here or elsewhere. */
  readonly seen: boolean;
  /** True if the user has seen the end of the arguments in their editing box. */
  readonly argumentsSeen: boolean;
  /** It has been visible long enough to be approved. */
  readonly armed: boolean;
  /** True while a decision is sent. */
  readonly sent: boolean;
  readonly form: CardForm;
}

/** Time that a card must be visible before it can be approved, in milliseconds. */
export const ARMING_MS = 500;

/** Identifies a proposal, even among other steps' proposals with the same effect. */
export function formatCardKey({ step, hash }: Card): string {
  return `${step}-${hash}`;
}

/** A new card; one that is already displayed stays unchanged. */
export function createWaitingCard(card: Card, before: WaitingCard | undefined): WaitingCard {
  if (before?.card.hash === card.hash && before.card.step === card.step)
    return updateCardNews(card.seen && !before.seen ? { ...before, seen: true } : before, card);
  return {
    card,
    text: card.text,
    complete: card.more !== true,
    unfolded: false,
    seen: card.seen ?? false,
    argumentsSeen: false,
    armed: false,
    sent: false,
    form: { kind: "none" },
  };
}

/** Updates the displayed card's unsaved files, and the user's edits. */
function updateCardNews(waiting: WaitingCard, { unsavedFiles, figures }: Card): WaitingCard {
  const serializeNews = ({ unsavedFiles: files, figures: size }: Card): string => JSON.stringify([files, size]);
  if (serializeNews(waiting.card) === JSON.stringify([unsavedFiles, figures])) return waiting;
  const { unsavedFiles: _files, figures: _figures, ...card } = waiting.card;
  return {
    ...waiting,
    card: { ...card, ...omitUndefined({ unsavedFiles, figures }) },
  };
}

export function setCardText(waiting: WaitingCard, hash: string, text: string, more: boolean): WaitingCard {
  if (waiting.card.hash !== hash || waiting.complete) return waiting;
  return { ...waiting, text: waiting.text + text, complete: !more };
}

export function setCardFigures(waiting: WaitingCard, hash: string, figures: ChangeFigures): WaitingCard {
  return waiting.card.hash === hash ? { ...waiting, card: { ...waiting.card, figures } } : waiting;
}

/** Only the ends of its text are on the card. */
export function isFolded({ card, text, complete, unfolded }: WaitingCard): boolean {
  return card.preview === "details" && complete && !unfolded && findTextEnds(text) !== undefined;
}

/** Updates the card after the end of its text became visible: all was seen, unless the card holds only a part. */
export function markCardSeen(waiting: WaitingCard): WaitingCard {
  const counts = waiting.complete && !isFolded(waiting) && isFullyShown(waiting.card.preview, ["card"]);
  return counts && !waiting.seen ? { ...waiting, seen: true } : waiting;
}

export function canApprove({ complete, seen, armed, sent }: WaitingCard): boolean {
  return armed && complete && seen && !sent;
}

/** The arguments for editing, as JSON. */
export function formatCardArguments(card: Card): string {
  return escapeInvisibleJson(JSON.stringify(card.args ?? {}, null, 2));
}

/** Name of the argument that is the card's whole text, such as a command line: it's edited as plain text. */
export function findPlainArgumentName({ card, text, complete }: WaitingCard): string | undefined {
  if (!complete || card.preview !== "details") return undefined;
  const found = Object.entries(card.args ?? {}).find(([, value]) => value === text && escapeInvisible(text) === text);
  return found?.[0];
}

/** The form in which a card's arguments are edited. */
export function createEditingForm(waiting: WaitingCard): CardForm {
  const argument = findPlainArgumentName(waiting);
  return argument === undefined
    ? { kind: "editing", text: formatCardArguments(waiting.card) }
    : { kind: "editing", text: waiting.text, argument };
}

/** The edited arguments, or the problem with them. */
export function readEditedArguments(
  { text, argument }: Pick<Extract<CardForm, { readonly kind: "editing" }>, "text" | "argument">,
  { args }: Card,
):
  | { readonly kind: "arguments"; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: "wrong"; readonly problem: DisplayText } {
  if (argument !== undefined)
    return text.trim() === ""
      ? { kind: "wrong", problem: displayText("approval.emptyCommand") }
      : { kind: "arguments", args: { ...args, [argument]: text } };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { kind: "arguments", args: { ...value } };
    return { kind: "wrong", problem: displayText("approval.argumentsObject") };
  } catch (error) {
    return {
      kind: "wrong",
      problem: displayText("approval.argumentsInvalid", { problem: getErrorMessage(error) }),
    };
  }
}

/** A whole number from 2 to 99; undefined for anything else. */
export function grantCount(typed: string): number | undefined {
  const count = Number(typed);
  return Number.isInteger(count) && count >= 2 && count <= 99 ? count : undefined;
}

const MAX_DRAFTS = 20;

/** Updates drafts after a card's form has changed; only edited arguments are kept as a draft. */
export function updateCardDrafts(
  drafts: readonly CardDraft[],
  run: string,
  step: number,
  form: CardForm,
): readonly CardDraft[] {
  const others = drafts.filter((draft) => draft.run !== run || draft.step !== step);
  if (form.kind !== "editing") return others;
  const { problem: _problem, ...kept } = form;
  return [...others, { run, step, form: kept }].slice(-MAX_DRAFTS);
}

/** The card with its draft; a card with a form or a sent decision stays unchanged. */
export function applyCardDraft(drafts: readonly CardDraft[], run: string, card: WaitingCard): WaitingCard {
  const draft = drafts.find((one) => one.run === run && one.step === card.card.step);
  if (draft?.form.kind !== "editing" || card.form.kind !== "none" || card.sent) return card;
  const { problem: _problem, ...form } = draft.form;
  return { ...card, form };
}
