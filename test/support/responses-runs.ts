import type { Command } from "../../src/core/commands/command.ts";
import { createCommandSet } from "../../src/core/commands/command-set.ts";
import type { Outcome } from "../../src/core/commands/outcome.ts";
import {
  type ChatMessage,
  type Model,
  type ReasoningEffort,
  type ReplyFormat,
  wrapModel,
} from "../../src/core/ports/model.ts";
import { FormatChoice } from "../../src/core/reply/formats.ts";
import type { ThoughtStyle } from "../../src/core/reply/reply.ts";
import { createChatModel } from "../../src/models/chat/chat-model.ts";
import type { Api } from "../../src/models/chat/dialect.ts";
import { type Family, findModelFamily } from "../../src/models/chat/families.ts";
import type { Lessons } from "../../src/models/chat/lessons.ts";
import { createOpenAiServer } from "../../src/models/http/endpoint.ts";
import { addRetries, RETRY_POLICY } from "../../src/models/retries.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import { writeInEnglish } from "../../src/texts/display-text.ts";
import { type Deeds, readingCommands } from "./fake-commands.ts";
import {
  callChunk,
  DONE,
  type FakeModelServer,
  finish,
  type Piece,
  type SeenRequest,
  type ServerAnswer,
  stream,
  textChunks,
} from "./fake-model-server.ts";
import { MessagesService, SERVED } from "./messages-service.ts";
import { PICTURES } from "./picture-files.ts";
import { allowReads, ofType, rehearsal } from "./rehearsal.ts";
import { type ItemEvent, type Said, type ScriptedResponses, scriptedResponses } from "./responses-rules.ts";

type Body = SeenRequest["body"];

export const OPENAI = "https://api.openai.com/v1";
export const STEPS = 30;
export const FORMATS = ["tools", "jsonSchema", "text"] as const;

/** The model's reply in a step: sometimes with words, several calls, or none that can be read. */
function saidIn(step: number, { tools }: Body): Said {
  const title = `note ${step}`;
  const name = step >= STEPS ? "task_complete" : step % 7 === 3 ? "write_note" : "read_note";
  if (step % 11 === 5) return { text: "No call today." };
  const thoughts = { text: "On I go." };
  if (!tools) return { text: JSON.stringify({ thoughts, command: { name, args: { title } } }) };
  const text = step % 4 === 1 ? { text: "I look at a note." } : {};
  if (step % 5 !== 2) return { ...text, calls: [{ name, args: { thoughts, title } }] };
  const thinksBetween = step % 10 === 7;
  const reads = Array.from({ length: thinksBetween ? 12 : 2 }, (_, index) => ({
    name: "read_file",
    args: index === 0 ? { thoughts, title } : { title: `${title}, page ${index}` },
  }));
  return { ...text, calls: reads, thinksBetween };
}

/** The key that the strict server of Messages takes. */
const KEY = "sk-ant-test";

interface Options {
  readonly name?: string;
  readonly effort?: ReasoningEffort;
  readonly contextWindow?: number;
  readonly api?: Api | "auto";
  /** Where the family looks the model up; absent: OpenAI's. */
  readonly address?: string;
  /** Absent: it learns on its own. */
  readonly lessons?: Lessons;
  /** Absent: that of the name at the address. */
  readonly family?: Family;
}

/** A model at the suite's server, with its family's rows for OpenAI's address. */
export function modelAt(baseUrl: string, options: Options = {}): Model {
  const { name = "gpt-5.6-terra", effort, contextWindow = 64_000, api = "auto", address = OPENAI } = options;
  const { lessons, family = findModelFamily(name, address, effort, api) } = options;
  return createChatModel({
    ...{ name, contextWindow, temperature: 0.2, reasoningEffort: effort, problem: undefined, api, lessons },
    server: createOpenAiServer(baseUrl, { model: name, apiKey: KEY, timeoutSeconds: 60 }),
    family,
    connection: { baseUrl, apiKey: KEY },
  });
}

interface Running {
  readonly format?: ReplyFormat;
  readonly thoughts?: ThoughtStyle;
  /** Each note that is read comes with a picture. */
  readonly hasPictures?: boolean;
  /** Those of a run that goes on. */
  readonly events?: readonly AgentEvent[];
  /** Replies before it's stopped. */
  readonly steps?: number;
  readonly rules?: ScriptedResponses;
  /** Before the rules; undefined leaves the answer to them. */
  readonly first?: (seen: SeenRequest, turn: number) => ServerAnswer | undefined;
  /** What is left of the events of a step's reply over Responses. */
  readonly spoil?: (events: readonly ItemEvent[], turn: number) => readonly (ItemEvent | Piece)[];
}

/** Waits for nothing between its tries. */
export function patient(model: Model): Model {
  return addRetries(model, { ...RETRY_POLICY, wait: async () => undefined });
}

/** A run until it ends or `steps` replies came, and what people saw of it. */
export async function run(server: FakeModelServer, model: Model, running: Running = {}) {
  const { format = "tools", events = [], steps = STEPS, rules = scriptedResponses() } = running;
  const { thoughts, hasPictures = false, first, spoil = (all) => all } = running;
  const notices: string[] = [];
  const deeds: Deeds = [];
  const messages = new MessagesService();
  const begun = server.requests.length;
  const done = await rehearsal({
    answers: [],
    approver: allowReads,
    ...(events.length > 0 ? { events } : {}),
    parts: {
      commands: createCommandSet(readingCommands(deeds).map((each) => (hasPictures ? illustrated(each) : each))),
    },
    thinking: {
      model: withData(model),
      thoughts,
      formats: new FormatChoice([format]),
      notice: (text, kind) => void notices.push(`${kind}: ${writeInEnglish(text)}`),
    },
  });
  server.plan((seen) => {
    const { path, body } = seen;
    const turn = ofType(done.log.events, "asked").at(-1)?.step ?? 1;
    const special = first?.(seen, turn);
    if (special) return special;
    const said = saidIn(turn, body);
    const answer = ((): ServerAnswer => {
      if (path === "/v1/responses") return rules.answer(body, said, (all) => spoil(all, turn));
      return path === "/v1/messages" ? overMessages(messages, seen, said) : overChat(body, said);
    })();
    if ((answer.status ?? 200) === 200 && turn === steps && steps < STEPS) void done.live.stop();
    return answer;
  });
  done.live.resume();
  const end = await done.live.end;
  return {
    end: end.reason === "failed" ? end.error : end.reason,
    events: done.log.events,
    deeds,
    rules,
    notices,
    replies: ofType(done.log.events, "replied").length,
    refusedMessages: messages.refusals,
    paths: server.requests.slice(begun).map(({ path }) => path),
  };
}

const picture = {
  ...{ name: "plan.png", file: "a.png", mediaType: "image/png" },
  ...{ width: 5, height: 3, bytes: 80 },
} as const;

/** The same command, whose outcome has a picture if it reads. */
function illustrated(command: Command): Command {
  if (!command.name.startsWith("read_")) return command;
  return {
    ...command,
    prepare: async (...given) => {
      const call = await command.prepare(...given);
      if (!("run" in call)) return call;
      return {
        ...call,
        run: async (...running) => ({ ...(await call.run(...running)), pictures: [picture] }) as Outcome,
      };
    },
  };
}

/** Pictures get their content as they are sent. */
function withData(model: Model): Model {
  const loaded = (message: ChatMessage): ChatMessage =>
    "pictures" in message && message.pictures
      ? { ...message, pictures: message.pictures.map((one) => ({ ...one, data: PICTURES.png })) }
      : message;
  return wrapModel(() => model, {
    complete: (request, completing) =>
      model.complete({ ...request, messages: request.messages.map(loaded) }, completing),
  });
}

/** The same reply over Messages. */
function overMessages(service: MessagesService, seen: SeenRequest, { text, calls = [] }: Said): ServerAnswer {
  const called = calls.map(({ name, args }, index) => ({
    ...{ type: "tool_use", id: `toolu_${seen.body.messages.length}_${index}`, name },
    input: { ...args },
  }));
  return service.answer(seen, SERVED.sonnet46, [...(text ? [{ type: "text", text }] : []), ...called]);
}

/** The same reply over chat completions. */
function overChat({ messages }: Body, { text, calls = [] }: Said): ServerAnswer {
  const called = calls.map(({ name, args }, index) =>
    callChunk({ index, id: `chat_${messages.length}_${index}`, name, arguments: JSON.stringify(args) }),
  );
  return stream(...(text ? textChunks(text) : []), ...called, finish(), DONE);
}

/** The events of a stopped run, as the run continues with them. */
export function resumed({ events }: { readonly events: readonly AgentEvent[] }): readonly AgentEvent[] {
  return events.filter(({ type }) => type !== "over");
}
