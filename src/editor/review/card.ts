import { omitUndefined } from "../../core/base/objects.ts";
import { escapeForApproval, escapeInvisible } from "../../core/base/text.ts";
import { COMMAND } from "../../core/commands/command-traits.ts";
import { getPreviewShape } from "../../core/commands/preview.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { describeInfluence, listSourceNames } from "../../safety/provenance/provenance.ts";
import type { Card, ChangeFigures } from "../../schema/panel-values.ts";
import { restoreSentence, type Sentence } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import type { TextParameter } from "../../texts/writer.ts";
import { describeHiddenChanges, describeMissingLines } from "./hidden-changes.ts";

/** Converts a proposal to a card that shows its whole effect, with hidden characters made visible. */
export function createCard(
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
  const shown = preview.kind === "details" ? preview.text : composeChangeRemarks(request.proposal.call.name, preview);
  const tool = splitTool(request.prepared);
  const [whole, { caption, explanation }] = splitCaption(request.prepared, tool?.text ?? shown);
  const text = escapeForApproval(whole);
  const [first = "", ...rest] = splitIntoPieces(text);
  const { args } = request.proposal.call;
  const card: Card = {
    step: request.step,
    hash: request.hash,
    command: request.proposal.call.name,
    preview: getPreviewShape(preview),
    text: first,
    ...(tool ? { tool: tool.shown } : {}),
    ...(caption === "" ? {} : { caption }),
    ...(explanation === "" ? {} : { explanation }),
    ...(caption === "" || cwd === undefined ? {} : { folder: escapeInvisible(cwd) }),
    ...omitUndefined({ more: rest.length > 0 || undefined }),
    ...(JSON.stringify(args).length <= EDITABLE ? { args } : {}),
    ...(preview.kind === "change" ? { file: escapeInvisible(preview.file) } : {}),
    ...omitUndefined({
      isNew: (preview.kind === "change" && preview.before === undefined) || undefined,
      figures,
    }),
    rule: why?.rule ?? "",
    reason: explainAsking(why),
    ...omitUndefined({ marks: findMarks(why, text) }),
    ...(why?.influence
      ? { influence: escapeInvisible(write(why.influence)), sources: listSourceNames(why.sources).map(escapeInvisible) }
      : { sources: [] }),
    sensitive: why?.sensitive ?? false,
    ...omitUndefined({ unsaved: (preview.kind === "change" && preview.unsaved) || undefined }),
    ...(unsavedFiles.length > 0 ? { unsavedFiles: unsavedFiles.map(escapeInvisible) } : {}),
    ...omitUndefined({ seen: seen || undefined }),
    ...(why?.teaches === undefined ? {} : { teaches: why.teaches }),
  };
  return { card, rest };
}

/** The reason for asking; "" if it says no more than the question does. */
function explainAsking(why: ApprovalRequest["why"]): string {
  if (why?.text?.code.startsWith("safety.effect.")) return "";
  return why?.text ? write(why.text) : (why?.reason ?? "");
}

/** The words of a text that the reason names. */
function findMarks(why: ApprovalRequest["why"], text: string): readonly string[] | undefined {
  const named = why?.text ? listNamedWords(why.text).map(escapeForApproval) : [];
  const found = [...new Set(named)].filter((word) => word !== "" && text.includes(word));
  return found.length > 0 ? found : undefined;
}

function listNamedWords(value: TextParameter): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [];
  return "code" in value
    ? Object.values(value.parameters ?? {}).flatMap(listNamedWords)
    : value.flatMap(listNamedWords);
}

/** Longer ones stay in the text. */
const LONGEST_ABOUT = 8_000;

/** Splits the preview of a foreign tool into its call and all that the user has agreed to before. Nothing of it is left out. */
function splitTool({
  preview,
  tool,
}: ApprovalRequest["prepared"]): { readonly text: string; readonly shown: NonNullable<Card["tool"]> } | undefined {
  if (!tool || preview.kind !== "details" || !preview.text.endsWith(tool.text)) return undefined;
  const { name, owner, text, hasOnlyArguments } = tool;
  const about = escapeForApproval(preview.text.slice(0, preview.text.length - text.length).trimEnd());
  if (about.length > LONGEST_ABOUT) return undefined;
  return { text, shown: { name: escapeInvisible(name), owner: escapeInvisible(owner), about, hasOnlyArguments } };
}

/** Maximum length of a name in a caption. An approval doesn't require seeing the captions, so longer names stay in the text. */
const LONGEST_NAME = 120;

/** The sentences about how a proposal would run, shortened; "" if there are none. */
interface ShownCaption {
  readonly caption: string;
  readonly explanation: string;
}

/** Splits a preview into its text and a caption. */
function splitCaption(
  { captions = [] }: ApprovalRequest["prepared"],
  text: string,
): readonly [text: string, shown: ShownCaption] {
  const end = captions.map(({ sentence }) => sentence).join(" ");
  const [caption = "", explanation = ""] = [undefined, true].map((once) =>
    captions.flatMap((one) => (one.once === once ? escapeForApproval(write(one.shown)) : [])).join("\n"),
  );
  const isShort = captions.every(({ shown }) => Object.values(shown.parameters ?? {}).every(isName));
  return captions.length > 0 && isShort && text.endsWith(end)
    ? [text.slice(0, -end.length).trimEnd(), { caption, explanation }]
    : [text, { caption: "", explanation: "" }];
}

/** False for long text or several lines, which could imitate the caption's own lines. */
function isName(value: TextParameter): boolean {
  return typeof value !== "string" || (value.length <= LONGEST_NAME && !value.includes("\n"));
}

/** Everything a proposal would do and why it needs approval, as text for an editor that doesn't wrap lines. */
export function formatApprovalText(request: ApprovalRequest): string {
  return formatUnwrappedApproval(request).replace(LONG_LINE, "$&\n↪ ");
}

/** The same for an editor that wraps lines. */
export function formatUnwrappedApproval({ step, proposal, prepared, why }: ApprovalRequest): string {
  const { preview } = prepared;
  const sources = why?.sources ?? [];
  const asked = [
    t("review.stepOf", { step, name: proposal.call.name }),
    ...(why ? [t("review.needsApproval", { reason: formatReasonLine(restoreSentence(why.reason, why.text)) })] : []),
    ...(sources.length > 0 ? [write(describeInfluence(sources, sources.length))] : []),
  ];
  const text = preview.kind === "details" ? preview.text : preview.after;
  return escapeForApproval(`${asked.join("\n")}\n\n${text}`);
}

/** Formats a reason on one line. It may quote the command line, whose lines must not look like ours. */
function formatReasonLine(reason: Sentence): string {
  return write(reason).replace(/\s+/g, " ");
}

/** Characters of a line that fit into an editor. */
const LONG_LINE = /[^\n]{160}(?=[^\n])/gu;

/** Characters of a card's text per message. */
const PIECE = 24_000;
/** Arguments longer than this are not edited in the panel. */
const EDITABLE = 16_000;

function splitIntoPieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) found.push(text.slice(at, at + PIECE));
  return found;
}

/** Remarks on a change that its diff may not show; its size is in the card's figures. */
function composeChangeRemarks(
  command: string,
  { before, after }: { readonly before?: string | undefined; readonly after: string },
): string {
  if (before === undefined) return "";
  const gone = command === COMMAND.write ? describeMissingLines(before, after) : [];
  return [...gone, ...describeHiddenChanges(before, after)].join(" ");
}
