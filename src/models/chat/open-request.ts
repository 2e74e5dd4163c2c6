import { type Completion, type CompletionOptions, ENDLESS, type ModelRequest } from "../../core/ports/model.ts";
import type { AzureConnection, Connection } from "../http/client.ts";
import type { Server } from "../http/endpoint.ts";
import { ComplaintInStream } from "../http/error-response.ts";
import { EmptyReplyError } from "../http/errors.ts";
import type { SilenceWatch } from "../http/timers.ts";
import { chatCompletions } from "../wire/chat-completions.ts";
import { messages } from "../wire/messages.ts";
import { responses } from "../wire/responses.ts";
import type { Wire, WireOptions } from "../wire/wire.ts";
import type { Api, Dialect } from "./dialect.ts";
import { type Chunk, ReplyInProgress } from "./reply-stream.ts";

/** The implementation of each API. */
export const WIRES: Readonly<Record<Api, Wire>> = {
  chat: chatCompletions,
  responses,
  messages,
};

/** After the reason for the reply's end, only the token count can follow, within this time. */
const AFTERWORD_MS = 2_000;

/** A request over its dialect's wire, as a stream or as a whole reply. */
interface OpenRequest {
  /** Undefined if the stream was empty. */
  stream(watch: SilenceWatch, completing: CompletionOptions): Promise<Completion | undefined>;
  /** Throws `EmptyReplyError` if that reply is empty, too. */
  requestWholeReply(watch: SilenceWatch): Promise<Completion>;
}

/** The model, and the server for its requests. */
interface OpeningOptions {
  readonly name: string;
  readonly server: Server;
  readonly connection: Connection | AzureConnection;
}

/** Opens requests. The connection for each wire is created once. */
export function requestOpener({
  name,
  server,
  connection,
}: OpeningOptions): (dialect: Dialect, request: ModelRequest) => Promise<OpenRequest> {
  const connections = new Map<Api, ReturnType<Wire["connect"]>>();
  return async (dialect, request) => {
    const { api, sendsBack } = dialect;
    const wire = WIRES[api];
    const connecting = connections.get(api) ?? wire.connect(connection);
    connections.set(api, connecting);
    const connected = await connecting;
    const body = wire.request(server.model, request, dialect);
    const asRead = { name, sendsBack, from: server.model, read: wire.createReader };
    return {
      stream: async (watch, completing) =>
        readReply(await watch.race(connected.stream(body, createWatchedOptions(watch))), asRead, watch, completing),
      requestWholeReply: async (watch) =>
        readWhole(await watch.race(connected.fetchWhole(body, createWatchedOptions(watch))), asRead),
    };
  };
}

/** Options for building a completion. */
interface ReadOptions {
  /** The name to use if the server reports none. */
  readonly name: string;
  readonly sendsBack: Dialect["sendsBack"];
  /** The name used to request the model. */
  readonly from: string;
  /** Creates a reader for a reply's events. */
  read(): (event: unknown) => Chunk;
}

/** Reads a whole reply. Throws `EmptyReplyError` if it's empty, too. */
function readWhole(answer: unknown, { name, sendsBack, from, read }: ReadOptions): Completion {
  const whole = read()(answer);
  if (whole.complaint) throw new ComplaintInStream(whole.complaint);
  const reply = new ReplyInProgress();
  reply.add(whole);
  if (!reply.begun) throw new EmptyReplyError();
  return rejectComplaint(reply.buildCompletion(name, sendsBack, from));
}

/** Request options that stop with the watch and report every byte to it. */
function createWatchedOptions(watch: SilenceWatch): WireOptions {
  return {
    signal: watch.signal,
    fetchOptions: { reportBytes: () => watch.reportAlive(), redirect: "manual" },
  };
}

/** Reads the stream to its end; undefined if it was empty. Errors after the reply's stated end are ignored. */
async function readReply(
  stream: AsyncIterable<unknown>,
  { name, sendsBack, from, read }: ReadOptions,
  watch: SilenceWatch,
  completing: CompletionOptions,
): Promise<Completion | undefined> {
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
      if (reply.finished) watch.reportProgress(AFTERWORD_MS);
      else if (deltas.length > 0 || chunk.calls.length > 0) watch.reportProgress();
    }
  } catch (error) {
    completing.signal.throwIfAborted();
    if (!reply.finished) throw error;
  }
  return reply.begun || reply.runsOn ? rejectComplaint(reply.buildCompletion(name, sendsBack, from)) : undefined;
}

/** Returns the reply, unless it ended because the window is full or the server failed. */
function rejectComplaint(reply: Completion): Completion {
  const { finish, usage } = reply;
  const isFull = /context|window|(prompt|input).*(long|large)/.test(finish);
  if (!isFull && finish !== "error") return reply;
  const code = isFull ? "context_window_exceeded" : "server_error";
  const window = isFull && usage ? { window: usage.input + usage.output } : {};
  throw new ComplaintInStream({ message: "", code, type: "", param: "", ...window });
}

/** True for a complete reply without content. */
export function isEmpty({ text, calls, reasoning, finish }: Completion): boolean {
  return (
    text === "" &&
    calls.length === 0 &&
    reasoning === undefined &&
    finish !== "length" &&
    finish !== ENDLESS &&
    finish !== "content_filter"
  );
}
