import { omitUndefined } from "../../core/base/objects.ts";
import {
  type Completion,
  type CompletionOptions,
  ENDLESS,
  type Model,
  ModelError,
  type ModelRequest,
  type ReasoningEffort,
  type ReplyFormat,
  type SentBack,
} from "../../core/ports/model.ts";
import type { SettingValue } from "../../schema/settings.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { parseBillions } from "../catalog/model-size.ts";
import type { AzureConnection, Connection } from "../http/client.ts";
import {
  findWithheldReply,
  hasPictures,
  isBadPictureComplaint,
  isPictureComplaint,
  isTooManyBytesComplaint,
  readPictureLimit,
} from "../http/complaints.ts";
import { isLocal, type Server } from "../http/endpoint.ts";
import { readServerTrouble, type ServerTrouble } from "../http/error-response.ts";
import { BusyError, createModelError, EmptyReplyError, isConnectionLoss } from "../http/errors.ts";
import type { Pace } from "../http/pace.ts";
import { type SilenceWatch, watchSilence } from "../http/timers.ts";
import { formatDuration } from "../retries.ts";
import { chooseCacheMinutes } from "../wire/cache-marks.ts";
import type { Api, Dialect } from "./dialect.ts";
import type { Family } from "./families.ts";
import { type Lesson, Lessons } from "./lessons.ts";
import { isEmpty, requestOpener } from "./open-request.ts";
import {
  chooseRequestError,
  describeRefusedPart,
  filterOwnReasoning,
  findNotServedError,
  findOtherForm,
  Losses,
  noteStale,
} from "./other-form.ts";
import { listSentPictures, SentPictures } from "./sent-pictures.ts";

/** Dependencies of a model behind a server. */
export interface ChatModelOptions {
  readonly name: string;
  readonly contextWindow: number;
  /** Billions of parameters; absent: taken from the name. */
  readonly billions?: number | undefined;
  readonly server: Server;
  /** For requests without their own. */
  readonly temperature?: number;
  /** The user's setting, for requests without an effort. */
  readonly reasoningEffort?: ReasoningEffort | undefined;
  /** The API that the user requires. Absent or `auto`: the family's, or another one that the server names. */
  readonly api?: SettingValue<"model.api"> | undefined;
  readonly family: Family;
  /** How long servers should keep cached input; absent: depends on the run. */
  readonly cacheMinutes?: SettingValue<"model.cacheMinutes">;
  /** Whether it accepts pictures, according to its name or its server; undefined if neither shows it. */
  canSeePictures?(): Promise<boolean | undefined>;
  /** Shared by the models of the process; absent: this model learns on its own. */
  readonly lessons?: Lessons | undefined;
  /** A sentence about why these settings can't be used for requests. */
  readonly problem: Sentence | undefined;
  /** Milliseconds of a clock; absent: the machine's. */
  getNow?(): number;
  /** How many minutes signs of life are enough without a word of the reply; absent: the usual number. */
  readonly wordlessMinutes?: number;
  readonly connection: Connection | AzureConnection;
}

/**
 * A model on a server, over the wire of its dialect. Each completion is one streamed request, repeated only in a form that the server
 * accepts.
 */
export function createChatModel(parts: ChatModelOptions): Model {
  const { name, contextWindow, server, problem, getNow = () => performance.now() } = parts;
  const lessons = parts.lessons ?? new Lessons();
  const requests = lessons.getRequests(server.name);
  const sender = new RequestSender(parts, lessons);
  return {
    name,
    contextWindow,
    billions: parts.billions ?? parseBillions(name),
    get formats() {
      return lessons.listAcceptedFormats(server.name, server.model, parts.family.formats);
    },
    get learnedFormat() {
      return lessons.getLesson(server.name, server.model).format;
    },
    learnFormat: (format) => void lessons.keepFormat(server.name, server.model, format),
    traits: parts.family.traits,
    async seesPictures() {
      await lessons.ensureLoaded();
      return lessons.getLesson(server.name, server.model).changes.pictures === false ? false : parts.canSeePictures?.();
    },
    async complete(request, completing) {
      completing.signal.throwIfAborted();
      if (problem !== undefined) throw new ModelError("setup", problem);
      const asked = { ...request, ...selectRequestSettings(request, parts) };
      const { pace } = requests;
      const send = async (isBrokenOff: () => boolean): Promise<Completion> => {
        await pace.takeTurn(completing.signal, (ms) =>
          completing.notice?.(displayText("trouble.waitingForTurn", { server: server.name, time: formatDuration(ms) })),
        );
        const started = getNow();
        const notifySilence = (seconds: number): void =>
          completing.notice?.(displayText("trouble.waitingForReply", { server: server.name, seconds }));
        const { wordlessMinutes } = parts;
        using watch = watchSilence(completing.signal, server.timeoutSeconds, notifySilence, wordlessMinutes);
        try {
          const completion = await sender.send(asked, { watch, completing, isBrokenOff, pace });
          const { input = 0, output = 0 } = completion.usage ?? {};
          pace.spendTokens(input + output);
          return completion;
        } catch (error) {
          completing.signal.throwIfAborted();
          if (isConnectionLoss(error) && isLocal(server.name)) isBrokenOff();
          const failure =
            findNotServedError(readServerTrouble(error), parts.api, server, sender.served) ??
            createModelError(error, server, asked, (getNow() - started) / 1000);
          if (failure.trouble === "format") lessons.refuse(server.name, server.model, chooseReplyFormat(asked));
          throw failure;
        }
      };
      return requests.send(send, completing.signal, () =>
        completing.notice?.(displayText("trouble.waitingInLine", { server: server.name })),
      );
    },
  };
}

function chooseReplyFormat({ tools, schema }: ModelRequest): ReplyFormat {
  if (tools) return "tools";
  return schema ? "jsonSchema" : "text";
}

/** The most changes of a request's form. A server that refuses more contradicts itself. */
const MOST_CHANGES = 30;

/** The watch over a reply, and the caller's options. */
interface Sending {
  readonly watch: SilenceWatch;
  readonly completing: CompletionOptions;
  /** True if another request may have cut the reply off. The result is remembered. */
  isBrokenOff(): boolean;
  readonly pace: Pace;
}

/** An attempt at a request: the form, its variant for what this model can see, and the request to send. */
interface Try {
  readonly dialect: Dialect;
  readonly shown: Dialect;
  readonly request: ModelRequest;
}

/** The attempts at one request so far. */
interface Tries {
  /** The lessons before these attempts. */
  readonly before: Partial<Dialect>;
  /** The APIs that were tried, each with its last error. */
  readonly errors: Map<Api, unknown>;
  changes: number;
  /** A refusal led to a lesson, which is stored once the server accepts the request. */
  hasLearned: boolean;
}

/** Sends requests, and resends a request while the server refuses parts that can be left out. */
class RequestSender {
  /** The APIs that have answered. */
  readonly served = new Set<Api>();
  private readonly parts: ChatModelOptions;
  private readonly lessons: Lessons;
  private readonly lesson: Lesson;
  private readonly open: ReturnType<typeof requestOpener>;
  private readonly isBlind: () => Promise<boolean>;
  private readonly losses: Losses;
  /** Remembers refused pictures and sealed reasoning, which aren't sent again. */
  private readonly pictures = new SentPictures();
  private readonly stale = new WeakSet<SentBack>();
  /** How often reasoning was refused. */
  private staleTimes = 0;
  /** False once an unstreamed request also got an empty reply. */
  private asksUnstreamed = true;
  /** The largest reply limit that the server accepted. */
  private taken = 0;

  constructor(parts: ChatModelOptions, lessons: Lessons) {
    const { server } = parts;
    this.parts = parts;
    this.lessons = lessons;
    this.lesson = lessons.getLesson(server.name, server.model);
    this.open = requestOpener(parts);
    this.isBlind = createBlindnessTest(parts);
    this.losses = new Losses(server);
  }

  async send(asked: ModelRequest, sending: Sending): Promise<Completion> {
    const { watch, completing } = sending;
    await watch.race(this.lessons.ensureLoaded());
    const withoutPictures = hasPictures(asked) && (await watch.race(this.isBlind()));
    const before = this.lesson.changes;
    const tries: Tries = { before, errors: new Map(), changes: 0, hasLearned: false };
    for (;;) {
      const next = this.createNextTry(asked, withoutPictures);
      try {
        return await this.reply(next, tries, sending);
      } catch (error) {
        watch.signal.throwIfAborted();
        if (error instanceof EmptyReplyError) this.asksUnstreamed = false;
        const trouble = readServerTrouble(error);
        const text = trouble && findWithheldReply(trouble);
        if (text !== undefined) return { text, calls: [], finish: "stop", model: this.parts.name };
        if (!trouble || ++tries.changes > MOST_CHANGES) throw error;
        if (!this.shouldLeaveOutPart(trouble, next, completing)) this.adapt(trouble, error, next, tries, completing);
        await takeFurtherTurn(sending);
      }
    }
  }

  private createNextTry(asked: ModelRequest, withoutPictures: boolean): Try {
    const dialect = getCurrentDialect(this.lesson, this.parts);
    const fitting = this.pictures.limitPictures(asked, dialect.mostPictures);
    return {
      dialect,
      shown: withoutPictures ? { ...dialect, pictures: false } : dialect,
      request: filterOwnReasoning(fitting, this.parts.server.model, this.stale),
    };
  }

  /** Gets the reply to an attempt. Keeps its lessons, and notifies people of those that matter to them. */
  private async reply({ dialect, shown, request }: Try, tries: Tries, sending: Sending): Promise<Completion> {
    const { watch, completing, isBrokenOff } = sending;
    const { server } = this.parts;
    const { stream, requestWholeReply } = await watch.race(this.open(shown, request));
    const reply = await (shown.streams ? stream(watch, completing) : requestWholeReply(watch));
    this.losses.say(completing, dialect);
    this.taken = Math.max(this.taken, request.maxReplyTokens ?? 0);
    if (shown.pictures) this.pictures.recordTaken(request);
    if (!reply?.finish && isBrokenOff()) throw createBrokenOffError(server.name);
    if (reply) this.served.add(dialect.api);
    const learned = reply ? learnFromReply(reply, request, dialect, this.parts) : {};
    this.lesson.changes = { ...this.lesson.changes, ...learned };
    if (tries.hasLearned || Object.keys(learned).length > 0) void this.lessons.keep(server.name, server.model);
    tries.hasLearned = false;
    if (reply && !isEmpty(reply)) return reply;
    // Some servers say why they refuse a prompt only if it isn't streamed.
    if (this.asksUnstreamed) await takeFurtherTurn(sending);
    const again = this.asksUnstreamed ? await requestWholeReply(watch) : reply;
    if (!again) throw new EmptyReplyError();
    if (isEmpty(again)) this.asksUnstreamed = false;
    return again;
  }

  /** True if a refusal is only about this request's pictures or sealed reasoning. They're left out from then on. */
  private shouldLeaveOutPart(trouble: ServerTrouble, { shown, request }: Try, { notice }: CompletionOptions): boolean {
    const { server } = this.parts;
    if (noteStale(trouble, shown, request, this.stale)) {
      this.staleTimes++;
      if (this.staleTimes === 1) notice?.(describeRefusedPart("trouble.reasoningRefused", trouble, server), "warning");
      // A server that refuses what came since then takes none at all.
      else this.lesson.changes = { ...this.lesson.changes, sealedReasoning: false };
      return true;
    }
    if (!shown.pictures || !isAboutThese(trouble, request) || !this.pictures.refuse(request)) return false;
    notice?.(describeRefusedPart("trouble.pictureRefused", trouble, server), "warning");
    return true;
  }

  /** Changes the form for the next attempt. Throws the error if no other form is left. */
  private adapt(
    trouble: ServerTrouble,
    error: unknown,
    { dialect, request }: Try,
    tries: Tries,
    completing: CompletionOptions,
  ): void {
    const { parts, served, taken } = this;
    const tried = tries.errors.set(dialect.api, error);
    const adapted = findOtherForm(trouble, dialect, { request, tried, served, taken, parts });
    if (adapted) {
      this.lesson.changes = createLesson(adapted, parts);
      this.losses.add(trouble, [dialect, adapted], request);
      tries.hasLearned = adapted.pictures || !isBadPictureComplaint(trouble);
      return;
    }
    if (tried.size > 1) {
      this.lesson.changes = tries.before;
      this.losses.drop();
    }
    this.losses.say(completing);
    throw chooseRequestError(tried, dialect.api, trouble);
  }
}

const ALIVE_MS = 5_000;

/** Waits for the turn of another request for the same reply, which isn't the server's silence. */
async function takeFurtherTurn({ pace, watch }: Sending): Promise<void> {
  const alive = setInterval(() => watch.reportAlive(), ALIVE_MS);
  await watch.race(pace.takeTurn(watch.signal)).finally(() => clearInterval(alive));
}

function getCurrentDialect({ changes }: Lesson, parts: ChatModelOptions): Dialect {
  const { api = "auto", family } = parts;
  const current = api === "auto" ? (changes.api ?? family.dialect.api) : api;
  return { ...getFirstDialect(parts, current), ...changes, api: current };
}

/** The differences from the family's form over the same API. */
function createLesson(adapted: Dialect, parts: ChatModelOptions): Partial<Dialect> {
  const { api } = adapted;
  const isUsual = api === parts.family.dialect.api;
  return { ...compareDialects(getFirstDialect(parts, api), adapted), ...(isUsual ? {} : { api }) };
}

/** Whether the model is known not to see pictures, asked once. */
function createBlindnessTest({ canSeePictures }: ChatModelOptions): () => Promise<boolean> {
  let sight: Promise<boolean | undefined> | undefined;
  return async () => {
    sight ??= Promise.resolve(canSeePictures?.());
    return (await sight) === false;
  };
}

/** Requests whose pictures have a smaller total size aren't refused because of it. */
const LARGE_PICTURES = 1_000_000;

/** True if a server refuses this request's pictures but might accept others. */
function isAboutThese(trouble: ServerTrouble, request: ModelRequest): boolean {
  const pictures = listSentPictures(request);
  const bytes = pictures.reduce((sum, picture) => sum + picture.bytes, 0);
  if (bytes > LARGE_PICTURES && isTooManyBytesComplaint(trouble)) return true;
  return (
    isPictureComplaint(trouble, request) &&
    isBadPictureComplaint(trouble) &&
    readPictureLimit(trouble, pictures.length) === undefined
  );
}

function createBrokenOffError(server: string): BusyError {
  return new BusyError(displayText("trouble.replyCutForOther", { server }), displayText("trouble.tryAgain"));
}

function selectRequestSettings(
  request: ModelRequest,
  parts: ChatModelOptions,
): Pick<ModelRequest, "temperature" | "reasoningEffort" | "cached"> {
  const { cached } = request;
  const temperature = request.temperature ?? parts.temperature;
  const reasoningEffort = request.reasoningEffort ?? parts.reasoningEffort;
  return {
    ...omitUndefined({ temperature, reasoningEffort }),
    ...(cached ? { cached: { ...cached, minutes: chooseCacheMinutes(parts.cacheMinutes ?? "auto", cached) } } : {}),
  };
}

/** The share of the window for hidden reasoning, in addition to a reply. */
const THINKING_SHARE = 1 / 8;

/** The family's dialect. Servers other than OpenAI's add the room for reasoning to the prompt, and refuse a total above the window. */
function getFirstDialect({ family, contextWindow }: ChatModelOptions, api: Api): Dialect {
  const dialect = family.createDialectFor(api);
  const most = Math.floor(contextWindow * THINKING_SHARE);
  return family.name === "openai" || dialect.thinkingRoom <= most ? dialect : { ...dialect, thinkingRoom: most };
}

/** Room for the reasoning of models that aren't in the table. */
const UNKNOWN_THINKING = 8_000;

/** The changes that a reply suggests. Calls are no longer forced if a grammar for them kept a model from ending its reply. */
function learnFromReply(
  reply: Completion,
  { tools }: ModelRequest,
  dialect: Dialect,
  { contextWindow }: ChatModelOptions,
): Partial<Dialect> {
  const room = computeNeededRoom(reply, dialect, contextWindow);
  const isForced = tools !== undefined && dialect.toolChoice !== "auto";
  return {
    ...omitUndefined({ thinkingRoom: room }),
    ...(reply.finish === ENDLESS && isForced ? { toolChoice: "auto" } : {}),
  };
}

/**
 * The new room for reasoning if it used up the limit before the reply's first word. Undefined otherwise, or if no more room is possible.
 */
function computeNeededRoom(
  { text, calls, finish, reasoning }: Completion,
  { thinkingRoom }: Dialect,
  contextWindow: number,
): number | undefined {
  const usedUp = finish === "length" && text === "" && calls.length === 0 && reasoning !== undefined;
  const room = Math.min(UNKNOWN_THINKING, Math.floor(contextWindow * THINKING_SHARE));
  return usedUp && room > thinkingRoom ? room : undefined;
}

/** The parts in which two dialects differ. */
function compareDialects(first: Dialect, second: Dialect): Partial<Dialect> {
  const before: Readonly<Record<string, unknown>> = first;
  return Object.fromEntries(
    Object.entries(second).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}
