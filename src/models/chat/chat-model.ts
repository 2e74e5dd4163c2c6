import {
  type Completion,
  type CompletionOptions,
  type Model,
  ModelError,
  type ModelRequest,
  type ReasoningEffort,
  type ReplyFormat,
  type SentBack,
} from "../../core/ports/model.ts";
import type { SettingValue } from "../../schema/settings.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import type { AzureConnection, Connection } from "../http/client.ts";
import {
  hasPictures,
  mostPictures,
  saysBadPicture,
  saysNoPictures,
  saysTooManyBytes,
  unreadReply,
} from "../http/complaints.ts";
import { isLocal, type Server } from "../http/endpoint.ts";
import { ComplaintInStream, type ServerTrouble, serverTrouble } from "../http/error-response.ts";
import { BusyError, EmptyReplyError, isConnectionLoss, modelError } from "../http/errors.ts";
import { type SilenceWatch, watchSilence } from "../http/timers.ts";
import { cacheMinutes } from "../wire/cache-marks.ts";
import { chatCompletions } from "../wire/chat-completions.ts";
import { messages } from "../wire/messages.ts";
import { responses } from "../wire/responses.ts";
import type { Wire, WireOptions } from "../wire/wire.ts";
import type { Api, Dialect } from "./dialect.ts";
import type { Family } from "./families.ts";
import { type Lesson, Lessons } from "./lessons.ts";
import {
  errorOf,
  Losses,
  noteStale,
  notServed,
  otherForm,
  pictureRefused,
  reasoningRefused,
  warnOfSchema,
  withOwnReasoning,
} from "./other-form.ts";
import { type Chunk, ReplyInProgress } from "./reply-stream.ts";
import { SentPictures, sentPictures } from "./sent-pictures.ts";

/** The APIs that models are reached over. */
export const WIRES: Readonly<Record<Api, Wire>> = {
  chat: chatCompletions,
  responses,
  messages,
};

/** Dependencies of a model behind a server. */
export interface ChatModelOptions {
  readonly name: string;
  readonly contextWindow: number;
  readonly server: Server;
  /** For requests without their own. */
  readonly temperature?: number;
  /** The user's setting, for requests without their own. */
  readonly reasoningEffort?: ReasoningEffort | undefined;
  /** The API that the user demands; absent, or `auto`: the family's, or another one that the server names. */
  readonly api?: SettingValue<"model.api"> | undefined;
  readonly family: Family;
  /** How long servers should keep what they cache; absent: it depends on the run. */
  readonly cacheMinutes?: SettingValue<"model.cacheMinutes">;
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
  readonly connection: Connection | AzureConnection;
}

/** After the reason for the reply's end, only the token count can follow, and soon. */
const AFTERWORD_MS = 2_000;

/** A model behind a server, over the wire of its dialect. Each completion is one streamed request; it's repeated only in a form that the server accepts. */
export function chatModel(parts: ChatModelOptions): Model {
  const { name, contextWindow, server, problem, now = () => performance.now() } = parts;
  const lessons = parts.lessons ?? new Lessons();
  const requests = lessons.requestsTo(server.name);
  const served = new Set<Api>();
  const ask = requestSender(parts, lessons, served);
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
          const told =
            notServed(serverTrouble(error), parts.api, server, served) ??
            modelError(error, server, asked, (now() - started) / 1000);
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

/** Sends requests, and sends each again while the server refuses a part that can be left out. `served` gets the APIs that have answered. */
function requestSender(parts: ChatModelOptions, lessons: Lessons, served: Set<Api>): SendRequest {
  const { name, server } = parts;
  const lesson = lessons.of(server.name, server.model);
  const open = opener(parts);
  /** False once an unstreamed request also got an empty reply. */
  let asksUnstreamed = true;
  /** The largest limit of a reply that the server took. */
  let taken = 0;
  const out: LeftOut = { pictures: new SentPictures(), reasoning: new WeakSet(), refusals: 0 };
  const losses = new Losses(server);
  const isBlind = sightOf(parts);
  return async (asked, watch, completing, isBrokenOff) => {
    await watch.race(lessons.ready());
    const withoutPictures = hasPictures(asked) && (await watch.race(isBlind()));
    const before = lesson.changes;
    const tried = new Map<Api, unknown>();
    const news: News = { hasLearned: false };
    let changes = 0;
    for (;;) {
      const dialect = currentDialect(lesson, parts);
      const { shown, request } = nextTry(asked, dialect, withoutPictures, server, out);
      try {
        const { stream, whole } = await watch.race(open(shown, request));
        const reply = await (shown.streams ? stream(watch, completing) : whole(watch));
        losses.say(completing);
        taken = Math.max(taken, request.maxReplyTokens ?? 0);
        if (shown.pictures) out.pictures.took(request);
        if (!reply?.finish && isBrokenOff()) throw brokenOff(server.name);
        if (reply) served.add(dialect.api);
        settle(news, { reply, request, dialect, lessons, parts, completing });
        if (reply && !isEmpty(reply)) return reply;
        // Some servers say why they refuse a prompt only if it isn't streamed.
        const again = asksUnstreamed ? await whole(watch) : reply;
        if (!again) throw new EmptyReplyError();
        if (isEmpty(again)) asksUnstreamed = false;
        return again;
      } catch (error) {
        watch.signal.throwIfAborted();
        if (error instanceof EmptyReplyError) asksUnstreamed = false;
        const trouble = serverTrouble(error);
        const unread = trouble && unreadReply(trouble);
        if (unread !== undefined) return { text: unread, calls: [], finish: "stop", model: name };
        if (!trouble || ++changes > MOST_CHANGES) throw error;
        if (leavesOut(trouble, { dialect: shown, request, server, out, lesson, completing })) continue;
        const refused = { request, tried: tried.set(dialect.api, error), served, taken, parts };
        const adapted = otherForm(trouble, dialect, refused);
        if (!adapted && tried.size > 1) lesson.changes = losses.drop(before);
        if (!adapted) throw losses.saidBefore(errorOf(tried, dialect.api, trouble), completing);
        lesson.changes = lessonFor(adapted, parts);
        losses.add(trouble, [dialect, adapted], request);
        if (adapted.schemaForms[0] !== dialect.schemaForms[0]) news.noSchema ??= trouble;
        news.hasLearned = adapted.pictures || !saysBadPicture(trouble);
      }
    }
  };
}

/** News of refusals, until a request has worked. */
interface News {
  hasLearned: boolean;
  /** The first refusal of a schema. */
  noSchema?: ServerTrouble | undefined;
}

/** Keeps what was learned, and says it where it matters to people. */
function settle(
  news: News,
  {
    reply,
    request,
    dialect,
    lessons,
    parts: { server, contextWindow },
    completing,
  }: {
    readonly reply: StreamedReply | undefined;
    readonly request: ModelRequest;
    readonly dialect: Dialect;
    readonly lessons: Lessons;
    readonly parts: ChatModelOptions;
    readonly completing: CompletionOptions;
  },
): void {
  const lesson = lessons.of(server.name, server.model);
  if (reply && learnsRoom(lesson, reply, dialect, contextWindow)) news.hasLearned = true;
  if (reply && learnsChoice(lesson, reply, dialect, request)) news.hasLearned = true;
  if (news.hasLearned) void lessons.keep(server.name, server.model);
  if (news.noSchema) warnOfSchema(news.noSchema, dialect, { server, completing });
  news.hasLearned = false;
  news.noSchema = undefined;
}

function currentDialect({ changes }: Lesson, parts: ChatModelOptions): Dialect {
  const { api = "auto", family } = parts;
  const current = api === "auto" ? (changes.api ?? family.dialect.api) : api;
  return { ...firstDialect(parts, current), ...changes, api: current };
}

/** The differences from the family's form over the same API. */
function lessonFor(adapted: Dialect, parts: ChatModelOptions): Partial<Dialect> {
  const { api } = adapted;
  const isUsual = api === parts.family.dialect.api;
  return { ...changesBetween(firstDialect(parts, api), adapted), ...(isUsual ? {} : { api }) };
}

/** Parts of requests that were refused, and aren't sent again. */
interface LeftOut {
  readonly pictures: SentPictures;
  readonly reasoning: WeakSet<SentBack>;
  /** How often reasoning was refused. */
  refusals: number;
}

/** The next form of a request, and what is sent in it. */
function nextTry(
  asked: ModelRequest,
  dialect: Dialect,
  withoutPictures: boolean,
  { model }: Server,
  { pictures, reasoning }: LeftOut,
): { readonly shown: Dialect; readonly request: ModelRequest } {
  return {
    shown: withoutPictures ? { ...dialect, pictures: false } : dialect,
    request: withOwnReasoning(pictures.fitting(asked, dialect.mostPictures), model, reasoning),
  };
}

/** True if a refusal is about pictures or sealed reasoning of this request alone. They're left out from then on. */
function leavesOut(
  trouble: ServerTrouble,
  {
    dialect,
    request,
    server,
    out,
    lesson,
    completing,
  }: {
    readonly dialect: Dialect;
    readonly request: ModelRequest;
    readonly server: Server;
    readonly out: LeftOut;
    readonly lesson: Lesson;
    readonly completing: CompletionOptions;
  },
): boolean {
  if (noteStale(trouble, dialect, request, out.reasoning)) {
    out.refusals++;
    if (out.refusals === 1) completing.notice?.(reasoningRefused(trouble, server), "warning");
    // A server that refuses what came since then takes none at all.
    else lesson.changes = { ...lesson.changes, sealedReasoning: false };
    return true;
  }
  if (!dialect.pictures || !isAboutThese(trouble, request) || !out.pictures.refuse(request)) return false;
  completing.notice?.(pictureRefused(trouble, server), "warning");
  return true;
}

/** Whether the model is known to see nothing, asked once. */
function sightOf({ seesPictures }: ChatModelOptions): () => Promise<boolean> {
  let sight: Promise<boolean | undefined> | undefined;
  return async () => {
    sight ??= Promise.resolve(seesPictures?.());
    return (await sight) === false;
  };
}

/** Requests with pictures that are smaller together aren't refused for those. */
const LARGE_PICTURES = 1_000_000;

/** True if a server refuses pictures of this request, and would take others. */
function isAboutThese(trouble: ServerTrouble, request: ModelRequest): boolean {
  const pictures = sentPictures(request);
  const bytes = pictures.reduce((sum, picture) => sum + picture.bytes, 0);
  if (bytes > LARGE_PICTURES && saysTooManyBytes(trouble)) return true;
  return (
    saysNoPictures(trouble, request) &&
    saysBadPicture(trouble) &&
    mostPictures(trouble, pictures.length) === undefined
  );
}

interface StreamedReply extends Completion {
  /** White space followed it until the stream was given up. */
  readonly runsOn?: boolean;
}

/** A request over the wire of its dialect, as a stream or in one piece. */
interface OpenRequest {
  /** Undefined if the stream was empty. */
  stream(watch: SilenceWatch, completing: CompletionOptions): Promise<StreamedReply | undefined>;
  /** Throws `EmptyReplyError` if that is empty as well. */
  whole(watch: SilenceWatch): Promise<StreamedReply>;
}

/** Makes requests. The connection over each wire is opened once. */
function opener({
  name,
  server,
  connection,
}: ChatModelOptions): (dialect: Dialect, request: ModelRequest) => Promise<OpenRequest> {
  const connections = new Map<Api, ReturnType<Wire["connect"]>>();
  return async (dialect, request) => {
    const { api, sendsBack } = dialect;
    const wire = WIRES[api];
    const connecting = connections.get(api) ?? wire.connect(connection);
    connections.set(api, connecting);
    const connected = await connecting;
    const body = wire.request(server.model, request, dialect);
    const asRead = { name, sendsBack, from: server.model, read: wire.reader };
    return {
      stream: async (watch, completing) =>
        readReply(await watch.race(connected.stream(body, watchedBy(watch))), asRead, watch, completing),
      whole: async (watch) => readWhole(await watch.race(connected.whole(body, watchedBy(watch))), asRead),
    };
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
): Pick<ModelRequest, "temperature" | "reasoningEffort" | "cached"> {
  const { cached } = request;
  const temperature = request.temperature ?? parts.temperature;
  const reasoningEffort = request.reasoningEffort ?? parts.reasoningEffort;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(cached ? { cached: { ...cached, minutes: cacheMinutes(parts.cacheMinutes ?? "auto", cached) } } : {}),
  };
}

/** Share of the window that hidden reasoning may take beside a reply. */
const THINKING_SHARE = 1 / 8;

/** The family's dialect. Other servers than OpenAI's add the room for reasoning to the prompt and refuse what exceeds the window. */
function firstDialect({ family, contextWindow }: ChatModelOptions, api: Api): Dialect {
  const dialect = family.over(api);
  const most = Math.floor(contextWindow * THINKING_SHARE);
  return family.name === "openai" || dialect.thinkingRoom <= most
    ? dialect
    : { ...dialect, thinkingRoom: most };
}

/** Room for the reasoning of models without a row in the table. */
const UNKNOWN_THINKING = 8_000;

function learnsRoom(lesson: Lesson, reply: Completion, dialect: Dialect, contextWindow: number): boolean {
  const room = neededRoom(reply, dialect, contextWindow);
  if (room !== undefined) lesson.changes = { ...lesson.changes, thinkingRoom: room };
  return room !== undefined;
}

/** True if calls aren't forced from now on: a grammar for them keeps some models from ending their replies. */
function learnsChoice(
  lesson: Lesson,
  { runsOn = false }: StreamedReply,
  { toolChoice }: Dialect,
  { tools }: ModelRequest,
): boolean {
  if (!runsOn || !tools || toolChoice === "auto") return false;
  lesson.changes = { ...lesson.changes, toolChoice: "auto" };
  return true;
}

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
  /** The name under which the model was asked. */
  readonly from: string;
  /** A reader for the events of a reply. */
  read(): (event: unknown) => Chunk;
}

/** The reply as a whole. Throws `EmptyReplyError` if that is empty as well. */
function readWhole(answer: unknown, { name, sendsBack, from, read }: ReadOptions): Completion {
  const whole = read()(answer);
  if (whole.complaint) throw new ComplaintInStream(whole.complaint);
  const reply = new ReplyInProgress();
  reply.add(whole);
  if (!reply.begun) throw new EmptyReplyError();
  return withoutComplaint(reply.completion(name, sendsBack, from));
}

/** Request options that stop with the watch and report every byte to it. */
function watchedBy(watch: SilenceWatch): WireOptions {
  return { signal: watch.signal, fetchOptions: { heard: () => watch.alive(), redirect: "manual" } };
}

/** Reads the stream to its end; undefined if it was empty. Errors after the reply's stated end are ignored. */
async function readReply(
  stream: AsyncIterable<unknown>,
  { name, sendsBack, from, read }: ReadOptions,
  watch: SilenceWatch,
  completing: CompletionOptions,
): Promise<StreamedReply | undefined> {
  const reply = new ReplyInProgress();
  const reader = read();
  const pieces = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await watch.race(pieces.next());
      watch.signal.throwIfAborted();
      if (done) break;
      const chunk = reader(value);
      if (chunk.complaint) throw new ComplaintInStream(chunk.complaint);
      const deltas = reply.add(chunk);
      for (const delta of deltas) completing.delta?.(delta);
      if (reply.runsOn) break;
      if (reply.finished) watch.heard(AFTERWORD_MS);
      else if (deltas.length > 0 || chunk.calls.length > 0) watch.heard();
    }
  } catch (error) {
    completing.signal.throwIfAborted();
    if (!reply.finished) throw error;
  }
  const whole = reply.begun ? withoutComplaint(reply.completion(name, sendsBack, from)) : undefined;
  if (!reply.runsOn) return whole;
  if (!whole || isEmpty(whole)) throw new EmptyReplyError();
  return { ...whole, runsOn: true };
}
