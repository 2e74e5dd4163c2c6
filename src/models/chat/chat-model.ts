import type { OpenAI } from "openai";
import type { ChatCompletionCreateParamsStreaming } from "openai/resources";
import {
  type Completion,
  type CompletionOptions,
  type Model,
  ModelError,
  type ModelRequest,
  type ReasoningEffort,
  type ReplyFormat,
} from "../../core/ports/model.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { hasPictures, saysBadPicture, unreadReply } from "../http/complaints.ts";
import { isLocal, type Server } from "../http/endpoint.ts";
import { ComplaintInStream, serverTrouble } from "../http/error-response.ts";
import { BusyError, EmptyReplyError, isConnectionLoss, modelError } from "../http/errors.ts";
import type { WatchedInit } from "../http/server-fetch.ts";
import { type SilenceWatch, watchSilence } from "../http/timers.ts";
import { chatRequest } from "./chat-request.ts";
import { adaptedDialect, type Dialect } from "./dialect.ts";
import type { Family } from "./families.ts";
import { Lessons } from "./lessons.ts";
import { ReplyInProgress, readChunk } from "./reply-stream.ts";

/** Dependencies of a model behind OpenAI's chat API. */
export interface ChatModelOptions {
  readonly name: string;
  readonly contextWindow: number;
  readonly server: Server;
  /** For requests without their own. */
  readonly temperature?: number;
  /** The user's setting, for requests without their own. */
  readonly reasoningEffort?: ReasoningEffort | undefined;
  readonly family: Family;
  /** Whether it takes pictures, as its name or its server says; undefined if neither does. */
  seesPictures?(): Promise<boolean | undefined>;
  /** Shared by the models of the process; absent: this model learns on its own. */
  readonly lessons?: Lessons | undefined;
  /** Why these settings can't be used for a request, as a sentence. */
  readonly problem: Sentence | undefined;
  /** Milliseconds of a clock; absent: the machine's. */
  now?(): number;
  /** Minutes after which signs of life without a word of the reply are no longer enough; absent: the usual ones. */
  readonly wordlessMinutes?: number;
  connect(): Promise<OpenAI>;
}

/** After the reason for the reply's end, only the token count can follow, and soon. */
const AFTERWORD_MS = 2_000;

/** A model behind OpenAI's chat API. Each completion is one streamed request; it's repeated only in a form that the server accepts. */
export function chatModel(parts: ChatModelOptions): Model {
  const { name, contextWindow, server, problem, now = () => performance.now() } = parts;
  const lessons = parts.lessons ?? new Lessons();
  const requests = lessons.requestsTo(server.name);
  const ask = requestSender(parts, lessons);
  return {
    name,
    contextWindow,
    get formats() {
      return lessons.accepted(server.name, server.model, parts.family.formats);
    },
    traits: parts.family.traits,
    async seesPictures() {
      await lessons.ready();
      return lessons.of(server.name, server.model).changes.pictures === false
        ? false
        : parts.seesPictures?.();
    },
    async complete(request, completing) {
      completing.signal.throwIfAborted();
      if (problem !== undefined) throw new ModelError("setup", problem);
      const asked = { ...request, ...settingsOf(request, parts) };
      const send = async (isBrokenOff: () => boolean): Promise<Completion> => {
        const started = now();
        const stillSilent = (seconds: number): void =>
          completing.notice?.(displayText("trouble.waitingForReply", { server: server.name, seconds }));
        const { wordlessMinutes } = parts;
        using watch = watchSilence(completing.signal, server.timeoutSeconds, stillSilent, wordlessMinutes);
        try {
          return await ask(asked, watch, completing, isBrokenOff);
        } catch (error) {
          completing.signal.throwIfAborted();
          if (isConnectionLoss(error) && isLocal(server.name)) isBrokenOff();
          const told = modelError(error, server, asked, (now() - started) / 1000);
          if (told.trouble === "format") lessons.refuse(server.name, server.model, formatOf(asked));
          throw told;
        }
      };
      return requests.send(send, completing.signal, () =>
        completing.notice?.(displayText("trouble.waitingInLine", { server: server.name })),
      );
    },
  };
}

function formatOf({ tools, schema }: ModelRequest): ReplyFormat {
  if (tools) return "tools";
  return schema ? "jsonSchema" : "text";
}

type SendRequest = (
  request: ModelRequest,
  watch: SilenceWatch,
  completing: CompletionOptions,
  isBrokenOff: () => boolean,
) => Promise<Completion>;

/** A server that refuses the form of a request more often contradicts itself. */
const MOST_CHANGES = 30;

/** Sends requests, and sends each again while the server refuses a part that can be left out. */
function requestSender(parts: ChatModelOptions, lessons: Lessons): SendRequest {
  const { name, server } = parts;
  const lesson = lessons.of(server.name, server.model);
  const first = firstDialect(parts);
  let client: Promise<OpenAI> | undefined;
  /** False once an unstreamed request also got an empty reply. */
  let asksUnstreamed = true;
  /** The largest limit of a reply that the server took. */
  let taken = 0;
  let sight: Promise<boolean | undefined> | undefined;
  const isBlind = async (): Promise<boolean> => {
    sight ??= Promise.resolve(parts.seesPictures?.());
    return (await sight) === false;
  };
  return async (request, watch, completing, isBrokenOff) => {
    client ??= parts.connect();
    await watch.race(lessons.ready());
    const withoutPictures = hasPictures(request) && (await watch.race(isBlind()));
    let hasLearned = false;
    let changes = 0;
    for (;;) {
      const dialect: Dialect = { ...first, ...lesson.changes };
      try {
        const shown = withoutPictures ? { ...dialect, pictures: false } : dialect;
        const body = chatRequest(server.model, request, shown);
        const { completions } = (await client).chat;
        const stream = await watch.race(completions.create(body, watchedBy(watch)));
        const asRead = { name, sendsBack: dialect.sendsBack };
        const reply = await readReply(stream, asRead, watch, completing);
        taken = Math.max(taken, request.maxReplyTokens ?? 0);
        if (!reply?.finish && isBrokenOff()) throw brokenOff(server.name);
        const room = reply && neededRoom(reply, dialect, parts.contextWindow);
        if (room !== undefined) lesson.changes = { ...lesson.changes, thinkingRoom: room };
        if (hasLearned || room !== undefined) void lessons.keep(server.name, server.model);
        hasLearned = false;
        if (reply && !isEmpty(reply)) return reply;
        // Some servers say why they refuse a prompt only if it isn't streamed.
        const whole = asksUnstreamed ? await readWhole(completions, body, asRead, watch) : reply;
        if (!whole) throw new EmptyReplyError();
        if (isEmpty(whole)) asksUnstreamed = false;
        return whole;
      } catch (error) {
        watch.signal.throwIfAborted();
        if (error instanceof EmptyReplyError) asksUnstreamed = false;
        const trouble = serverTrouble(error);
        const unread = trouble && unreadReply(trouble);
        if (unread !== undefined) return { text: unread, calls: [], finish: "stop", model: name };
        const adapted = trouble && adaptedDialect(dialect, trouble, request, taken);
        if (!adapted || ++changes > MOST_CHANGES) throw error;
        lesson.changes = changesBetween(first, adapted);
        if (dialect.pictures && !adapted.pictures)
          completing.notice?.(displayText("trouble.picturesNotTaken", { server: server.name, model: name }));
        hasLearned = adapted.pictures || !saysBadPicture(trouble);
      }
    }
  };
}

function brokenOff(server: string): BusyError {
  return new BusyError(displayText("trouble.replyCutForOther", { server }), displayText("trouble.tryAgain"));
}

/** The reply, unless the reason of its end is a complaint: the window is full, or the server failed. */
function withoutComplaint(reply: Completion): Completion {
  const { finish, usage } = reply;
  const isFull = /context|window|(prompt|input).*(long|large)/.test(finish);
  if (!isFull && finish !== "error") return reply;
  const code = isFull ? "context_window_exceeded" : "server_error";
  const window = isFull && usage ? { window: usage.input + usage.output } : {};
  throw new ComplaintInStream({ message: "", code, type: "", param: "", ...window });
}

/** True for a complete reply without content. */
function isEmpty({ text, calls, reasoning, finish }: Completion): boolean {
  return (
    text === "" &&
    calls.length === 0 &&
    reasoning === undefined &&
    finish !== "length" &&
    finish !== "content_filter"
  );
}

function settingsOf(
  request: ModelRequest,
  parts: ChatModelOptions,
): Pick<ModelRequest, "temperature" | "reasoningEffort"> {
  const temperature = request.temperature ?? parts.temperature;
  const reasoningEffort = request.reasoningEffort ?? parts.reasoningEffort;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
  };
}

/** Share of the window that hidden reasoning may take beside a reply. */
const THINKING_SHARE = 1 / 8;

/** The family's dialect. Other servers than OpenAI's add the room for reasoning to the prompt and refuse what exceeds the window. */
function firstDialect({ family: { name, dialect }, contextWindow }: ChatModelOptions): Dialect {
  const most = Math.floor(contextWindow * THINKING_SHARE);
  return name === "openai" || dialect.thinkingRoom <= most ? dialect : { ...dialect, thinkingRoom: most };
}

/** Room for the reasoning of models without a row in the table. */
const UNKNOWN_THINKING = 8_000;

/** Tokens to add from now on, as reasoning used up the limit before a word of the reply came; undefined if it didn't, or no more can be given. */
function neededRoom(
  { text, calls, finish, reasoning }: Completion,
  { thinkingRoom }: Dialect,
  contextWindow: number,
): number | undefined {
  const usedUp = finish === "length" && text === "" && calls.length === 0 && reasoning !== undefined;
  const room = Math.min(UNKNOWN_THINKING, Math.floor(contextWindow * THINKING_SHARE));
  return usedUp && room > thinkingRoom ? room : undefined;
}

/** The parts in which two dialects differ. */
function changesBetween(first: Dialect, second: Dialect): Partial<Dialect> {
  const before: Readonly<Record<string, unknown>> = first;
  return Object.fromEntries(
    Object.entries(second).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}

/** How a completion is put together. */
interface ReadOptions {
  /** The name to use if the server reports none. */
  readonly name: string;
  readonly sendsBack: Dialect["sendsBack"];
}

/** Asks again for the reply as a whole. Throws `EmptyReplyError` if that is empty as well. */
async function readWhole(
  completions: OpenAI["chat"]["completions"],
  { stream: _, stream_options: __, ...body }: ChatCompletionCreateParamsStreaming,
  { name, sendsBack }: ReadOptions,
  watch: SilenceWatch,
): Promise<Completion> {
  const whole = readChunk(await watch.race(completions.create({ ...body, stream: false }, watchedBy(watch))));
  if (whole.complaint) throw new ComplaintInStream(whole.complaint);
  const reply = new ReplyInProgress();
  reply.add(whole);
  if (!reply.begun) throw new EmptyReplyError();
  return withoutComplaint(reply.completion(name, sendsBack));
}

/** Request options that stop with the watch and report every byte to it. */
function watchedBy(watch: SilenceWatch): {
  readonly signal: AbortSignal;
  readonly fetchOptions: Pick<WatchedInit, "heard" | "redirect">;
} {
  return { signal: watch.signal, fetchOptions: { heard: () => watch.alive(), redirect: "manual" } };
}

/** Reads the stream to its end; undefined if it was empty. Errors after the reply's stated end are ignored. */
async function readReply(
  stream: AsyncIterable<unknown>,
  { name, sendsBack }: ReadOptions,
  watch: SilenceWatch,
  completing: CompletionOptions,
): Promise<Completion | undefined> {
  const reply = new ReplyInProgress();
  const pieces = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await watch.race(pieces.next());
      watch.signal.throwIfAborted();
      if (done) break;
      const chunk = readChunk(value);
      if (chunk.complaint) throw new ComplaintInStream(chunk.complaint);
      const deltas = reply.add(chunk);
      for (const delta of deltas) completing.delta?.(delta);
      if (reply.finished) watch.heard(AFTERWORD_MS);
      else if (deltas.length > 0 || chunk.calls.length > 0) watch.heard();
    }
  } catch (error) {
    completing.signal.throwIfAborted();
    if (!reply.finished) throw error;
  }
  return reply.begun ? withoutComplaint(reply.completion(name, sendsBack)) : undefined;
}
