import { tryJson } from "../core/base/json.ts";
import type { ChatMessage } from "../core/ports/model.ts";
import type { Call } from "../core/reply/reply.ts";
import { objectOf, textOf } from "./json.ts";

/** A step that is over, as a prompt's history tells it. */
export interface PastStep {
  readonly call: Call;
  readonly status: "done" | "failed" | "refused" | "unknown";
  /** What was said of the outcome, without its opening words. */
  readonly text: string;
}

/** What a prompt tells of the run so far. */
export interface PromptPast {
  /** How many steps are over, those included that are only told in brief. */
  readonly count: number;
  readonly steps: readonly PastStep[];
  /** What the user said since the last reply. */
  readonly said: readonly string[];
}

/** Reads the history of a prompt back out of its messages. */
export function promptPast(messages: readonly ChatMessage[]): PromptPast {
  const steps: PastStep[] = [];
  const said: string[] = [];
  let folded = 0;
  messages.forEach((message, index) => {
    if (message.role === "assistant") {
      steps.push({ call: callIn(message), ...outcomeIn(messages[index + 1]?.content ?? "") });
      said.length = 0;
    }
    if (message.role !== "user") return;
    folded = Number(/^What happened in steps 1 to (\d+), in brief:/.exec(message.content)?.[1] ?? folded);
    const words = /^The user says: ([\s\S]*)$/.exec(message.content)?.[1];
    if (words !== undefined) said.push(words);
  });
  return { count: folded + steps.length, steps, said };
}

function callIn(message: ChatMessage & { readonly role: "assistant" }): Call {
  const [call] = message.calls ?? [];
  if (call) {
    const { thoughts: _, ...args } = objectOf(tryJson(call.arguments));
    return { name: call.name, args };
  }
  const { name, args } = objectOf(objectOf(tryJson(message.content)).command);
  return { name: textOf(name), args: objectOf(args) };
}

function outcomeIn(content: string): Pick<PastStep, "status" | "text"> {
  const [, how, text] = /^\w+ (is done:|failed:|was refused and not run\.)\s?([\s\S]*)$/.exec(content) ?? [];
  const status = how === "is done:" ? "done" : how === "failed:" ? "failed" : how ? "refused" : "unknown";
  return { status, text: text ?? content };
}
