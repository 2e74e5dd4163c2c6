import { assertNever } from "../core/base/errors.ts";
import { visible, withoutSmuggled } from "../core/base/text.ts";
import { shapeOf } from "../core/commands/preview.ts";
import type { ApprovalRequest } from "../core/ports/approver.ts";
import { type NamedAction, namedActions, namedLabel } from "../core/ports/model-source.ts";
import { unwrappedText } from "../review/card.ts";
import type { Action } from "../schema/actions.ts";
import type { Sentence } from "../texts/display-text.ts";
import { t, write } from "../texts/language.ts";

/** A piece of an answer in the editor's chat. Words that aren't ours are plain in its Markdown. */
export type ChatPart =
  | { readonly kind: "text"; readonly markdown: string }
  /** A line for the time until the next piece. */
  | { readonly kind: "progress"; readonly markdown: string }
  | {
      readonly kind: "button";
      readonly title: string;
      readonly command: string;
      readonly args: readonly unknown[];
    };

/** A button for one of our actions. */
export function chatButton(action: Action, title: string, ...args: readonly unknown[]): ChatPart {
  return { kind: "button", title, command: `autogpt.${action}`, args };
}

/** A sentence on why something can't be done, with a button for each action that it names. */
export function problemParts(problem: Sentence): readonly ChatPart[] {
  const buttons = namedActions(problem).map((named) => namedButton(named, write(namedLabel(named))));
  return [paragraph(plainMarkdown(withoutSmuggled(write(problem)))), ...buttons];
}

function namedButton(named: NamedAction, title: string): ChatPart {
  if (named.kind === "setting")
    return { kind: "button", title, command: "workbench.action.openSettings", args: [named.setting] };
  switch (named.action) {
    case "setApiKey":
      return chatButton("setApiKey", title, "model");
    case "selectModel":
    case "managePlugins":
    case "importMcpServers":
    case "signInToMcpServer":
    case "shareMemory":
    case "clearMemory":
    case "chooseEmbedding":
      return chatButton(named.action, title);
    case "useServer":
      return chatButton("selectModel", title, "server");
    default:
      return assertNever(named.action);
  }
}

/** A paragraph of Markdown that is ours. */
export function paragraph(markdown: string): ChatPart {
  return { kind: "text", markdown: `\n\n${markdown}\n\n` };
}

/**
 * Text as Markdown that shows it word for word. No model can write a link, a picture or an open code block, which could
 * swallow what comes after it.
 */
export function plainMarkdown(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, "\\$&").replace(/[^\S\n]*\n[^\S\n]*/g, "\n");
}

/**
 * Text as a quote that keeps its lines and blanks. A block of code would do that, too, but the chat doesn't wrap its lines,
 * so their ends would be out of view.
 */
export function exactMarkdown(text: string): string {
  const lines = text.split("\n").map((line) => plainMarkdown(line.trimEnd()));
  const kept = lines.map((line) => line.replace(/^[^\S\n]+|(?<= )[^\S\n]+|\t/g, widened) || "&nbsp;");
  return `\n\n> ${kept.join("\\\n> ")}\n\n`;
}

/** Blanks that Markdown doesn't join. */
function widened(blanks: string): string {
  return "&nbsp;".repeat(blanks.replaceAll("\t", "    ").length);
}

/** A link that shows a run in the panel. It stays in the history of the chat. */
export function runLink(id: string): string {
  return `[${t("chat.showRun")}](command:autogpt.openRun?${encodeURIComponent(JSON.stringify([id]))})`;
}

/** Lines and characters that the chat shows without much scrolling. */
const MOST_LINES = 24;
const MOST_CHARS = 1_500;

/** All of a proposal as text; undefined if it doesn't fit, or is a change that has a diff. */
export function wholeInChat(request: ApprovalRequest): string | undefined {
  if (shapeOf(request.prepared.preview) !== "details") return undefined;
  const text = unwrappedText(request);
  return text.length <= MOST_CHARS && text.split("\n").length <= MOST_LINES ? text : undefined;
}

/** A title of ours with arguments of the model's, on one line. */
export function titleMarkdown(title: string): string {
  return plainMarkdown(visible(title.replace(/\s+/g, " ").trim()));
}
