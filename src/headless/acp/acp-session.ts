import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import { createRunId } from "../../runs/store/run-folder.ts";
import type { LiveComposedRun } from "../../runtime/composed-run.ts";
import type { RunOptions } from "../options.ts";
import type { Surroundings } from "../session.ts";
import { AgentsRequests } from "./agents-requests.ts";
import type { EditorPrompt } from "./prompt-blocks.ts";
import { type OpenSession, openSession, type SessionMode, SessionWork } from "./session-work.ts";

/** The editor at the other end. */
export interface EditorClient {
  update(sessionId: string, update: SessionUpdate): void;
  /** Asks the person. An abort of the signal ends the wait with an error. */
  ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
}

/** A stored run that a session continues. */
export interface StoredSession {
  readonly id: string;
  readonly showsPast: boolean;
}

const MODES: readonly { readonly id: SessionMode; readonly name: string; readonly description: string }[] = [
  { id: "ask", name: "Ask", description: "Asks before it changes something or runs a program." },
  { id: "plan", name: "Plan", description: "Only reads, and makes a plan first." },
  {
    id: "isolated",
    name: "Isolated",
    description: "Works in a sandboxed copy without asking. At the end, you accept or leave its changes.",
  },
];

/** A session of an editor: one run, from its first prompt on, and what follows it. */
export class AcpSession {
  readonly id: string;
  private readonly closing: AbortController;
  private readonly requests: AgentsRequests;
  private readonly session: OpenSession;
  private readonly work: SessionWork;
  private turn: PromiseWithResolvers<StopReason> | undefined;
  private working: Promise<void> | undefined;
  private composed: LiveComposedRun | undefined;
  private isCanceled = false;
  private isEnding = false;

  private constructor(
    id: string,
    send: (update: SessionUpdate) => void,
    parts: { readonly closing: AbortController; readonly requests: AgentsRequests; readonly session: OpenSession },
    hasRun: boolean,
  ) {
    const { closing, requests, session } = parts;
    this.id = id;
    this.closing = closing;
    this.requests = requests;
    this.session = session;
    this.work = new SessionWork({ id, send, requests, session }, hasRun);
  }

  /** Opens a new session or, with `stored`, that of a run. Throws a sentence if that isn't possible. */
  static async open(
    options: RunOptions,
    around: Surroundings,
    client: EditorClient,
    stored?: StoredSession,
  ): Promise<AcpSession> {
    const id = stored?.id ?? createRunId("editor", new Date());
    const send = (update: SessionUpdate): void => client.update(id, update);
    const closing = new AbortController();
    const opened: { session?: AcpSession } = {};
    const requests = new AgentsRequests({
      ask: (request, signal) => client.ask({ sessionId: id, ...request }, signal),
      send,
      isListening: () => opened.session?.turn !== undefined,
      waitForWords: () => opened.session?.endTurn("end_turn"),
      stop: () => void opened.session?.cancel(),
    });
    const session = await openSession(options, { ...around, signal: closing.signal }, requests);
    const made = new AcpSession(id, send, { closing, requests, session }, stored !== undefined);
    opened.session = made;
    try {
      if (stored) await made.work.readStored(stored.showsPast);
    } catch (error) {
      await made.close();
      throw error;
    }
    return made;
  }

  /** Real path of its folder. */
  get folder(): string {
    return this.session.workspace;
  }

  get modes(): SessionModeState {
    return { currentModeId: this.work.mode, availableModes: [...MODES] };
  }

  /** Shows what a message can begin with, once the editor knows the session. */
  announce(): void {
    setImmediate(() => void this.work.listCommands().catch(() => undefined));
  }

  /** Names of the editor's own servers, which only the user could have allowed. */
  leaveOut(servers: readonly string[]): void {
    this.work.unusedServers = servers;
  }

  /** Switches the mode. Whether it works in a copy is decided with the first prompt. */
  async setMode(wanted: string): Promise<Record<string, never>> {
    const mode = MODES.find(({ id }) => id === wanted)?.id;
    if (!mode) throw new Error(`There is no mode "${wanted}". Choose ask, plan or isolated.`);
    const hasBegun = this.work.hasRun || this.working !== undefined;
    if (hasBegun && (mode === "isolated") !== (this.work.mode === "isolated"))
      throw new Error("This session has begun. Start a new session to work in a copy, or outside of one.");
    this.work.mode = mode;
    if (this.composed) await this.work.applyMode(this.composed);
    return {};
  }

  /** Gives the agent a message, and resolves when it's over with that, or asks for the next one. */
  async sendPrompt(given: EditorPrompt): Promise<StopReason> {
    // A message that comes while a turn ends begins the next one.
    while (this.isEnding || this.isCanceled) await this.working;
    if (this.closing.signal.aborted) throw new Error("The session is closed. Load it again.");
    const { composed } = this;
    if (this.working && !composed) throw new Error("The run is still starting. Send the message again in a moment.");
    const before = this.turn;
    this.turn ??= Promise.withResolvers();
    const { promise } = this.turn;
    if (composed)
      await this.work.say(composed, given).catch((error: unknown) => {
        if (before) throw error;
        // The turn has begun with this message, so it's over, too.
        this.turn?.reject(error);
        this.turn = undefined;
      });
    else this.working = this.begin(given);
    return promise;
  }

  /** Stops the run with all its programs. It can be continued by the next prompt. */
  async cancel(): Promise<void> {
    if (!this.turn) return;
    this.isCanceled = true;
    this.requests.dismiss();
    await this.composed?.live.stop();
  }

  /** Ends the work, so that the run can be loaded again. A run that waits for the user will ask again. */
  async close(): Promise<void> {
    const isWaiting = this.composed?.live.pending !== undefined;
    this.isCanceled = this.working !== undefined;
    this.requests.dismiss();
    await (isWaiting ? this.composed?.live.suspend() : this.composed?.live.stop());
    this.closing.abort(new Error("The session was closed."));
    await this.working;
    await this.session.closed;
  }

  private async begin(given: EditorPrompt): Promise<void> {
    try {
      const composed = await this.work.open(given);
      try {
        this.composed = this.isCanceled ? undefined : composed;
        const reason = this.composed ? await this.work.carryOut(composed, given, () => this.isCanceled) : "cancelled";
        if (!this.isCanceled && composed.isolation) await this.work.review(composed);
        this.isEnding = true;
        await this.work.leave(composed);
        this.endTurn(this.isCanceled ? "cancelled" : reason);
      } finally {
        this.isEnding = true;
        this.composed = undefined;
      }
    } catch (error) {
      this.turn?.reject(error);
    }
    this.turn = undefined;
    this.working = undefined;
    this.isCanceled = false;
    this.isEnding = false;
  }

  private endTurn(reason: StopReason): void {
    this.turn?.resolve(reason);
    this.turn = undefined;
  }
}
