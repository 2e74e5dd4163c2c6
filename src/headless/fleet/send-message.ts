import { setTimeout as wait } from "node:timers/promises";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { FleetEngine, FleetEvent } from "../../fleet/engine.ts";
import { createLineReader } from "../../runs/log/read-log.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { AskedQuestion } from "../../schema/fleet/served.ts";
import type { ProgramEnd } from "../exit-code.ts";
import type { Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";

/** How long something that was sent is waited for. */
const HEARD_MS = 10_000;
/** How long a connection may take, and the lines of a log that come over it. */
const CONNECTED_MS = 5_000;
const LINES_MS = 500;
/** How long its last call may take. */
const LEAVE_MS = 5_000;

/** Something to send to a run. */
export interface Message {
  send?(): Promise<void>;
  /** Whether an event of the run shows that it was taken. The end of a question always does. */
  isTaken?(event: AgentEvent): boolean;
  /** For the question that waits. */
  answer?(question: AskedQuestion): Promise<void>;
  /** Printed unless it's refused. */
  readonly done: string;
}

/** A sign of what has become of a message: it was taken, it changed nothing, or nothing is known yet. */
interface Heard {
  readonly kind: "taken" | "refused" | "silence";
  readonly why?: string;
}

/** Sends something to a run, and listens for some seconds whether it's taken there. Says so if it's refused. */
export async function sendMessage(
  engine: FleetEngine,
  run: string,
  message: Message,
  around: Surroundings,
): Promise<ProgramEnd> {
  const done = new AbortController();
  const signal = AbortSignal.any([around.signal, done.signal]);
  const listener = new Listener(engine, run, message, signal);
  try {
    await listener.connect();
    around.signal.throwIfAborted();
    await listener.send();
    const { kind, why = "" } = await listener.hear();
    const say = (text: string): void => void around.stderr.write(`${escapeInvisible(text)}\n`);
    if (kind === "refused") {
      say(`It changed nothing. ${why}`);
      return { kind: "problem" };
    }
    around.stdout.write(`${message.done}\n`);
    if (kind === "silence")
      say(`${why} It isn't known yet whether it was taken. To follow the run: autogpt fleet watch ${run}`.trim());
    return { kind: "done" };
  } finally {
    done.abort(new Error("The run isn't listened to any more."));
    // Its last call would fail on a connection that its caller closes now.
    await listener.end();
  }
}

/** Listens to a run before and after something is sent to it. What it refused before isn't meant. */
class Listener {
  private readonly engine: FleetEngine;
  private readonly run: string;
  private readonly message: Message;
  private readonly signal: AbortSignal;
  private readonly connected = Promise.withResolvers<void>();
  private readonly heard = Promise.withResolvers<Heard>();
  private readonly readLine = createLineReader();
  private log = "";
  private listening: Promise<void> | undefined;
  private asked: AskedQuestion | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isConnected = false;
  private isSent = false;
  private isOver = false;
  private failure: unknown;

  constructor(engine: FleetEngine, run: string, message: Message, signal: AbortSignal) {
    this.engine = engine;
    this.run = run;
    this.message = message;
    this.signal = signal;
  }

  /** Resolves once all that was there before has come, or after a while. An answer waits for its question. */
  async connect(): Promise<void> {
    this.wait(CONNECTED_MS);
    this.listening = this.listen();
    await this.connected.promise;
    clearTimeout(this.timer);
    this.isConnected = true;
  }

  async send(): Promise<void> {
    const { message, asked } = this;
    this.isSent = true;
    if (!message.answer) await message.send?.();
    else if (asked) await message.answer(asked);
    else throw this.failure ?? new UsageError("The run has ended, so nothing waits for an answer.");
    // A run that had ended begins to work again.
    if (this.isOver && this.failure === undefined) this.listening = this.listen();
  }

  /** Resolves once nothing is listened to, or after a while. */
  async end(): Promise<void> {
    await Promise.race([this.listening, wait(LEAVE_MS, undefined, { ref: false })]);
  }

  async hear(): Promise<Heard> {
    const { signal } = this;
    return Promise.race([this.heard.promise, wait(HEARD_MS, { kind: "silence" } as const, { signal })]);
  }

  private wait(ms: number): void {
    clearTimeout(this.timer);
    if (!this.message.answer && !this.isConnected) this.timer = setTimeout(this.connected.resolve, ms);
  }

  private async listen(): Promise<void> {
    const isAfter = this.isSent;
    this.isOver = false;
    let why: string | undefined;
    try {
      for await (const event of this.engine.watch(this.run, this.log, this.signal)) this.take(event);
    } catch (error) {
      this.failure = error;
      why = getErrorMessage(error);
    }
    this.isOver = true;
    this.connected.resolve();
    if (isAfter || this.isSent || why !== undefined) this.heard.resolve({ kind: "silence", ...omitUndefined({ why }) });
  }

  private take(event: FleetEvent): void {
    const { message, asked, isSent } = this;
    switch (event.type) {
      case "stored": {
        const stored = this.readLine(event.line);
        this.log += `${event.line}\n`;
        if (isSent && stored && message.isTaken?.(stored)) this.heard.resolve({ kind: "taken" });
        this.wait(LINES_MS);
        return;
      }
      case "asks":
        this.asked = event.question;
        if (event.question || !message.answer) this.connected.resolve();
        if (isSent && asked && event.question?.binding.id !== asked.binding.id) this.heard.resolve({ kind: "taken" });
        return;
      case "refused":
        if (isSent) this.heard.resolve({ kind: "refused", why: event.why });
    }
  }
}
