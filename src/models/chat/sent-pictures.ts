import { describeResultPictures, quotePictureName } from "../../core/base/pictures.ts";
import type { ChatMessage, MessagePicture, ModelRequest } from "../../core/ports/model.ts";
import type { Dialect } from "../../schema/dialect.ts";

/**
 * Keeps only sendable pictures in messages, and names the others in the text. If `inResults` is false, the pictures of results go into a
 * user message after them, for APIs whose results hold only text.
 */
export function keepSendablePictures(
  messages: readonly ChatMessage[],
  dialect: Pick<Dialect, "pictures">,
  inResults: boolean,
): readonly ChatMessage[] {
  const named = messages.map((message) => replaceUnsentPictures(message, dialect));
  return inResults ? named : movePicturesAfterResults(named);
}

function replaceUnsentPictures(message: ChatMessage, dialect: Pick<Dialect, "pictures">): ChatMessage {
  if ((message.role !== "user" && message.role !== "tool") || !message.pictures) return message;
  const { pictures, ...rest } = message;
  const sent = pictures.filter(({ data, unsent }) => dialect.pictures && data !== undefined && unsent === undefined);
  const unsent = pictures.filter((picture) => !sent.includes(picture));
  const content = [rest.content, ...unsent.map((picture) => describeUnsentPicture(picture, dialect))].join("\n\n");
  return sent.length === 0 ? { ...rest, content } : { ...rest, content, pictures: sent };
}

const UNSENT = {
  refused: "the model's service refused it",
  surplus: "left out, as there are too many newer ones",
} as const;

/** The text that replaces a picture for the model. */
function describeUnsentPicture({ name, unsent }: MessagePicture, { pictures }: Pick<Dialect, "pictures">): string {
  const why = pictures ? (unsent ? UNSENT[unsent] : "its file is gone") : "this model can't see it";
  return `[picture ${quotePictureName(name)}: ${why}]`;
}

function movePicturesAfterResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const placed: ChatMessage[] = [];
  let open: readonly MessagePicture[] = [];
  const addOpenPictures = (): void => {
    if (open.length > 0) placed.push({ role: "user", content: describeResultPictures(open), pictures: open });
    open = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const { pictures = [], ...result } = message;
      open = [...open, ...pictures];
      placed.push(result);
    } else {
      addOpenPictures();
      placed.push(message);
    }
  }
  addOpenPictures();
  return placed;
}

/** The number of messages that begin each prompt of a run. */
const HEAD = 2;
/** Services refuse larger requests, and base64 adds a third. */
const MOST_BYTES = 15_000_000;

/** The pictures that a server has accepted or refused so far. */
export class SentPictures {
  private readonly taken = new Set<string>();
  private readonly refused = new Set<string>();

  /** Removes refused pictures from a request, and older ones beyond `most`. */
  limitPictures(request: ModelRequest, most: number): ModelRequest {
    if (!request.messages.some((message) => getPictures(message).length > 0)) return request;
    const surplus = selectSurplusPictures(request.messages, most);
    const markUnsent = (picture: MessagePicture): MessagePicture => {
      if (this.refused.has(picture.file)) return { ...picture, unsent: "refused" };
      return surplus.has(picture) ? { ...picture, unsent: "surplus" } : picture;
    };
    const messages = request.messages.map((message) =>
      getPictures(message).length > 0 ? { ...message, pictures: getPictures(message).map(markUnsent) } : message,
    );
    return { ...request, messages };
  }

  recordTaken(request: ModelRequest): void {
    for (const { file } of listSentPictures(request)) this.taken.add(file);
  }

  /** Leaves out the pictures that weren't accepted before, as one of them is refused. Returns false if there are none. */
  refuse(request: ModelRequest): boolean {
    const fresh = listSentPictures(request).filter(({ file }) => !this.taken.has(file));
    for (const { file } of fresh) this.refused.add(file);
    return fresh.length > 0;
  }
}

function getPictures(message: ChatMessage): readonly MessagePicture[] {
  return message.role === "user" || message.role === "tool" ? (message.pictures ?? []) : [];
}

/** The pictures that a request still includes. */
export function listSentPictures({ messages }: Pick<ModelRequest, "messages">): readonly MessagePicture[] {
  return messages.flatMap(getPictures).filter(({ unsent }) => unsent === undefined);
}

/**
 * The older pictures that exceed the limit together with the newest ones. Half of them are dropped at once, so that few prompts differ at
 * the beginning from the previous one.
 */
function selectSurplusPictures(messages: readonly ChatMessage[], most: number): ReadonlySet<MessagePicture> {
  const first = messages.slice(0, HEAD).flatMap(getPictures);
  const later = messages.slice(HEAD).flatMap(getPictures);
  const kept = first.slice(0, later.length > 0 ? most - 1 : most);
  const room = most - kept.length;
  const bytes = MOST_BYTES - sumBytes(kept);
  let shown: readonly MessagePicture[] = [];
  for (const picture of later) {
    shown = [...shown, picture];
    if (shown.length <= room && sumBytes(shown) <= bytes) continue;
    while (shown.length > 1 && (shown.length > room / 2 || sumBytes(shown) > bytes / 2)) shown = shown.slice(1);
  }
  return new Set([...first, ...later].filter((one) => !kept.includes(one) && !shown.includes(one)));
}

function sumBytes(pictures: readonly MessagePicture[]): number {
  return pictures.reduce((sum, { bytes }) => sum + bytes, 0);
}
