import type { AgentEvent } from "../../core/event.ts";
import type { ExportedFile } from "./exported-file.ts";
import { type PromptedStep, promptedSteps } from "./prompts.ts";

/** What the classic program wrote for a command that was approved. */
const APPROVED = "GENERATE NEXT COMMAND JSON";

/** A run in the layout of the classic debug logs: a folder for each cycle, counted from 000. */
export function debugLogOf(events: readonly AgentEvent[]): readonly ExportedFile[] {
  return promptedSteps(events).flatMap((step, index) => {
    const folder = String(index).padStart(3, "0");
    return [
      { name: `${folder}/0_full_message_history.json`, text: json(step.history) },
      { name: `${folder}/1_current_context.json`, text: json(step.request.messages) },
      { name: `${folder}/2_next_action.json`, text: json(actionOf(step)) },
      { name: `${folder}/3_user_input.txt`, text: JSON.stringify(inputOf(step)) },
    ];
  });
}

function actionOf({ replied }: PromptedStep): unknown {
  const { reply, text } = replied;
  return reply.kind === "proposal"
    ? { thoughts: reply.thoughts, command: reply.call }
    : { error: reply.problem, text };
}

function inputOf({ decided }: PromptedStep): string {
  return decided?.allow === false ? (decided.feedback ?? "") : APPROVED;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 4);
}
