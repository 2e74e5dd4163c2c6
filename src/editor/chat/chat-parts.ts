import { assertNever } from "../../core/base/errors.ts";
import { escapeInvisible, escapeSmuggled } from "../../core/base/text.ts";
import { getPreviewShape } from "../../core/commands/preview.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { findMentionedActions, getActionLabel, type NamedAction } from "../../core/ports/model-source.ts";
import type { Action } from "../../schema/actions.ts";
import type { Sentence } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { formatUnwrappedApproval } from "../review/card.ts";

/** A piece of an answer in the editor's chat. Text from others is plain in its Markdown. */
export type ChatPart =
  | { readonly kind: "text"; readonly markdown: string }
  /** A line shown until the next piece. */
  | { readonly kind: "progress"; readonly markdown: string }
  | {
      readonly kind: "button";
      readonly title: string;
      readonly command: string;
      readonly args: readonly unknown[];
    };

/** A button for one of our actions. */
export function createActionButton(action: Action, title: string, ...args: readonly unknown[]): ChatPart {
  return { kind: "button", title, command: `autogpt.${action}`, args };
}

/** A sentence on why something can't be done, with a button for each action that it names. */
export function createProblemParts(problem: Sentence): readonly ChatPart[] {
  const buttons = findMentionedActions(problem).map((named) => createNamedButton(named, write(getActionLabel(named))));
  return [createParagraph(escapeAsMarkdown(escapeSmuggled(write(problem)))), ...buttons];
}

function createNamedButton(named: NamedAction, title: string): ChatPart {
  if (named.kind === "setting")
    return { kind: "button", title, command: "workbench.action.openSettings", args: [named.setting] };
  switch (named.action) {
    case "setApiKey":
      return createActionButton("setApiKey", title, "model");
    case "selectModel":
    case "openTools":
    case "importMcpServers":
    case "signInToMcpServer":
    case "shareMemory":
    case "clearMemory":
    case "chooseEmbedding":
      return createActionButton(named.action, title);
    case "useServer":
      return createActionButton("selectModel", title, "server");
    default:
      return assertNever(named.action);
  }
}

/** A paragraph of our own Markdown. */
export function createParagraph(markdown: string): ChatPart {
  return { kind: "text", markdown: `\n\n${markdown}\n\n` };
}

/**
 * Converts text to Markdown that shows it verbatim. A model can't write a link, a picture or an open code block, which could hide the
 * following content.
 */
export function escapeAsMarkdown(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, "\\$&").replace(/[^\S\n]*\n[^\S\n]*/g, "\n");
}

/**
 * Text as a quote that keeps its lines and blanks. A block of code would do that, too, but the chat doesn't wrap its lines,
 * so their ends would be out of view.
 */
export function quoteExactMarkdown(text: string): string {
  const lines = text.split("\n").map((line) => escapeAsMarkdown(line.trimEnd()));
  const kept = lines.map((line) => line.replace(/^[^\S\n]+|(?<= )[^\S\n]+|\t/g, widenBlanks) || "&nbsp;");
  return `\n\n> ${kept.join("\\\n> ")}\n\n`;
}

/** Spaces that Markdown doesn't collapse. */
function widenBlanks(blanks: string): string {
  return "&nbsp;".repeat(blanks.replaceAll("\t", "    ").length);
}

/** A link that shows a run in the panel. It stays in the history of the chat. */
export function formatRunLink(id: string): string {
  return `[${t("chat.showRun")}](command:autogpt.openRun?${encodeURIComponent(JSON.stringify([id]))})`;
}

/** Lines and characters that the chat shows without much scrolling. */
const MOST_LINES = 24;
const MOST_CHARS = 1_500;

/** The whole proposal as text; undefined if it doesn't fit, or if it's a change with a diff. */
export function renderWholeProposal(request: ApprovalRequest): string | undefined {
  if (getPreviewShape(request.prepared.preview) !== "details") return undefined;
  const text = formatUnwrappedApproval(request);
  return text.length <= MOST_CHARS && text.split("\n").length <= MOST_LINES ? text : undefined;
}

/** Formats our title with the model's arguments on one line. */
export function renderTitleMarkdown(title: string): string {
  return escapeAsMarkdown(escapeInvisible(title.replace(/\s+/g, " ").trim()));
}
