import * as vscode from "vscode";
import type { ChatMessage } from "../../core/ports/model.ts";
import { promptOfStep } from "../../core/prompt/prompt.ts";
import type { HostedRun } from "../../panel/hosted-runs.ts";
import { readLog } from "../../runs/log/read-log.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { TextDocuments } from "./text-documents.ts";

/** Opens the exact messages sent for a step, rebuilt from the run's events. */
export async function showPrompt(documents: TextDocuments, hosted: HostedRun, step: number): Promise<void> {
  const { events } = await readLog(hosted.home);
  const request = promptOfStep(events, step);
  if (!request) fail("review.noPrompt", { step });
  const parts = request.messages.map(messageText);
  const offered = request.tools ? [`--- tools ---\n${JSON.stringify(request.tools, null, 2)}`] : [];
  const schema = request.schema ? [`--- schema ---\n${JSON.stringify(request.schema, null, 2)}`] : [];
  await documents.show(t("review.promptOfStep", { step }), [...parts, ...offered, ...schema].join("\n\n"), {
    languageId: "markdown",
  });
}

/** Lets the user pick a step whose prompt can be shown. */
export async function pickStep(hosted: HostedRun): Promise<number | undefined> {
  const { events } = await readLog(hosted.home);
  const commands = new Map<number, string>();
  for (const event of events) {
    if (event.type === "asked") commands.set(event.step, "");
    if (event.type === "replied") commands.set(event.step, commandOf(event));
  }
  const items = [...commands]
    .toReversed()
    .map(([step, description]) => ({ label: t("approval.stepWord", { step }), description, step }));
  return (
    await vscode.window.showQuickPick(items, {
      title: t("review.showPrompt"),
      placeHolder: t("review.whichStep"),
    })
  )?.step;
}

function commandOf({ reply }: Extract<AgentEvent, { type: "replied" }>): string {
  return reply.kind === "proposal" ? reply.call.name : "";
}

function messageText(message: ChatMessage): string {
  const calls = message.role === "assistant" ? (message.calls ?? []) : [];
  const called = calls.map((call) => `\n[calls ${call.name} (${call.id})]\n${call.arguments}`).join("");
  const who = message.role === "tool" ? `tool, answer to ${message.callId}` : message.role;
  return `--- ${who} ---\n${message.content}${called}`;
}
