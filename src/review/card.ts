import { plainlyVisible, visible } from "../core/base/text.ts";
import { shapeOf } from "../core/commands/preview.ts";
import type { ApprovalRequest } from "../core/ports/approver.ts";
import { influenceText, sourceNames } from "../safety/provenance/provenance.ts";
import type { Card, ChangeFigures } from "../schema/panel-values.ts";
import { type Sentence, sentenceOf } from "../texts/display-text.ts";
import { t, write } from "../texts/language.ts";
import type { TextParameter } from "../texts/writer.ts";
import { goneLines, hiddenChanges } from "./hidden-changes.ts";

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
  const shown =
    preview.kind === "details" ? preview.text : changeRemarks(request.proposal.call.name, preview);
  const [whole, caption] = withoutCaption(request.prepared, shown);
  const text = plainlyVisible(whole);
  const [first = "", ...rest] = pieces(text);
  const { args } = request.proposal.call;
  const card: Card = {
    step: request.step,
    hash: request.hash,
    command: request.proposal.call.name,
    preview: shapeOf(preview),
    text: first,
    ...(caption === "" ? {} : { caption }),
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

/** Characters of a name in a caption. What is below the text needn't be in view for an approval, so longer ones stay in the text. */
const LONGEST_NAME = 120;

/** The text of a preview without the sentences on how it would run, and a caption with their short forms; "" without one. */
function withoutCaption(
  { captions = [] }: ApprovalRequest["prepared"],
  text: string,
): readonly [text: string, caption: string] {
  const end = captions.map(({ sentence }) => sentence).join(" ");
  const caption = captions.map(({ shown }) => plainlyVisible(write(shown))).join("\n");
  const isShort = captions.every(({ shown }) => Object.values(shown.parameters ?? {}).every(isName));
  return captions.length > 0 && isShort && text.endsWith(end)
    ? [text.slice(0, -end.length).trimEnd(), caption]
    : [text, ""];
}

/** False for a text that is long or has several lines, which could look like the caption's own. */
function isName(value: TextParameter): boolean {
  return typeof value !== "string" || (value.length <= LONGEST_NAME && !value.includes("\n"));
}

/** Everything a proposal would do and why it needs approval, as text for an editor that doesn't wrap lines. */
export function wholeText(request: ApprovalRequest): string {
  return unwrappedText(request).replace(LONG_LINE, "$&\n↪ ");
}

/** The same for a place that wraps lines. */
export function unwrappedText({ step, proposal, prepared, why }: ApprovalRequest): string {
  const { preview } = prepared;
  const sources = why?.sources ?? [];
  const asked = [
    t("review.stepOf", { step, name: proposal.call.name }),
    ...(why ? [t("review.needsApproval", { reason: onOneLine(sentenceOf(why.reason, why.text)) })] : []),
    ...(sources.length > 0 ? [write(influenceText(sources, sources.length))] : []),
  ];
  const text = preview.kind === "details" ? preview.text : preview.after;
  return plainlyVisible(`${asked.join("\n")}\n\n${text}`);
}

/** A reason may quote the command line, whose lines must not look like ours. */
function onOneLine(reason: Sentence): string {
  return write(reason).replace(/\s+/g, " ");
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
function changeRemarks(
  command: string,
  { before, after }: { readonly before?: string | undefined; readonly after: string },
): string {
  if (before === undefined) return "";
  const gone = command === "write_to_file" ? goneLines(before, after) : [];
  return [...gone, ...hiddenChanges(before, after)].join(" ");
}
