import * as vscode from "vscode";
import { tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
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
import { canSeePicturesByName } from "../../models/catalog/model-facts.ts";
import { parseBillions } from "../../models/catalog/model-size.ts";
import { COMMON_DIALECT } from "../../models/chat/dialect.ts";
import { findModelFamily } from "../../models/chat/families.ts";
import { FREE_ORDER, findStricterOrder, type MessageOrder, orderMessages } from "../../models/chat/message-order.ts";
import { keepSendablePictures, SentPictures } from "../../models/chat/sent-pictures.ts";
import { isMessageOrderComplaint, isPictureComplaint } from "../../models/http/complaints.ts";
import { IN_EDITOR } from "../../models/http/endpoint.ts";
import { toObjectOrEmpty } from "../../models/http/json.ts";
import { type SilenceWatch, watchSilence } from "../../models/http/timers.ts";
import { addRetries } from "../../models/retries.ts";
import { displayText } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { convertLmError, convertToServerTrouble } from "./lm-error.ts";

/**
 * Creates a model from VS Code's, with retries and a context window of at most `most` tokens. It requests tool calls as long as the model
 * accepts them. VS Code doesn't report tokens or costs.
 */
export function createLmModel(
  chat: vscode.LanguageModelChat,
  timeoutSeconds = 120,
  most = Number.POSITIVE_INFINITY,
): Model {
  const { name } = chat;
  const imagePart = findImagePartFactory();
  const pictures = new SentPictures();
  let accepted: Accepted = {
    toolMode: vscode.LanguageModelChatToolMode.Required,
    order: LM_ORDER,
    ...omitUndefined({ imagePart }),
  };

  /** Sends a request. If the model refuses its form, sends it again in another form. */
  const ask = async (asked: ModelRequest, completing: CompletionOptions): Promise<Completion> => {
    for (;;) {
      const request = pictures.limitPictures(asked, COMMON_DIALECT.mostPictures);
      try {
        return await askOnce(chat, request, accepted, timeoutSeconds, completing);
      } catch (error) {
        completing.signal.throwIfAborted();
        const adapted = adaptAcceptedOptions(error, accepted, request);
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

  return addRetries({
    name,
    contextWindow: Math.min(most, chat.maxInputTokens),
    billions: parseBillions(chat.family) ?? parseBillions(chat.id),
    formats: ["tools", "text"],
    traits: findModelFamily(chat.family, "").traits,
    seesPictures: async () => (accepted.imagePart ? canSeePicturesByName(chat.family) : false),
    async complete(request, completing) {
      completing.signal.throwIfAborted();
      try {
        return await ask(request, completing);
      } catch (error) {
        completing.signal.throwIfAborted();
        throw convertLmError(error, name, request);
      }
    },
  });
}

/** The request form that a model accepts, learned from its refusals. */
interface Accepted {
  readonly toolMode: vscode.LanguageModelChatToolMode;
  readonly order: MessageOrder;
  /** Creates a message part with a picture; absent if the model accepts no pictures. */
  readonly imagePart?: ImagePart;
}

type ImagePart = (data: Uint8Array, mime: string) => unknown;

/** First version with data parts in the stable API. Some earlier versions have them as proposed API. */
const DATA_PARTS_SINCE = [1, 106] as const;

function findImagePartFactory(): ImagePart | undefined {
  const [major = 0, minor = 0] = vscode.version.split(".").map(Number);
  const [stable, since] = DATA_PARTS_SINCE;
  const isStable = major > stable || (major === stable && minor >= since);
  const { LanguageModelDataPart: part }: { readonly LanguageModelDataPart?: { readonly image: ImagePart } } =
    vscode as object;
  return isStable && part ? (data, mime) => part.image(data, mime) : undefined;
}

function adaptAcceptedOptions(error: unknown, accepted: Accepted, request: ModelRequest): Accepted | undefined {
  const trouble = convertToServerTrouble(error);
  const order = isMessageOrderComplaint(trouble) ? findStricterOrder(accepted.order, trouble, request) : undefined;
  if (order) return { ...accepted, order };
  if (accepted.imagePart && isPictureComplaint(trouble, request)) {
    const { imagePart: _, ...rest } = accepted;
    return rest;
  }
  return accepted.toolMode === vscode.LanguageModelChatToolMode.Required && isToolModeRefusal(error)
    ? { ...accepted, toolMode: vscode.LanguageModelChatToolMode.Auto }
    : undefined;
}

/** True if a model refuses to require a tool. Some do when several are offered. */
function isToolModeRefusal(error: unknown): boolean {
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
          convertToLmMessages(request.messages, form),
          { justification: t("models.justification"), ...buildToolOptions(request, toolMode) },
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

function buildToolOptions(
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

/** Reads a reply. VS Code gives no reason when a stream ends, so the reply counts as complete. */
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
    watch.reportProgress();
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
function convertToLmMessages(
  messages: readonly ChatMessage[],
  { order, imagePart }: Omit<Accepted, "toolMode">,
): vscode.LanguageModelChatMessage[] {
  const sent = keepSendablePictures(messages, { pictures: imagePart !== undefined }, true);
  const convertPictures = (pictures: readonly MessagePicture[] = []): unknown[] =>
    pictures.map(({ data = "", mediaType }) => imagePart?.(Buffer.from(data, "base64"), mediaType));
  const told: vscode.LanguageModelChatMessage[] = [];
  let results: vscode.LanguageModelToolResultPart[] = [];
  for (const message of orderMessages(sent, order)) {
    if (message.role === "tool") {
      results.push(
        new vscode.LanguageModelToolResultPart(message.callId, [
          new vscode.LanguageModelTextPart(message.content),
          ...convertPictures(message.pictures),
        ]),
      );
      continue;
    }
    if (results.length > 0) told.push(vscode.LanguageModelChatMessage.User(results));
    results = [];
    told.push(
      message.role === "assistant"
        ? vscode.LanguageModelChatMessage.Assistant(createAssistantParts(message.content, message.calls ?? []))
        : createUserMessage(message.content, convertPictures(message.role === "user" ? message.pictures : [])),
    );
  }
  if (results.length > 0) told.push(vscode.LanguageModelChatMessage.User(results));
  return told;
}

/** Creates a message. The oldest supported types don't include picture parts. */
function createUserMessage(content: string, images: readonly unknown[]): vscode.LanguageModelChatMessage {
  if (images.length === 0) return vscode.LanguageModelChatMessage.User(content);
  const parts = [new vscode.LanguageModelTextPart(content), ...images];
  return vscode.LanguageModelChatMessage.User(parts as vscode.LanguageModelTextPart[]);
}

function createAssistantParts(
  content: string,
  calls: readonly ToolCall[],
): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] {
  return [
    ...(content === "" && calls.length > 0 ? [] : [new vscode.LanguageModelTextPart(content)]),
    ...calls.map(
      ({ id, name, arguments: args }) => new vscode.LanguageModelToolCallPart(id, name, toObjectOrEmpty(tryJson(args))),
    ),
  ];
}
