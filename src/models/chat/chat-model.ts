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
import { billionsIn } from "../catalog/model-size.ts";
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
import { type ServerTrouble, serverTrouble } from "../http/error-response.ts";
import { BusyError, EmptyReplyError, isConnectionLoss, modelError } from "../http/errors.ts";
import { type SilenceWatch, watchSilence } from "../http/timers.ts";
import { cacheMinutes } from "../wire/cache-marks.ts";
import type { Api, Dialect } from "./dialect.ts";
import type { Family } from "./families.ts";
import { type Lesson, Lessons } from "./lessons.ts";
import { isEmpty, requestOpener } from "./open-request.ts";
import {
  errorOf,
  Losses,
  noteStale,
  notServed,
  otherForm,
  refusalSentence,
  withOwnReasoning,
} from "./other-form.ts";
import { SentPictures, sentPictures } from "./sent-pictures.ts";

/** Dependencies of a model behind a server. */
export interface ChatModelOptions {
  readonly name: string;
  readonly contextWindow: number;
  /** Billions of parameters; absent: as its name says. */
  readonly billions?: number | undefined;
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

/** A model behind a server, over the wire of its dialect. Each completion is one streamed request; it's repeated only in a form that the server accepts. */
export function chatModel(parts: ChatModelOptions): Model {
  const { name, contextWindow, server, problem, now = () => performance.now() } = parts;
  const lessons = parts.lessons ?? new Lessons();
  const requests = lessons.requestsTo(server.name);
  const sender = new RequestSender(parts, lessons);
  return {
    name,
    contextWindow,
    billions: parts.billions ?? billionsIn(name),
    get formats() {
      return lessons.accepted(server.name, server.model, parts.family.formats);
    },
    get learnedFormat() {
      return lessons.of(server.name, server.model).format;
    },
    learnFormat: (format) => void lessons.keepFormat(server.name, server.model, format),
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
          return await sender.send(asked, { watch, completing, isBrokenOff });
        } catch (error) {
          completing.signal.throwIfAborted();
          if (isConnectionLoss(error) && isLocal(server.name)) isBrokenOff();
          const failure =
            notServed(serverTrouble(error), parts.api, server, sender.served) ??
            modelError(error, server, asked, (now() - started) / 1000);
          if (failure.trouble === "format") lessons.refuse(server.name, server.model, formatOf(asked));
          throw failure;
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

/** A server that refuses the form of a request more often contradicts itself. */
const MOST_CHANGES = 30;

/** Who waits for a reply, and for how long. */
interface Sending {
  readonly watch: SilenceWatch;
  readonly completing: CompletionOptions;
  /** True if another request may have cut the reply off; it's remembered. */
  isBrokenOff(): boolean;
}

/** A try of a request: the form, that form with what this model can see, and what is sent in it. */
interface Try {
  readonly dialect: Dialect;
  readonly shown: Dialect;
  readonly request: ModelRequest;
}

/** The tries of one request so far. */
interface Tries {
  /** The lessons that held before them. */
  readonly before: Partial<Dialect>;
  /** The APIs that it was sent over, with the last error of each. */
  readonly errors: Map<Api, unknown>;
  changes: number;
  /** A refusal taught something that is to be kept once the server takes the request. */
  hasLearned: boolean;
}

/** Sends requests, and sends each again while the server refuses a part that can be left out. */
class RequestSender {
  /** The APIs that have answered. */
  readonly served = new Set<Api>();
  private readonly parts: ChatModelOptions;
  private readonly lessons: Lessons;
  private readonly lesson: Lesson;
  private readonly open: ReturnType<typeof requestOpener>;
  private readonly isBlind: () => Promise<boolean>;
  private readonly losses: Losses;
  /** Pictures and sealed reasoning that were refused aren't sent again. */
  private readonly pictures = new SentPictures();
  private readonly stale = new WeakSet<SentBack>();
  /** How often reasoning was refused. */
  private staleTimes = 0;
  /** False once an unstreamed request also got an empty reply. */
  private asksUnstreamed = true;
  /** The largest limit of a reply that the server took. */
  private taken = 0;

  constructor(parts: ChatModelOptions, lessons: Lessons) {
    const { server } = parts;
    this.parts = parts;
    this.lessons = lessons;
    this.lesson = lessons.of(server.name, server.model);
    this.open = requestOpener(parts);
    this.isBlind = sightOf(parts);
    this.losses = new Losses(server);
  }

  async send(asked: ModelRequest, sending: Sending): Promise<Completion> {
    const { watch, completing } = sending;
    await watch.race(this.lessons.ready());
    const withoutPictures = hasPictures(asked) && (await watch.race(this.isBlind()));
    const before = this.lesson.changes;
    const tries: Tries = { before, errors: new Map(), changes: 0, hasLearned: false };
    for (;;) {
      const next = this.nextTry(asked, withoutPictures);
      try {
        return await this.reply(next, tries, sending);
      } catch (error) {
        watch.signal.throwIfAborted();
        if (error instanceof EmptyReplyError) this.asksUnstreamed = false;
        const trouble = serverTrouble(error);
        const text = trouble && unreadReply(trouble);
        if (text !== undefined) return { text, calls: [], finish: "stop", model: this.parts.name };
        if (!trouble || ++tries.changes > MOST_CHANGES) throw error;
        if (!this.leavesOut(trouble, next, completing)) this.adapt(trouble, error, next, tries, completing);
      }
    }
  }

  private nextTry(asked: ModelRequest, withoutPictures: boolean): Try {
    const dialect = currentDialect(this.lesson, this.parts);
    const fitting = this.pictures.fitting(asked, dialect.mostPictures);
    return {
      dialect,
      shown: withoutPictures ? { ...dialect, pictures: false } : dialect,
      request: withOwnReasoning(fitting, this.parts.server.model, this.stale),
    };
  }

  /** The reply to a try. What was learned for it is kept, and said where it matters to people. */
  private async reply(
    { dialect, shown, request }: Try,
    tries: Tries,
    { watch, completing, isBrokenOff }: Sending,
  ): Promise<Completion> {
    const { server } = this.parts;
    const { stream, whole } = await watch.race(this.open(shown, request));
    const reply = await (shown.streams ? stream(watch, completing) : whole(watch));
    this.losses.say(completing, dialect);
    this.taken = Math.max(this.taken, request.maxReplyTokens ?? 0);
    if (shown.pictures) this.pictures.took(request);
    if (!reply?.finish && isBrokenOff()) throw brokenOff(server.name);
    if (reply) this.served.add(dialect.api);
    const learned = reply ? taughtBy(reply, request, dialect, this.parts) : {};
    this.lesson.changes = { ...this.lesson.changes, ...learned };
    if (tries.hasLearned || Object.keys(learned).length > 0)
      void this.lessons.keep(server.name, server.model);
    tries.hasLearned = false;
    if (reply && !isEmpty(reply)) return reply;
    // Some servers say why they refuse a prompt only if it isn't streamed.
    const again = this.asksUnstreamed ? await whole(watch) : reply;
    if (!again) throw new EmptyReplyError();
    if (isEmpty(again)) this.asksUnstreamed = false;
    return again;
  }

  /** True if a refusal is about pictures or sealed reasoning of this request alone. They're left out from then on. */
  private leavesOut(trouble: ServerTrouble, { shown, request }: Try, { notice }: CompletionOptions): boolean {
    const { server } = this.parts;
    if (noteStale(trouble, shown, request, this.stale)) {
      this.staleTimes++;
      if (this.staleTimes === 1)
        notice?.(refusalSentence("trouble.reasoningRefused", trouble, server), "warning");
      // A server that refuses what came since then takes none at all.
      else this.lesson.changes = { ...this.lesson.changes, sealedReasoning: false };
      return true;
    }
    if (!shown.pictures || !isAboutThese(trouble, request) || !this.pictures.refuse(request)) return false;
    notice?.(refusalSentence("trouble.pictureRefused", trouble, server), "warning");
    return true;
  }

  /** Changes the form for the next try. Throws the error where no other form is left. */
  private adapt(
    trouble: ServerTrouble,
    error: unknown,
    { dialect, request }: Try,
    tries: Tries,
    completing: CompletionOptions,
  ): void {
    const { parts, served, taken } = this;
    const tried = tries.errors.set(dialect.api, error);
    const adapted = otherForm(trouble, dialect, { request, tried, served, taken, parts });
    if (adapted) {
      this.lesson.changes = lessonFor(adapted, parts);
      this.losses.add(trouble, [dialect, adapted], request);
      tries.hasLearned = adapted.pictures || !saysBadPicture(trouble);
      return;
    }
    if (tried.size > 1) {
      this.lesson.changes = tries.before;
      this.losses.drop();
    }
    this.losses.say(completing);
    throw errorOf(tried, dialect.api, trouble);
  }
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

function brokenOff(server: string): BusyError {
  return new BusyError(displayText("trouble.replyCutForOther", { server }), displayText("trouble.tryAgain"));
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

/** The changes that a reply teaches. Calls aren't forced any more where a grammar for them kept a model from ending its reply. */
function taughtBy(
  reply: Completion,
  { tools }: ModelRequest,
  dialect: Dialect,
  { contextWindow }: ChatModelOptions,
): Partial<Dialect> {
  const room = neededRoom(reply, dialect, contextWindow);
  const isForced = tools !== undefined && dialect.toolChoice !== "auto";
  return {
    ...(room === undefined ? {} : { thinkingRoom: room }),
    ...(reply.finish === ENDLESS && isForced ? { toolChoice: "auto" } : {}),
  };
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
