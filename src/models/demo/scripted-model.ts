import { tryJson } from "../../core/base/json.ts";
import { estimateTokens, requestTokens } from "../../core/context/tokens.ts";
import { createCriticismMessages } from "../../core/loop/think.ts";
import type { ChatMessage, Completion, CompletionOptions, Model, ModelRequest } from "../../core/ports/model.ts";
import { createDraftMessages, type Profile } from "../../core/prompt/profile.ts";
import { type Call, NO_THOUGHTS, REPLY_FORMATS, type Thoughts } from "../../core/reply/reply.ts";
import { DEMO_MODEL } from "../../schema/run-values.ts";
import { toObjectOrEmpty, toTextOrEmpty } from "../http/json.ts";
import { wait } from "../http/timers.ts";

/** A scripted model's reply in one step: a command with its thoughts, or any text. */
export type ScriptedReply =
  | { readonly thoughts?: Partial<Thoughts>; readonly command: Call }
  | { readonly text: string };

/** Everything that can influence a scripted reply. */
export type ScriptMoment = PromptPast & { readonly request: ModelRequest };

/** A reply for each step, in order; the last one repeats. */
export interface Script {
  readonly steps: readonly [ScriptEntry, ...ScriptEntry[]];
  readonly profile: Profile;
  /** The reply to a request for self-criticism. */
  readonly criticism: string;
}

type ScriptEntry = ScriptedReply | ((moment: ScriptMoment) => ScriptedReply);

export interface Playback {
  /** Typing speed; absent or 0: all at once. */
  readonly tokensPerSecond?: number;
  readonly contextWindow?: number;
}

/** About one token in characters. */
const PIECE = /[\s\S]{1,4}/gu;
/** Pause before a reply, in tokens. */
const BREATH = 20;

/**
 * Plays a script like a model. It reads its position from the prompt, so it can be stopped, resumed and repeated. It's free and says that
 * it's scripted.
 */
export function createScriptedModel(
  script: Script,
  { tokensPerSecond = 0, contextWindow = 128_000 }: Playback = {},
): Model {
  const msPerToken = tokensPerSecond > 0 ? 1000 / tokensPerSecond : 0;
  return {
    name: DEMO_MODEL,
    contextWindow,
    formats: REPLY_FORMATS,
    async complete(request, completing) {
      const spoken = chooseLine(request, script);
      const text = spoken.kind === "text" ? spoken.text : spoken.arguments;
      await speak(spoken, text, msPerToken, completing);
      return {
        text: spoken.kind === "text" ? text : "",
        calls: spoken.kind === "call" ? [{ id: spoken.id, name: spoken.name, arguments: text }] : [],
        finish: spoken.kind === "text" ? "stop" : "tool_calls",
        model: DEMO_MODEL,
        usage: { input: requestTokens(request), output: estimateTokens(text) },
        costUsd: 0,
      } satisfies Completion;
    },
  };
}

type Line =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly arguments: string };

function chooseLine(request: ModelRequest, { steps, profile, criticism }: Script): Line {
  const asked = request.messages[0]?.content;
  if (asked === ASKS_FOR_DRAFT) return { kind: "text", text: JSON.stringify(profile, null, 2) };
  if (asked === ASKS_FOR_CRITICISM) return { kind: "text", text: criticism };
  const past = readPromptPast(request.messages);
  const entry = steps[Math.min(past.count, steps.length - 1)] ?? steps[0];
  const reply = typeof entry === "function" ? entry({ ...past, request }) : entry;
  if ("text" in reply) return { kind: "text", text: reply.text };
  const { name, args } = reply.command;
  const thoughts = reply.thoughts ? { thoughts: { ...NO_THOUGHTS, ...reply.thoughts } } : {};
  if (!request.tools) return { kind: "text", text: JSON.stringify({ ...thoughts, command: { name, args } }) };
  return {
    kind: "call",
    id: `call_${past.count + 1}`,
    name,
    arguments: JSON.stringify({ ...thoughts, ...args }),
  };
}

async function speak(
  line: Line,
  text: string,
  msPerToken: number,
  { signal, delta }: CompletionOptions,
): Promise<void> {
  await wait(msPerToken * BREATH, signal);
  for (const piece of text.match(PIECE) ?? []) {
    await wait(msPerToken, signal);
    delta?.(line.kind === "text" ? { kind: "text", text: piece } : { kind: "call", name: line.name, text: piece });
  }
}

const EMPTY_PROFILE: Profile = { name: "", role: "", goals: [] };
const ASKS_FOR_DRAFT = createDraftMessages("")[0]?.content;
const ASKS_FOR_CRITICISM = createCriticismMessages(EMPTY_PROFILE, "", {
  kind: "proposal",
  thoughts: NO_THOUGHTS,
  call: { name: "", args: {} },
})[0]?.content;

/** A finished step, as it appears in a prompt's history. */
export interface PastStep {
  readonly call: Call;
  readonly status: "done" | "failed" | "refused" | "unknown";
  /** The outcome's text without its opening words. */
  readonly text: string;
}

/** The part of a run that its prompt shows. */
export interface PromptPast {
  /** Number of finished steps, including those that are only summarized. */
  readonly count: number;
  readonly steps: readonly PastStep[];
  /** The user's messages since the last reply. */
  readonly said: readonly string[];
}

/** Reads a prompt's history from its messages. */
export function readPromptPast(messages: readonly ChatMessage[]): PromptPast {
  const steps: PastStep[] = [];
  const said: string[] = [];
  let folded = 0;
  messages.forEach((message, index) => {
    if (message.role === "assistant") {
      steps.push({ call: readCall(message), ...readOutcome(messages[index + 1]?.content ?? "") });
      said.length = 0;
    }
    if (message.role !== "user") return;
    folded = Number(/^Summary of steps 1 to (\d+):/.exec(message.content)?.[1] ?? folded);
    const words = /^The user says: ([\s\S]*)$/.exec(message.content)?.[1];
    if (words !== undefined) said.push(words);
  });
  return { count: folded + steps.length, steps, said };
}

function readCall(message: ChatMessage & { readonly role: "assistant" }): Call {
  const [call] = message.calls ?? [];
  if (call) {
    const { thoughts: _, ...args } = toObjectOrEmpty(tryJson(call.arguments));
    return { name: call.name, args };
  }
  const { name, args } = toObjectOrEmpty(toObjectOrEmpty(tryJson(message.content)).command);
  return { name: toTextOrEmpty(name), args: toObjectOrEmpty(args) };
}

function readOutcome(content: string): Pick<PastStep, "status" | "text"> {
  const [, how, text] = /^\w+ (is done:|failed:|was refused and not run\.)\s?([\s\S]*)$/.exec(content) ?? [];
  const status = how === "is done:" ? "done" : how === "failed:" ? "failed" : how ? "refused" : "unknown";
  return { status, text: text ?? content };
}
