import { omitUndefined } from "../../core/base/objects.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ChatMessage, ModelRequest, ToolCall } from "../../core/ports/model.ts";
import { History } from "../../core/prompt/history.ts";
import { buildPrompt } from "../../core/prompt/prompt.ts";
import type { AgentEvent } from "../../schema/events.ts";

/** One file of an export. */
export interface ExportedFile {
  /** A relative path, with `/` between names. */
  readonly name: string;
  readonly text: string;
}

type Replied = Extract<AgentEvent, { type: "replied" }>;
type Decided = Extract<AgentEvent, { type: "decided" }>;

/** A step with the exact prompt that it answered. */
interface PromptedStep {
  readonly step: number;
  /** The messages between head and tail. */
  readonly history: ModelRequest["messages"];
  readonly request: ModelRequest;
  readonly replied: Replied;
  /** The last decision on the step; absent if its call couldn't be made at all. */
  readonly decided?: Decided;
  readonly outcome: Outcome;
}

/** The finished steps, each with its prompt, rebuilt in one pass. */
function collectPromptedSteps(events: readonly AgentEvent[]): readonly PromptedStep[] {
  const [started] = events;
  if (started?.type !== "started") return [];
  const steps: PromptedStep[] = [];
  const past = new History();
  let asked: Pick<PromptedStep, "history" | "request"> | undefined;
  let replied: Replied | undefined;
  let decided: Decided | undefined;
  for (const event of events) {
    past.apply(event);
    if (event.type === "asked") {
      const history = past.messages(event.format);
      asked = {
        history,
        request: buildPrompt(started, past, event),
      };
      replied = undefined;
      decided = undefined;
    }
    if (event.type === "replied") replied = event;
    if (event.type === "replied" && event.of !== undefined) decided = undefined;
    if (event.type === "decided") decided = event;
    if (event.type === "ended" && asked && replied?.step === event.step)
      steps.push({
        step: event.step,
        ...asked,
        replied,
        outcome: event.outcome,
        ...omitUndefined({ decided }),
      });
  }
  return steps;
}

/** The text that the classic program wrote for an approved command. */
const APPROVED = "GENERATE NEXT COMMAND JSON";

/** A run in the layout of the classic debug logs: one folder per cycle, numbered from 000. */
export function createDebugLog(events: readonly AgentEvent[]): readonly ExportedFile[] {
  return collectPromptedSteps(events).flatMap((step, index) => {
    const folder = getCycleFolder(index);
    return [
      ...createPromptFiles(folder, step),
      { name: `${folder}/2_next_action.json`, text: formatActionFile(step.replied) },
      { name: `${folder}/3_user_input.txt`, text: formatInputFile(step.decided) },
    ];
  });
}

/** The name of a cycle's folder. */
export function getCycleFolder(index: number): string {
  return String(index).padStart(3, "0");
}

/** The two files of a cycle that hold its prompt. */
export function createPromptFiles(
  folder: string,
  { history, request }: Pick<PromptedStep, "history" | "request">,
): readonly ExportedFile[] {
  return [
    { name: `${folder}/0_full_message_history.json`, text: formatJson(history) },
    { name: `${folder}/1_current_context.json`, text: formatJson(request.messages) },
  ];
}

/** The file of a cycle with the reply. */
export function formatActionFile({ reply, text }: Pick<Replied, "reply" | "text">): string {
  return formatJson(
    reply.kind === "proposal"
      ? {
          thoughts: reply.thoughts,
          command: reply.call,
          ...omitUndefined({ also: reply.also, next: reply.next }),
        }
      : { error: reply.problem, text },
  );
}

/** The file of a cycle with the user's answer. */
export function formatInputFile(decided: Pick<Decided, "allow" | "feedback"> | undefined): string {
  return JSON.stringify(decided?.allow === false ? (decided.feedback ?? "") : APPROVED);
}

function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 4);
}

/**
 * Training examples for good use of commands, one JSON object per line: the steps that were approved as proposed and succeeded. `lasting`
 * leaves out steps that were undone, and calls that repeat an earlier one with the same outcome.
 */
export function formatTrainingExamples(events: readonly AgentEvent[], which: "all" | "lasting" = "all"): string {
  const all = collectPromptedSteps(events);
  const steps = all.filter((step) => step.replied.of === undefined && isWholeGood(step, all));
  return (which === "all" ? steps : filterLastingSteps(steps, events))
    .map((step) => `${JSON.stringify(createExample(step))}\n`)
    .join("");
}

function filterLastingSteps(steps: readonly PromptedStep[], events: readonly AgentEvent[]): readonly PromptedStep[] {
  const undone = new Set<number>();
  for (const event of events) {
    if (event.type !== "undone") continue;
    if (event.redone) undone.delete(event.step);
    else undone.add(event.step);
  }
  const seen = new Set<string>();
  return steps.filter(({ step, replied: { reply }, outcome }) => {
    if (undone.has(step) || reply.kind !== "proposal") return false;
    const key = JSON.stringify([reply.call, reply.also ?? [], outcome]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** True for a step whose reply succeeded with all of its calls, including those with separate steps. */
function isWholeGood(step: PromptedStep, all: readonly PromptedStep[]): boolean {
  const { reply } = step.replied;
  const next = all.filter(({ replied }) => replied.of === step.step);
  const count = reply.kind === "proposal" ? (reply.next?.length ?? 0) : 0;
  return next.length === count && [step, ...next].every(isGood);
}

function isGood({ decided, outcome, replied }: PromptedStep): boolean {
  const approved = decided?.allow === true && decided.args === undefined && !decided.edited;
  const succeeded = outcome.status === "done" || outcome.status === "finished";
  const { reply } = replied;
  const isWhole = reply.kind === "proposal" && !reply.ignored?.length && !reply.dropped?.length;
  return approved && succeeded && isWhole;
}

/** A chat in which only the last message is to be learned. */
function createExample({ request, replied }: PromptedStep): object {
  const tools = request.tools?.map((tool) => ({ type: "function", function: tool }));
  const { text, calls } = replied;
  return {
    messages: [
      ...request.messages.map((message) => createChatMessage(message, 0)),
      createChatMessage(answer(text, calls), 1),
    ],
    ...omitUndefined({ tools }),
  };
}

function answer(content: string, calls: readonly ToolCall[]): ChatMessage {
  return { role: "assistant", content, ...(calls.length > 0 ? { calls } : {}) };
}

/** A message in the format of the chat completions API. `weight` indicates whether an assistant's message is to be learned. */
function createChatMessage(message: ChatMessage, weight: 0 | 1): object {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.content };
  // The texts name the pictures.
  if (message.role !== "assistant") return { role: message.role, content: message.content };
  const { calls = [], content } = message;
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  }));
  return { role: "assistant", content, weight, ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}) };
}
