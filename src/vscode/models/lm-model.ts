import * as vscode from "vscode";
import { tryJson } from "../../core/base/json.ts";
import type {
  ChatMessage,
  Completion,
  CompletionOptions,
  Model,
  ModelDelta,
  ModelRequest,
  ToolCall,
} from "../../core/ports/model.ts";
import { familyOf } from "../../models/chat/families.ts";
import { FREE_ORDER, inOrder, type MessageOrder, stricterOrder } from "../../models/chat/message-order.ts";
import { saysWrongOrder } from "../../models/http/complaints.ts";
import { objectOf } from "../../models/http/json.ts";
import { type SilenceWatch, watchSilence } from "../../models/http/timers.ts";
import { withRetries } from "../../models/retries.ts";
import { displayText } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { lmError, spokenTrouble } from "./lm-error.ts";

/**
 * A model of VS Code, with retries and a context window of at most `most` tokens. It is asked for tool calls as long as
 * it accepts them. VS Code doesn't report tokens or costs.
 */
export function lmModel(
  chat: vscode.LanguageModelChat,
  timeoutSeconds = 120,
  most = Number.POSITIVE_INFINITY,
): Model {
  const { name } = chat;
  let accepted: Accepted = { toolMode: vscode.LanguageModelChatToolMode.Required, order: LM_ORDER };

  /** Sends a request, and sends it again in another form if the model refuses the first one. */
  const ask = async (request: ModelRequest, completing: CompletionOptions): Promise<Completion> => {
    for (;;) {
      try {
        return await askOnce(chat, request, accepted, timeoutSeconds, completing);
      } catch (error) {
        completing.signal.throwIfAborted();
        const adapted = adaptedTo(error, accepted, request);
        if (!adapted) throw error;
        accepted = adapted;
      }
    }
  };

  return withRetries({
    name,
    contextWindow: Math.min(most, chat.maxInputTokens),
    formats: ["tools", "text"],
    traits: familyOf(chat.family, "").traits,
    seesPictures: async () => false,
    async complete(request, completing) {
      completing.signal.throwIfAborted();
      try {
        return await ask(request, completing);
      } catch (error) {
        completing.signal.throwIfAborted();
        throw lmError(error, name, request);
      }
    },
  });
}

/** The form in which a model accepts requests, learned from its refusals. */
interface Accepted {
  readonly toolMode: vscode.LanguageModelChatToolMode;
  readonly order: MessageOrder;
}

function adaptedTo(error: unknown, accepted: Accepted, request: ModelRequest): Accepted | undefined {
  const trouble = spokenTrouble(error);
  const order = saysWrongOrder(trouble) ? stricterOrder(accepted.order, trouble, request) : undefined;
  if (order) return { ...accepted, order };
  return accepted.toolMode === vscode.LanguageModelChatToolMode.Required && refusesToolMode(error)
    ? { ...accepted, toolMode: vscode.LanguageModelChatToolMode.Auto }
    : undefined;
}

/** Some models don't accept a required tool when several are offered. */
function refusesToolMode(error: unknown): boolean {
  return error instanceof Error && /\bRequired\b.*not supported|tool ?mode|tool_choice/i.test(error.message);
}

async function askOnce(
  chat: vscode.LanguageModelChat,
  request: ModelRequest,
  { toolMode, order }: Accepted,
  timeoutSeconds: number,
  completing: CompletionOptions,
): Promise<Completion> {
  const { signal } = completing;
  const cancel = new vscode.CancellationTokenSource();
  const stop = (): void => cancel.cancel();
  // VS Code may first ask the user for permission, so there is no time limit.
  using asking = watchSilence(signal, 0, () => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const response = await asking.race(
      Promise.resolve(
        chat.sendRequest(
          lmMessages(request.messages, order),
          { justification: t("models.justification"), ...toolsOf(request, toolMode) },
          cancel.token,
        ),
      ),
    );
    using watch = watchSilence(signal, timeoutSeconds, (seconds) =>
      completing.notice?.(displayText("trouble.waitingForModel", { model: chat.name, count: seconds })),
    );
    return { ...(await readReply(response.stream, watch, completing)), model: chat.name };
  } finally {
    signal.removeEventListener("abort", stop);
    cancel.cancel();
    cancel.dispose();
  }
}

function toolsOf(
  { tools }: ModelRequest,
  toolMode: vscode.LanguageModelChatToolMode,
): Pick<vscode.LanguageModelChatRequestOptions, "tools" | "toolMode"> {
  if (!tools) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: { ...parameters },
    })),
    toolMode,
  };
}

/** A stream that ends is a complete reply; VS Code gives no other reason. */
async function readReply(
  stream: AsyncIterable<unknown>,
  watch: SilenceWatch,
  { delta }: CompletionOptions,
): Promise<Pick<Completion, "text" | "calls" | "finish">> {
  const parts = stream[Symbol.asyncIterator]();
  const calls: ToolCall[] = [];
  let text = "";
  for (;;) {
    const { done, value } = await watch.race(parts.next());
    watch.signal.throwIfAborted();
    if (done) return { text, calls, finish: calls.length > 0 ? "tool_calls" : "stop" };
    watch.heard();
    const read = readPart(value);
    if (read?.call) calls.push(read.call);
    if (read?.delta.kind === "text") text += read.delta.text;
    if (read && (read.call === undefined || calls.length === 1)) delta?.(read.delta);
  }
}

/** Reads text or a call. Other parts, such as the model's private reasoning, aren't part of the reply. */
function readPart(part: unknown): { readonly delta: ModelDelta; readonly call?: ToolCall } | undefined {
  if (part instanceof vscode.LanguageModelTextPart) return { delta: { kind: "text", text: part.value } };
  if (!(part instanceof vscode.LanguageModelToolCallPart)) return undefined;
  const call = { id: part.callId, name: part.name, arguments: JSON.stringify(part.input) };
  return { delta: { kind: "call", name: call.name, text: call.arguments }, call };
}

/** VS Code's API has no system role, so the system message opens the first user message. */
const LM_ORDER: MessageOrder = { ...FREE_ORDER, system: false, userAfterUser: false };

/** Converts messages for a VS Code model. */
function lmMessages(
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
