import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { waitUntilAborted } from "../../core/base/async.ts";
import { Emitter } from "../../core/base/emitter.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { sha256 } from "../../disk/sha256.ts";
import { findRepositoryAround } from "../../node/git/repository.ts";
import { loadFleetMarks } from "../../runs/store/fleet-marks.ts";
import { createRunId, isRunId } from "../../runs/store/run-folder.ts";
import type { FleetMessage } from "../../schema/fleet/decisions.ts";
import type { ServedLine, ServedRequest } from "../../schema/fleet/served.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import { fetchRun } from "../carry.ts";
import { signDecision } from "../decision.ts";
import type { FleetAnswer, FleetEngine, FleetEvent, FleetRun, FleetSubmission, RaisedLimits } from "../engine.ts";
import { forgetRun } from "../forget-run.ts";
import type { FleetKey } from "../key.ts";
import { rememberPlace } from "../known-places.ts";
import { createMessageWriter } from "../message.ts";
import { createQuestionReader } from "../question.ts";
import type { CarryPlace } from "../run-ref.ts";
import { submitRun } from "../submit.ts";
import { LostConnection, type RemoteProgram, type RemoteShell, readOnlyAnswer } from "./remote-shell.ts";
import { demandFitMachine } from "./set-up.ts";
import { quoteMessage } from "./ssh-failures.ts";

/** Pauses before each further try to connect. */
const PAUSES_MS = [500, 1000, 2000, 5000, 10_000, 20_000, 30_000];

/** How long the machine may take to write a request down, over an open connection. */
const TAKEN_MS = 15_000;

/** Dependencies of the engine. */
interface SshEngineOptions {
  readonly shell: RemoteShell;
  /** The user's own folder on this machine. */
  readonly data: string;
  /** The folder of the copies; absent: the one in the user's folder. */
  readonly copies?: string;
  readonly key: FleetKey;
  /** The sender's name, for people. */
  readonly sender: string;
}

/** Runs on a machine that the user reaches by ssh. Nothing there is needed but the program itself, and nothing listens. */
export class SshEngine implements FleetEngine {
  readonly place: string;
  private readonly options: SshEngineOptions;
  private readonly shell: RemoteShell;
  /** The open connection to each watched run. */
  private readonly watched = new Map<string, WatchedRun>();
  private readonly writeMessage: ReturnType<typeof createMessageWriter>;

  constructor(options: SshEngineOptions) {
    this.options = options;
    this.writeMessage = createMessageWriter(options);
    this.shell = options.shell;
    this.place = `ssh:${options.shell.host}`;
  }

  async submit({ run: given, folder, ...wanted }: FleetSubmission, signal: AbortSignal): Promise<FleetRun> {
    const { task } = wanted;
    await demandFitMachine(this.shell, this.options.key, signal);
    const { place, name } = await this.openRepository(folder, signal);
    const now = new Date();
    const run = given ?? createRunId("remote", now);
    const isAgain = given !== undefined;
    await submitRun(place, { run, ...wanted, folder, submittedBy: this.options.sender, isAgain });
    // Known from now on, even if the answer to the start is lost.
    await rememberPlace(place.data, this.place, run);
    await this.call(signal, ["start", run, name], "started");
    return { place: this.place, id: run, task, startedAt: now.toISOString(), state: "working", steps: 0 };
  }

  async list(signal: AbortSignal): Promise<readonly FleetRun[]> {
    const program = this.start(signal, "list");
    const runs: FleetRun[] = [];
    for await (const line of program.lines) {
      if (line.type !== "run") this.refuseLine(line);
      else if (isRunId(line.id)) {
        const { type: _type, ...run } = line;
        runs.push({ ...run, place: this.place });
      }
    }
    return runs;
  }

  async *watch(run: string, log: string, signal: AbortSignal): AsyncGenerator<FleetEvent> {
    const { host } = this.shell;
    const isWritten = await this.createLineCheck(run);
    const readQuestion = createQuestionReader(this.options.key, run);
    const had = log.split("\n").slice(0, -1);
    if (!had.every(isWritten)) fail("ssh.notSealed", { host });
    let held = had.length;
    let failures = 0;
    let isLost = false;
    while (!signal.aborted) {
      const watched = new WatchedRun(this.start(signal, "attach", checkRunId(run), String(held)));
      this.watched.set(run, watched);
      try {
        for await (const line of watched.readLines()) {
          if (isLost) yield { type: "connection", isLost: false };
          isLost = false;
          failures = 0;
          if (line.type === "over") return;
          if (line.type === "stored" && !isWritten(line.line)) fail("ssh.notSealed", { host });
          if (line.type === "stored") held += 1;
          yield this.convertLine(line, readQuestion);
        }
        throw new LostConnection(displayText("ssh.lost", { host }));
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof LostConnection)) throw error;
        isLost = true;
        yield { type: "connection", isLost, why: getErrorMessage(error) };
        await wait(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)], undefined, { signal }).catch(() => undefined);
        failures += 1;
      } finally {
        if (this.watched.get(run) === watched) this.watched.delete(run);
        watched.program.close();
      }
    }
  }

  /** The lines of a run's log as they are now. */
  async readLog(run: string, signal: AbortSignal): Promise<readonly string[]> {
    const isWritten = await this.createLineCheck(run);
    const lines: string[] = [];
    for await (const line of this.start(signal, "show", checkRunId(run)).lines) {
      if (line.type !== "stored") this.refuseLine(line);
      else if (isWritten(line.line)) lines.push(line.line);
      else fail("ssh.notSealed", { host: this.shell.host });
    }
    return lines;
  }

  async decide(
    question: Parameters<FleetEngine["decide"]>[0],
    answer: FleetAnswer,
    signal: AbortSignal,
  ): Promise<void> {
    const { data, key } = this.options;
    const decision = await signDecision(question.binding, answer, { data, key, nowMs: Date.now() });
    await this.send(question.binding.run, { type: "decide", id: randomUUID(), decision }, signal);
  }

  say(run: string, text: string, signal: AbortSignal): Promise<void> {
    return this.tell(run, { kind: "said", text }, signal);
  }

  stop(run: string, signal: AbortSignal): Promise<void> {
    return this.tell(run, { kind: "stop" }, signal);
  }

  raise(run: string, limits: RaisedLimits, signal: AbortSignal): Promise<void> {
    return this.tell(run, { kind: "raise", limits }, signal);
  }

  private async tell(run: string, act: FleetMessage["act"], signal: AbortSignal): Promise<void> {
    const message = await this.writeMessage(run, act);
    await this.send(run, { type: "tell", id: randomUUID(), message }, signal);
  }

  async fetch(run: string, folder: string, signal: AbortSignal): Promise<void> {
    const { place } = await this.openRepository(folder, signal);
    await fetchRun(place, checkRunId(run), folder);
  }

  async remove(run: string, folder: string, signal: AbortSignal): Promise<void> {
    const { data, copies, key } = this.options;
    await this.call(signal, ["remove", checkRunId(run)], "started");
    const repository = (await findRepositoryAround(folder)) ?? fail("ssh.noRepository", { folder });
    await forgetRun({ data, key, repository, signal, ...omitUndefined({ copies }) }, run);
  }

  private async createLineCheck(run: string): Promise<(line: string) => boolean> {
    return (await loadFleetMarks(this.options.data))?.createLineCheck(run) ?? fail("fleet.noKey");
  }

  /** Sends a request over the open connection to its run, or over one of its own. */
  private async send(run: string, request: ServedRequest, signal: AbortSignal): Promise<void> {
    const watched = this.watched.get(run);
    if (watched && (await watched.send(request, signal))) return;
    const program = this.start(signal, "tell", checkRunId(run));
    program.write(JSON.stringify(request));
    program.end();
    await readOnlyAnswer(this.shell.host, program, "taken");
  }

  /** The repository over there for the one around a folder. */
  private async openRepository(
    folder: string,
    signal: AbortSignal,
  ): Promise<{ readonly place: CarryPlace; readonly name: string }> {
    const repository = (await findRepositoryAround(folder)) ?? fail("ssh.noRepository", { folder });
    const { key, data, copies } = this.options;
    const name = sha256(`${key.id}\n${hostname()}\n${repository.gitFolder}`).slice(0, 32);
    const { path } = await this.call(signal, ["prepare", name], "repository");
    if (!path.startsWith("/")) fail("ssh.notOurs", { host: this.shell.host });
    const remote = { address: this.shell.formatAddress(path), ssh: this.shell.gitCommand };
    return { name, place: { data, key, repository, remote, signal, ...omitUndefined({ copies }) } };
  }

  private call<Type extends ServedLine["type"]>(
    signal: AbortSignal,
    args: readonly string[],
    type: Type,
  ): Promise<Extract<ServedLine, { type: Type }>> {
    return readOnlyAnswer(this.shell.host, this.start(signal, ...args), type);
  }

  private start(signal: AbortSignal, ...args: readonly string[]): RemoteProgram {
    signal.throwIfAborted();
    const program = this.shell.start("serve-run", ...args);
    signal.addEventListener("abort", program.close, { once: true });
    program.input.once("close", () => signal.removeEventListener("abort", program.close));
    return program;
  }

  private convertLine(line: ServedLine, readQuestion: ReturnType<typeof createQuestionReader>): FleetEvent {
    switch (line.type) {
      case "stored":
      case "delta":
        return line;
      case "refused":
        return { ...line, why: escapeInvisible(line.why) };
      case "asks":
        return { type: "asks", ...omitUndefined({ question: line.asked && readQuestion(line.asked) }) };
      default:
        return this.refuseLine(line);
    }
  }

  private refuseLine(line: ServedLine): never {
    const { host } = this.shell;
    if (line.type === "failed") throw new DisplayError(displayText("ssh.says", { host, said: quoteMessage(line.why) }));
    return fail("ssh.notOurs", { host });
  }
}

/** A connection over which a run is watched and gets requests. It's read even while the watcher does something else. */
class WatchedRun {
  readonly program: RemoteProgram;
  private readonly waiting = new Map<string, () => void>();
  private readonly unread: ServedLine[] = [];
  private readonly news = new Emitter();
  private readonly reading: Promise<void>;
  private isOver = false;

  constructor(program: RemoteProgram) {
    this.program = program;
    this.reading = this.read().finally(() => {
      this.isOver = true;
      this.news.fire();
    });
    this.reading.catch(() => undefined);
  }

  /** The lines in their order, without confirmations. */
  async *readLines(): AsyncGenerator<ServedLine> {
    for (;;) {
      yield* this.unread.splice(0);
      if (this.unread.length > 0) continue;
      if (this.isOver) return await this.reading;
      await new Promise<void>((resolve) => {
        const unsubscribe = this.news.subscribe(() => {
          unsubscribe();
          resolve();
        });
      });
    }
  }

  private async read(): Promise<void> {
    for await (const line of this.program.lines) {
      if (line.type === "taken") this.waiting.get(line.id)?.();
      else {
        this.unread.push(line);
        this.news.fire();
      }
    }
  }

  /** False if the machine doesn't confirm in time that it has written the request down. It counts once, even if it's sent again. */
  async send(request: ServedRequest, signal: AbortSignal): Promise<boolean> {
    if (this.isOver) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, TAKEN_MS, false);
    this.waiting.set(request.id, () => resolve(true));
    const unsubscribe = this.news.subscribe(() => this.isOver && resolve(false));
    try {
      this.program.write(JSON.stringify(request));
      return await waitUntilAborted(promise, signal);
    } finally {
      clearTimeout(timer);
      unsubscribe();
      this.waiting.delete(request.id);
    }
  }
}

function checkRunId(run: string): string {
  return isRunId(run) ? run : fail("trouble.runNotFound", { id: run });
}
