import { type ChildProcess, fork } from "node:child_process";
import { homedir } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { Emitter } from "../../core/base/emitter.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";
import type { FleetEngine, FleetEvent } from "../engine.ts";
import type { ClientFleet, ClientReply, ClientRequest, FleetMethod } from "./messages.ts";

/** How long the client stays without a call, in ms. It's longer than the pause between two looks at the list. */
const IDLE_MS = 90_000;
const PAUSES_MS = [500, 2000, 10_000, 30_000];

/** The client has ended before it answered. */
class EndedClient extends DisplayError {
  override readonly name = "EndedClient";
}

/**
 * Fleets on Temporal for a program that doesn't load the client of Temporal itself. A process has it, which is started at the first call,
 * ends some time after the last one, and is started again if it dies.
 */
export class FleetClient {
  private readonly program: string;
  private readonly idleMs: number;
  private readonly calls = new Map<number, OpenCall>();
  private child: ChildProcess | undefined;
  private lastId = 0;
  private resting: NodeJS.Timeout | undefined;

  /** `program`: path of the client. */
  constructor(program: string, { idleMs = IDLE_MS }: { readonly idleMs?: number } = {}) {
    this.program = program;
    this.idleMs = idleMs;
  }

  /** True while its process is there. */
  get isStarted(): boolean {
    return this.child !== undefined;
  }

  /** A fleet. Nothing is started yet. */
  open(fleet: ClientFleet): FleetEngine {
    const call = <Method extends Exclude<FleetMethod, "watch">>(method: Method) =>
      ((...all: readonly unknown[]) =>
        this.call(fleet, method, all.slice(0, -1), all.at(-1) as AbortSignal)) as FleetEngine[Method];
    return {
      place: fleet.name,
      watch: (run, log, signal) => this.watch(fleet, { run, log }, signal),
      ...{ submit: call("submit"), list: call("list"), readLog: call("readLog"), decide: call("decide") },
      ...{ say: call("say"), raise: call("raise"), stop: call("stop"), fetch: call("fetch"), remove: call("remove") },
    };
  }

  close(): void {
    clearTimeout(this.resting);
    this.child?.disconnect();
    this.child = undefined;
  }

  private async call(
    fleet: ClientFleet,
    method: FleetMethod,
    args: readonly unknown[],
    signal: AbortSignal,
  ): Promise<unknown> {
    for await (const reply of this.request({ fleet, method, args }, signal))
      if ("isAnswered" in reply) return reply.value;
    return undefined;
  }

  /** Follows a run. If the client dies, another one reads on from where it stopped. */
  private async *watch(
    fleet: ClientFleet,
    { run, log }: { readonly run: string; readonly log: string },
    signal: AbortSignal,
  ): AsyncGenerator<FleetEvent> {
    let held = log;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        for await (const reply of this.request({ fleet, method: "watch", args: [run, held] }, signal)) {
          if (!("event" in reply)) return;
          if (failures > 0) yield { type: "connection", isLost: false };
          failures = 0;
          const { event } = reply;
          if (event.type === "stored") held += `${event.line}\n`;
          yield event;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof EndedClient)) throw error;
        yield { type: "connection", isLost: true, why: error.message };
        await wait(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)], undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async *request(
    asked: Omit<Extract<ClientRequest, { fleet: ClientFleet }>, "id">,
    signal: AbortSignal,
  ): AsyncGenerator<ClientReply> {
    signal.throwIfAborted();
    clearTimeout(this.resting);
    this.lastId += 1;
    const id = this.lastId;
    const call = new OpenCall();
    this.calls.set(id, call);
    const abort = (): void => {
      this.send({ id, abort: true });
      call.end(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      this.child ??= this.start();
      this.send({ id, ...asked });
      yield* call.readReplies();
    } finally {
      signal.removeEventListener("abort", abort);
      if (!call.isOver) this.send({ id, abort: true });
      this.calls.delete(id);
      if (this.calls.size === 0) this.resting = setTimeout(() => this.close(), this.idleMs).unref();
    }
  }

  private send(request: ClientRequest): void {
    if (this.child?.connected) this.child.send(request, () => undefined);
  }

  private start(): ChildProcess {
    const child = fork(this.program, [], {
      cwd: homedir(),
      execArgv: [],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const end = (code: string): void => {
      if (this.child !== child) return;
      this.child = undefined;
      for (const call of this.calls.values()) call.end(new EndedClient(displayText("fleet.clientEnded", { code })));
    };
    child.on("message", (reply: ClientReply) => this.calls.get(reply.id)?.take(reply));
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) => end(String(code ?? signal)));
    return child;
  }
}

/** A call whose replies are read one after the other. */
class OpenCall {
  private readonly replies: ClientReply[] = [];
  private readonly news = new Emitter();
  private error: Error | undefined;
  isOver = false;

  take(reply: ClientReply): void {
    if ("error" in reply) this.end(new DisplayError(reply.error));
    else {
      this.replies.push(reply);
      if ("isAnswered" in reply) this.isOver = true;
      this.news.fire();
    }
  }

  end(error: Error): void {
    if (this.isOver) return;
    this.error = error;
    this.isOver = true;
    this.news.fire();
  }

  async *readReplies(): AsyncGenerator<ClientReply> {
    for (;;) {
      yield* this.replies.splice(0);
      if (this.replies.length > 0) continue;
      if (this.error) throw this.error;
      if (this.isOver) return;
      await new Promise<void>((resolve) => {
        const unsubscribe = this.news.subscribe(() => {
          unsubscribe();
          resolve();
        });
      });
    }
  }
}
