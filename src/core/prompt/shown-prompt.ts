import type { AgentEvent } from "../../schema/events.ts";
import type { ChatMessage, ModelRequest, Usage } from "../ports/model.ts";
import { findAskedStep, rebuildStepPrompt } from "./prompt.ts";

/** A step's request as shown to people, compared with that of the previous step. */
export interface ShownPrompt {
  /** The leading part that the previous request also began with; a provider may have it in its cache. */
  readonly same: string;
  readonly rest: string;
  /** Absent for the first request. */
  readonly before?: number;
  /** Index of the first UTF-8 byte that differs, if the part that should have stayed the same didn't. */
  readonly differsAt?: number;
  readonly usage?: Usage;
}

/** Compares a step's request with the last one before it. Undefined if the model wasn't asked for the step. */
export function compareStepPrompt(events: readonly AgentEvent[], wanted: number): ShownPrompt | undefined {
  const step = findAskedStep(events, wanted);
  const request = rebuildStepPrompt(events, step);
  if (!request) return undefined;
  const text = requestText(request, request.messages.length);
  const replied = events.findLast((event) => event.type === "replied" && event.step === step);
  const usage = replied?.type === "replied" && replied.usage ? { usage: replied.usage } : {};
  const before = events.findLast((event) => event.type === "asked" && event.step < step);
  const last = before?.type === "asked" ? rebuildStepPrompt(events, before.step) : undefined;
  if (before?.type !== "asked" || !last) return { same: "", rest: text, ...usage };
  const length = countCommonChars(text, requestText(last, last.messages.length));
  const kept = requestText(last, last.cached?.messages ?? last.messages.length - 1).length;
  const differsAt = new TextEncoder().encode(text.slice(0, length)).length;
  const end = moveBeforeHeading(text, length);
  return {
    same: text.slice(0, end),
    rest: text.slice(end),
    before: before.step,
    ...usage,
    ...(length < kept ? { differsAt } : {}),
  };
}

/** The text of a request's first messages, in the order in which services read them: offered tools first. */
function requestText({ messages, tools, schema }: ModelRequest, count: number): string {
  return [
    ...(tools ? [`--- tools ---\n${JSON.stringify(tools, null, 2)}`] : []),
    ...(schema ? [`--- schema ---\n${JSON.stringify(schema, null, 2)}`] : []),
    ...messages.slice(0, count).map(renderMessage),
  ].join("\n\n");
}

function renderMessage(message: ChatMessage): string {
  const calls = message.role === "assistant" ? (message.calls ?? []) : [];
  const called = calls.map((call) => `\n[calls ${call.name} (${call.id})]\n${call.arguments}`).join("");
  const who = message.role === "tool" ? `tool, answer to ${message.callId}` : message.role;
  return `--- ${who} ---\n${message.content}${called}`;
}

function countCommonChars(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let same = 0;
  while (same < most && one[same] === other[same]) same++;
  return same;
}

/** Returns a place in a request's text, or the beginning of the heading that contains it. */
function moveBeforeHeading(text: string, place: number): number {
  const line = text.lastIndexOf("\n", place - 1) + 1;
  return /^--- .* ---\n/.test(text.slice(line)) && place <= text.indexOf("\n", line) ? line : place;
}
