import type { Duplex } from "node:stream";
import { isObject, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";

/** The longest message from a plugin. No valid answer of a hook is longer. */
const MAX_LINE_BYTES = 4_000_000;
/** The most messages without a call before the plugin is ended. */
const MOST_STRAY_LINES = 1000;
/** The most bytes to buffer for a plugin that doesn't read. */
const MOST_WAITING_BYTES = 16_000_000;
/** The most characters of output that one call can show. */
const MOST_OUTPUT = 1_000_000;
/** The time limit for a process to confirm the end of a call. */
const NOTICE_MS = 400;

/** An error that the plugin itself has sent as its answer. */
export class PluginError extends Error {}

/** A call without an answer yet. */
interface Waiting {
  resolve(answer: unknown): void;
  reject(why: Error): void;
  handleOutput?(chunk: string): void;
  shown: number;
}

/**
 * Calls to a process as lines of JSON: sends `{"id":1,…}`, and receives `{"id":1,"answer":…}` or `{"id":1,"error":"why"}`, after any number
 * of `{"id":1,"output":"chunk"}`. `{"id":1,"abort":true}` ends a call, and `{"id":1,"aborted":true}` confirms it. Everything that a process
 * sends is checked here: it's ended as soon as it breaks these rules.
 */
export class Channel {
  private readonly stream: Duplex;
  private readonly kill: (why: string) => void;
  private readonly waiting = new Map<number, Waiting>();
  private readonly ending = new Map<number, NodeJS.Timeout>();
  private lastId = 0;
  private strayLines = 0;
  private pieces: Buffer[] = [];
  private pieceBytes = 0;
  private over: string | undefined;

  /** `kill` is called at most once, with the reason as a clause. */
  constructor(stream: Duplex, kill: (why: string) => void) {
    this.stream = stream;
    this.kill = kill;
    stream.on("data", (chunk: Buffer) => this.take(chunk));
  }

  /** Sends a call and resolves with the answer. An abort throws the signal's reason at once. */
  call(
    message: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    output?: (chunk: string) => void,
  ): Promise<unknown> {
    if (this.over !== undefined) return Promise.reject(new Error(this.over));
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.stream.writableLength > MOST_WAITING_BYTES) {
      this.fail("it doesn't read its messages");
      return Promise.reject(new Error("it doesn't read its messages"));
    }
    const id = ++this.lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const stop = (): void => {
      this.waiting.delete(id);
      this.notice(id);
      reject(signal.reason);
    };
    this.waiting.set(id, { resolve, reject, ...omitUndefined({ handleOutput: output }), shown: 0 });
    signal.addEventListener("abort", stop, { once: true });
    this.send({ ...message, id });
    return promise.finally(() => signal.removeEventListener("abort", stop));
  }

  /** Rejects all calls, because the process has ended. */
  close(why: string): void {
    this.over ??= why;
    this.pieces = [];
    for (const timer of this.ending.values()) clearTimeout(timer);
    this.ending.clear();
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
  }

  private send(message: unknown): void {
    this.stream.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends a call in the process, too. A process that doesn't confirm that is stuck. */
  private notice(id: number): void {
    this.send({ id, abort: true });
    const timer = setTimeout(() => this.fail("it was stuck, so it was ended"), NOTICE_MS);
    timer.unref();
    this.ending.set(id, timer);
  }

  private fail(why: string): void {
    if (this.over !== undefined) return;
    this.close(why);
    this.kill(why);
  }

  private take(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(LINE_END); end !== -1; end = rest.indexOf(LINE_END)) {
      const line = this.pieces.length === 0 ? rest.toString("utf8", 0, end) : this.joinPieces(rest.subarray(0, end));
      this.pieces = [];
      this.pieceBytes = 0;
      rest = rest.subarray(end + 1);
      if (this.over !== undefined) return;
      this.receive(line);
    }
    if (rest.length > 0) this.pieces.push(rest);
    this.pieceBytes += rest.length;
    if (this.pieceBytes > MAX_LINE_BYTES) this.fail("it sent too much at once, so it was ended");
  }

  private joinPieces(last: Buffer): string {
    return Buffer.concat([...this.pieces, last]).toString("utf8");
  }

  private receive(line: string): void {
    const message = line.length > MAX_LINE_BYTES ? undefined : tryJson(line);
    const id = isObject(message) && typeof message.id === "number" ? message.id : -1;
    const timer = this.ending.get(id);
    if (timer) {
      clearTimeout(timer);
      this.ending.delete(id);
    }
    const call = this.waiting.get(id);
    if (!call || !isObject(message)) {
      if (!timer && ++this.strayLines > MOST_STRAY_LINES)
        this.fail("it sent messages that nobody asked for, so it was ended");
      return;
    }
    if (typeof message.output === "string") {
      const chunk = message.output.slice(0, MOST_OUTPUT - call.shown);
      call.shown += chunk.length;
      if (chunk !== "") call.handleOutput?.(chunk);
      return;
    }
    this.waiting.delete(id);
    if (typeof message.error === "string") call.reject(new PluginError(message.error.slice(0, 1000)));
    else call.resolve(message.answer);
  }
}

const LINE_END = 10;
