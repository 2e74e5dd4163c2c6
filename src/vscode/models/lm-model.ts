import * as vscode from "vscode";
import { tryJson } from "../../core/base/json.ts";
import type {
  ChatMessage,
  Completion,
  CompletionOptions,
  MessagePicture,
  Model,
  ModelDelta,
  ModelRequest,
  ToolCall,
} from "../../core/ports/model.ts";
import { seesPicturesByName } from "../../models/catalog/model-facts.ts";
import { billionsIn } from "../../models/catalog/model-size.ts";
import { COMMON_DIALECT } from "../../models/chat/dialect.ts";
import { familyOf } from "../../models/chat/families.ts";
import { FREE_ORDER, inOrder, type MessageOrder, stricterOrder } from "../../models/chat/message-order.ts";
import { SentPictures, withSentPictures } from "../../models/chat/sent-pictures.ts";
import { saysNoPictures, saysWrongOrder } from "../../models/http/complaints.ts";
import { IN_EDITOR } from "../../models/http/endpoint.ts";
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
  const imagePart = imageParts();
  const pictures = new SentPictures();
  let accepted: Accepted = {
    toolMode: vscode.LanguageModelChatToolMode.Required,
    order: LM_ORDER,
    ...(imagePart ? { imagePart } : {}),
  };

  /** Sends a request, and sends it again in another form if the model refuses the first one. */
  const ask = async (asked: ModelRequest, completing: CompletionOptions): Promise<Completion> => {
    for (;;) {
      const request = pictures.fitting(asked, COMMON_DIALECT.mostPictures);
      try {
        return await askOnce(chat, request, accepted, timeoutSeconds, completing);
      } catch (error) {
        completing.signal.throwIfAborted();
        const adapted = adaptedTo(error, accepted, request);
        if (!adapted) throw error;
        if (accepted.imagePart && !adapted.imagePart)
          completing.notice?.(
            displayText("trouble.picturesNotTaken", { server: chat.vendor, name, model: IN_EDITOR.model }),
            "warning",
          );
        accepted = adapted;
      }
    }
  };

  return withRetries({
    name,
    contextWindow: Math.min(most, chat.maxInputTokens),
    billions: billionsIn(chat.family) ?? billionsIn(chat.id),
    formats: ["tools", "text"],
    traits: familyOf(chat.family, "").traits,
    seesPictures: async () => (accepted.imagePart ? seesPicturesByName(chat.family) : false),
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
  /** Makes the part of a message that holds a picture; absent where it takes none. */
  readonly imagePart?: ImagePart;
}

type ImagePart = (data: Uint8Array, mime: string) => unknown;

/** Parts with data are in the stable API since this version, and in some before it as a proposal. */
const DATA_PARTS_SINCE = [1, 106] as const;

function imageParts(): ImagePart | undefined {
  const [major = 0, minor = 0] = vscode.version.split(".").map(Number);
  const [stable, since] = DATA_PARTS_SINCE;
  const isStable = major > stable || (major === stable && minor >= since);
  const { LanguageModelDataPart: part }: { readonly LanguageModelDataPart?: { readonly image: ImagePart } } =
    vscode as object;
  return isStable && part ? (data, mime) => part.image(data, mime) : undefined;
}

function adaptedTo(error: unknown, accepted: Accepted, request: ModelRequest): Accepted | undefined {
  const trouble = spokenTrouble(error);
  const order = saysWrongOrder(trouble) ? stricterOrder(accepted.order, trouble, request) : undefined;
  if (order) return { ...accepted, order };
  if (accepted.imagePart && saysNoPictures(trouble, request)) {
    const { imagePart: _, ...rest } = accepted;
    return rest;
  }
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
  { toolMode, ...form }: Accepted,
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
          lmMessages(request.messages, form),
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
  { order, imagePart }: Omit<Accepted, "toolMode">,
): vscode.LanguageModelChatMessage[] {
  const sent = withSentPictures(messages, { pictures: imagePart !== undefined }, true);
  const images = (pictures: readonly MessagePicture[] = []): unknown[] =>
    pictures.map(({ data = "", mediaType }) => imagePart?.(Buffer.from(data, "base64"), mediaType));
  const told: vscode.LanguageModelChatMessage[] = [];
  let results: vscode.LanguageModelToolResultPart[] = [];
  for (const message of inOrder(sent, order)) {
    if (message.role === "tool") {
      results.push(
        new vscode.LanguageModelToolResultPart(message.callId, [
          new vscode.LanguageModelTextPart(message.content),
          ...images(message.pictures),
        ]),
      );
      continue;
    }
    if (results.length > 0) told.push(vscode.LanguageModelChatMessage.User(results));
    results = [];
    told.push(
      message.role === "assistant"
        ? vscode.LanguageModelChatMessage.Assistant(assistantParts(message.content, message.calls ?? []))
        : userMessage(message.content, images(message.role === "user" ? message.pictures : [])),
    );
  }
  if (results.length > 0) told.push(vscode.LanguageModelChatMessage.User(results));
  return told;
}

/** The oldest types that we support don't know the parts of pictures. */
function userMessage(content: string, images: readonly unknown[]): vscode.LanguageModelChatMessage {
  if (images.length === 0) return vscode.LanguageModelChatMessage.User(content);
  const parts = [new vscode.LanguageModelTextPart(content), ...images];
  return vscode.LanguageModelChatMessage.User(parts as vscode.LanguageModelTextPart[]);
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
