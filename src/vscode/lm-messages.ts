import * as vscode from "vscode";
import { tryJson } from "../core/json.ts";
import type { ChatMessage, ToolCall } from "../core/ports.ts";
import { inTurns } from "../models/chat-messages.ts";
import { objectOf } from "../models/json.ts";

/** Messages for a model of VS Code, which knows no system role: the system's words open the first user message. */
export function lmMessages(messages: readonly ChatMessage[]): vscode.LanguageModelChatMessage[] {
  const told: vscode.LanguageModelChatMessage[] = [];
  let results: vscode.LanguageModelToolResultPart[] = [];
  for (const message of inTurns(messages)) {
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
