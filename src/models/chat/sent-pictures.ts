import { picturesOfResults, quotedName } from "../../core/base/pictures.ts";
import type { ChatMessage, MessagePicture, ModelRequest } from "../../core/ports/model.ts";
import type { Dialect } from "../../schema/dialect.ts";

/**
 * Messages whose pictures can all be sent; the others are named in the text. With `inResults` false, pictures of results are in a user
 * message right after them, for APIs whose results hold nothing but text.
 */
export function withSentPictures(
  messages: readonly ChatMessage[],
  dialect: Pick<Dialect, "pictures">,
  inResults: boolean,
): readonly ChatMessage[] {
  const named = messages.map((message) => withUnsentNamed(message, dialect));
  return inResults ? named : afterResults(named);
}

function withUnsentNamed(message: ChatMessage, dialect: Pick<Dialect, "pictures">): ChatMessage {
  if ((message.role !== "user" && message.role !== "tool") || !message.pictures) return message;
  const { pictures, ...rest } = message;
  const sent = pictures.filter(
    ({ data, unsent }) => dialect.pictures && data !== undefined && unsent === undefined,
  );
  const unsent = pictures.filter((picture) => !sent.includes(picture));
  const content = [rest.content, ...unsent.map((picture) => unsentText(picture, dialect))].join("\n\n");
  return sent.length === 0 ? { ...rest, content } : { ...rest, content, pictures: sent };
}

const UNSENT = {
  refused: "the model's service refused it",
  surplus: "left out, as there are too many newer ones",
} as const;

/** The text that the model reads in place of a picture. */
function unsentText({ name, unsent }: MessagePicture, { pictures }: Pick<Dialect, "pictures">): string {
  const why = pictures ? (unsent ? UNSENT[unsent] : "its file is gone") : "this model can't see it";
  return `[picture ${quotedName(name)}: ${why}]`;
}

function afterResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const placed: ChatMessage[] = [];
  let open: readonly MessagePicture[] = [];
  const place = (): void => {
    if (open.length > 0) placed.push({ role: "user", content: picturesOfResults(open), pictures: open });
    open = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const { pictures = [], ...result } = message;
      open = [...open, ...pictures];
      placed.push(result);
    } else {
      place();
      placed.push(message);
    }
  }
  place();
  return placed;
}

/** Messages at the beginning of each prompt of a run. */
const HEAD = 2;
/** Services refuse larger requests, and base64 adds a third. */
const MOST_BYTES = 15_000_000;

/** The pictures that a server has taken or refused so far. */
export class SentPictures {
  private readonly taken = new Set<string>();
  private readonly refused = new Set<string>();

  /** The request without the pictures that were refused, and the older ones beyond `most`. */
  fitting(request: ModelRequest, most: number): ModelRequest {
    if (!request.messages.some((message) => picturesOf(message).length > 0)) return request;
    const surplus = surplusIn(request.messages, most);
    const marked = (picture: MessagePicture): MessagePicture => {
      if (this.refused.has(picture.file)) return { ...picture, unsent: "refused" };
      return surplus.has(picture) ? { ...picture, unsent: "surplus" } : picture;
    };
    const messages = request.messages.map((message) =>
      picturesOf(message).length > 0 ? { ...message, pictures: picturesOf(message).map(marked) } : message,
    );
    return { ...request, messages };
  }

  took(request: ModelRequest): void {
    for (const { file } of sentPictures(request)) this.taken.add(file);
  }

  /** Leaves out the request's pictures that weren't taken before, as one of them is refused; false if there are none. */
  refuse(request: ModelRequest): boolean {
    const fresh = sentPictures(request).filter(({ file }) => !this.taken.has(file));
    for (const { file } of fresh) this.refused.add(file);
    return fresh.length > 0;
  }
}

function picturesOf(message: ChatMessage): readonly MessagePicture[] {
  return message.role === "user" || message.role === "tool" ? (message.pictures ?? []) : [];
}

/** The pictures of a request that aren't left out. */
export function sentPictures({ messages }: Pick<ModelRequest, "messages">): readonly MessagePicture[] {
  return messages.flatMap(picturesOf).filter(({ unsent }) => unsent === undefined);
}

/**
 * The older pictures that don't fit beside the newest ones. Half of them go at once, so that few prompts differ in their beginning from
 * the one before.
 */
function surplusIn(messages: readonly ChatMessage[], most: number): ReadonlySet<MessagePicture> {
  const first = messages.slice(0, HEAD).flatMap(picturesOf);
  const later = messages.slice(HEAD).flatMap(picturesOf);
  const kept = first.slice(0, later.length > 0 ? most - 1 : most);
  const room = most - kept.length;
  const bytes = MOST_BYTES - bytesOf(kept);
  let shown: readonly MessagePicture[] = [];
  for (const picture of later) {
    shown = [...shown, picture];
    if (shown.length <= room && bytesOf(shown) <= bytes) continue;
    while (shown.length > 1 && (shown.length > room / 2 || bytesOf(shown) > bytes / 2))
      shown = shown.slice(1);
  }
  return new Set([...first, ...later].filter((one) => !kept.includes(one) && !shown.includes(one)));
}

function bytesOf(pictures: readonly MessagePicture[]): number {
  return pictures.reduce((sum, { bytes }) => sum + bytes, 0);
}
