import { type ChildProcess, fork } from "node:child_process";
import { homedir } from "node:os";
import { DisplayError, displayText } from "../../texts/display-text.ts";
import type { FleetEngine, FleetEvent } from "../engine.ts";
import { ItemQueue, waitToRetry } from "../waiting.ts";
import type { ClientFleet, ClientReply, ClientRequest, FleetMethod } from "./messages.ts";

/** How long the client stays without a call, in ms. It's longer than the pause between two looks at the list. */
const IDLE_MS = 90_000;

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
  private readonly calls = new Map<number, ItemQueue<ClientReply>>();
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
      ...{
        submit: call("submit"),
        list: call("list"),
        find: call("find"),
        readLog: call("readLog"),
        decide: call("decide"),
      },
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
        await waitToRetry(failures, signal);
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
    const call = new ItemQueue<ClientReply>();
    this.calls.set(id, call);
    const abort = (): void => {
      this.send({ id, abort: true });
      call.end(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      this.child ??= this.start();
      this.send({ id, ...asked });
      yield* call.read();
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

  private take(reply: ClientReply): void {
    const call = this.calls.get(reply.id);
    if (!("error" in reply)) call?.add(reply);
    if (!("event" in reply)) call?.end("error" in reply ? new DisplayError(reply.error) : undefined);
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
    child.on("message", (reply: ClientReply) => this.take(reply));
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) => end(String(code ?? signal)));
    return child;
  }
}
