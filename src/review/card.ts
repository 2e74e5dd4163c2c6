import { plainlyVisible, visible } from "../core/base/text.ts";
import { shapeOf } from "../core/commands/preview.ts";
import type { ApprovalRequest } from "../core/ports/approver.ts";
import { influenceText, sourceNames } from "../safety/provenance/provenance.ts";
import type { Card, ChangeFigures } from "../schema/panel-values.ts";
import { sentenceOf } from "../texts/display-text.ts";
import { t, write } from "../texts/language.ts";
import { hiddenChanges } from "./hidden-changes.ts";

/** Turns a proposal into a card that shows everything it would do, with hidden characters made visible. */
export function cardOf(
  request: ApprovalRequest,
  {
    unsavedFiles = [],
    seen,
    figures,
  }: {
    readonly unsavedFiles?: readonly string[];
    readonly seen: boolean;
    readonly figures?: ChangeFigures | undefined;
  },
): { readonly card: Card; readonly rest: readonly string[] } {
  const { preview, cwd } = request.prepared;
  const { why } = request;
  const shown = preview.kind === "details" ? preview.text : changeRemarks(preview.before, preview.after);
  const caption = captionOf(request.prepared, shown);
  const text = plainlyVisible(caption === "" ? shown : shown.slice(0, -caption.length).trimEnd());
  const [first = "", ...rest] = pieces(text);
  const { args } = request.proposal.call;
  const card: Card = {
    step: request.step,
    hash: request.hash,
    command: request.proposal.call.name,
    preview: shapeOf(preview),
    text: first,
    ...(caption === "" ? {} : { caption: plainlyVisible(captionText(request.prepared, caption)) }),
    ...(caption === "" || cwd === undefined ? {} : { folder: visible(cwd) }),
    ...(rest.length > 0 ? { more: true } : {}),
    ...(JSON.stringify(args).length <= EDITABLE ? { args } : {}),
    ...(preview.kind === "change" ? { file: visible(preview.file) } : {}),
    ...(preview.kind === "change" && preview.before === undefined ? { isNew: true } : {}),
    ...(figures ? { figures } : {}),
    rule: why?.rule ?? "",
    reason: why?.text ? write(why.text) : (why?.reason ?? ""),
    sources: sourceNames(why?.sources ?? []).map(visible),
    sensitive: why?.sensitive ?? false,
    ...(preview.kind === "change" && preview.unsaved ? { unsaved: true } : {}),
    ...(unsavedFiles.length > 0 ? { unsavedFiles: unsavedFiles.map(visible) } : {}),
    ...(seen ? { seen: true } : {}),
    ...(why?.teaches === undefined ? {} : { teaches: why.teaches }),
  };
  return { card, rest };
}

/** Text of a preview below its command line or code, which is shown separately. */
function captionOf({ shell, captions = [] }: ApprovalRequest["prepared"], text: string): string {
  if (shell !== undefined && text.startsWith(`${shell}\n\n`)) return text.slice(shell.length + 2);
  const place = captions.map(({ sentence }) => sentence).join(" ");
  return place !== "" && text.endsWith(`\n\n${place}`) ? place : "";
}

/** The caption with short forms for its sentences. Whatever has none stays as it is. */
function captionText({ captions = [] }: ApprovalRequest["prepared"], caption: string): string {
  return captions.reduce((text, { sentence, shown }) => text.replace(sentence, () => write(shown)), caption);
}

/** Everything a proposal would do and why it needs approval, as text for an editor that doesn't wrap lines. */
export function wholeText({ step, proposal, prepared, why }: ApprovalRequest): string {
  const { preview } = prepared;
  const sources = why?.sources ?? [];
  const asked = [
    t("review.stepOf", { step, name: proposal.call.name }),
    ...(why ? [t("review.needsApproval", { reason: sentenceOf(why.reason, why.text) })] : []),
    ...(sources.length > 0 ? [write(influenceText(sources, sources.length))] : []),
  ];
  const text = preview.kind === "details" ? preview.text : preview.after;
  return plainlyVisible(`${asked.join("\n")}\n\n${text}`).replace(LONG_LINE, "$&\n↪ ");
}

/** Characters of a line that fit into an editor. */
const LONG_LINE = /[^\n]{160}(?=[^\n])/gu;

/** Characters of a card's text that go into one message. */
const PIECE = 24_000;
/** Arguments longer than this are not edited in the panel. */
const EDITABLE = 16_000;

function pieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) found.push(text.slice(at, at + PIECE));
  return found;
}

/** Remarks on a change that its diff may not show; its size is in the card's figures. */
function changeRemarks(before: string | undefined, after: string): string {
  return before === undefined ? "" : hiddenChanges(before, after).join(" ");
}
