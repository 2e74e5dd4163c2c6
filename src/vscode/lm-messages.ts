import * as vscode from "vscode";
import { tryJson } from "../core/json.ts";
import type { ChatMessage, ToolCall } from "../core/ports.ts";
import { inOrder, type MessageOrder } from "../models/chat-messages.ts";
import { objectOf } from "../models/json.ts";

/** VS Code's API has no system role: the system's words open the first user message. */
export const LM_ORDER: MessageOrder = { system: false, userAfterUser: false, userAfterTool: true };

/** Messages for a model of VS Code. */
export function lmMessages(
  messages: readonly ChatMessage[],
  order: MessageOrder,
): vscode.LanguageModelChatMessage[] {
  const told: vscode.LanguageModelChatMessage[] = [];
  let results: vscode.LanguageModelToolResultPart[] = [];
  for (const message of inOrder(messages, order)) {
    if (message.role === "tool") {
      results.push(
        new vscode.LanguageModelToolResultPart(message.callId, [
          new vscode.LanguageModelTextPart(message.content),
        ]),
      );
      continue;
    }
    if (results.length > 0) told.push(vscode.LanguageModelChatMessage.User(results));
    results = [];
    told.push(
      message.role === "assistant"
        ? vscode.LanguageModelChatMessage.Assistant(assistantParts(message.content, message.calls ?? []))
        : vscode.LanguageModelChatMessage.User(message.content),
    );
  }
  if (results.length > 0) told.push(vscode.LanguageModelChatMessage.User(results));
  return told;
}

function assistantParts(
  content: string,
  calls: readonly ToolCall[],
): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] {
  return [
    ...(content === "" && calls.length > 0 ? [] : [new vscode.LanguageModelTextPart(content)]),
    ...calls.map(
      ({ id, name, arguments: args }) =>
        new vscode.LanguageModelToolCallPart(id, name, objectOf(tryJson(args))),
    ),
  ];
}
