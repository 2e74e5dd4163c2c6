import { hostname } from "node:os";
import { waitUntilAborted } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { sha256 } from "../../disk/sha256.ts";
import { isRunId } from "../../runs/store/run-folder.ts";
import type { ServedLine, ServedRequest } from "../../schema/fleet/served.ts";
import { displayText, fail } from "../../texts/display-text.ts";
import { CarryingEngine, checkRunId, type EngineOptions, type HandedRun, type LogCheck } from "../carrying-engine.ts";
import type { FleetEvent, FleetRun, FleetSubmission, SubmittedRun } from "../engine.ts";
import { forgetRun } from "../forget-run.ts";
import type { CarryPlace } from "../run-ref.ts";
import { ItemQueue, waitToRetry } from "../waiting.ts";
import {
  LostConnection,
  type RemoteProgram,
  type RemoteShell,
  readOnlyAnswer,
  readToEnd,
  refuseLine,
} from "./remote-shell.ts";
import { demandFitMachine } from "./set-up.ts";

/** How long the machine may take to write a request down, over an open connection. */
const TAKEN_MS = 15_000;

/** Dependencies of the engine. */
interface SshEngineOptions extends EngineOptions {
  readonly shell: RemoteShell;
}

/** Runs on a machine that the user reaches by ssh. Nothing there is needed but the program itself, and nothing listens. */
export class SshEngine extends CarryingEngine {
  protected readonly host: string;
  private readonly options: SshEngineOptions;
  private readonly shell: RemoteShell;
  /** The open connection to each watched run. */
  private readonly watched = new Map<string, WatchedRun>();

  constructor(options: SshEngineOptions) {
    super(`ssh:${options.shell.host}`, options);
    this.options = options;
    this.shell = options.shell;
    this.host = options.shell.host;
  }

  override async submit(submission: FleetSubmission, signal: AbortSignal): Promise<SubmittedRun> {
    await demandFitMachine(this.shell, this.options.key, signal);
    return super.submit(submission, signal);
  }

  protected async begin({ run }: HandedRun, place: CarryPlace): Promise<void> {
    await this.call(place.signal, ["start", run, this.nameRepository(place)], "started");
  }

  async list(signal: AbortSignal): Promise<readonly FleetRun[]> {
    const runs: FleetRun[] = [];
    for await (const line of readToEnd(this.shell.host, this.start(signal, "list"))) {
      if (line.type !== "run") this.refuseLine(line);
      else if (isRunId(line.id)) {
        const { type: _type, ...run } = line;
        runs.push({ ...run, place: this.place });
      }
    }
    return runs;
  }

  async *watch(run: string, log: string, signal: AbortSignal): AsyncGenerator<FleetEvent> {
    const { host } = this;
    const { checkLine, readQuestion, ...had } = await this.openLog(run, log);
    let { held } = had;
    let failures = 0;
    let isLost = false;
    while (!signal.aborted) {
      const watched = new WatchedRun(this.start(signal, "attach", checkRunId(run), String(held)));
      this.watched.set(run, watched);
      try {
        for await (const line of watched.lines.read()) {
          if (isLost) yield { type: "connection", isLost: false };
          isLost = false;
          failures = 0;
          if (line.type === "over") return;
          if (line.type === "stored") {
            checkLine(line.line);
            held += 1;
          }
          yield this.convertLine(line, readQuestion);
        }
        throw new LostConnection(displayText("ssh.lost", { host }));
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof LostConnection)) throw error;
        isLost = true;
        yield { type: "connection", isLost, why: getErrorMessage(error) };
        await waitToRetry(failures, signal);
        failures += 1;
      } finally {
        if (this.watched.get(run) === watched) this.watched.delete(run);
        watched.program.close();
      }
    }
  }

  protected async *readLines(run: string, signal: AbortSignal): AsyncGenerator<string> {
    for await (const line of readToEnd(this.shell.host, this.start(signal, "show", checkRunId(run)))) {
      if (line.type === "stored") yield line.line;
      else this.refuseLine(line);
    }
  }

  async remove(run: string, folder: string, signal: AbortSignal): Promise<void> {
    await this.call(signal, ["remove", checkRunId(run)], "started");
    await forgetRun(await this.openPlace(folder, signal), run);
  }

  /** Sends a request over the open connection to its run, or over one of its own. */
  protected async send(run: string, request: ServedRequest, signal: AbortSignal): Promise<void> {
    const watched = this.watched.get(run);
    if (watched && (await watched.send(request, signal))) return;
    const program = this.start(signal, "tell", checkRunId(run));
    program.write(JSON.stringify(request));
    program.end();
    await readOnlyAnswer(this.host, program, "taken");
  }

  /** The repository over there for the one around a folder. */
  protected async openWay(folder: string, signal: AbortSignal): Promise<CarryPlace> {
    const place = await this.openPlace(folder, signal);
    const { path } = await this.call(signal, ["prepare", this.nameRepository(place)], "repository");
    if (!path.startsWith("/")) fail("ssh.notOurs", { host: this.host });
    return { ...place, remote: { address: this.shell.formatAddress(path), ssh: this.shell.gitCommand } };
  }

  private nameRepository({ key, repository }: CarryPlace): string {
    return sha256(`${key.id}\n${hostname()}\n${repository.gitFolder}`).slice(0, 32);
  }

  private call<Type extends ServedLine["type"]>(
    signal: AbortSignal,
    args: readonly string[],
    type: Type,
  ): Promise<Extract<ServedLine, { type: Type }>> {
    return readOnlyAnswer(this.host, this.start(signal, ...args), type);
  }

  private start(signal: AbortSignal, ...args: readonly string[]): RemoteProgram {
    signal.throwIfAborted();
    const program = this.shell.start("serve-run", ...args);
    signal.addEventListener("abort", program.close, { once: true });
    program.input.once("close", () => signal.removeEventListener("abort", program.close));
    return program;
  }

  private convertLine(line: ServedLine, readQuestion: LogCheck["readQuestion"]): FleetEvent {
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
    return refuseLine(this.shell.host, line);
  }
}

/** A connection over which a run is watched and gets requests. It's read even while the watcher does something else. */
class WatchedRun {
  readonly program: RemoteProgram;
  /** Its lines without confirmations. */
  readonly lines = new ItemQueue<ServedLine>();
  private readonly waiting = new Map<string, () => void>();

  constructor(program: RemoteProgram) {
    this.program = program;
    this.read().then(
      () => this.lines.end(),
      (error: unknown) => this.lines.end(error),
    );
  }

  private async read(): Promise<void> {
    for await (const line of this.program.lines) {
      if (line.type === "taken") this.waiting.get(line.id)?.();
      else this.lines.add(line);
    }
  }

  /** False if the machine doesn't confirm in time that it has written the request down. It counts once, even if it's sent again. */
  async send(request: ServedRequest, signal: AbortSignal): Promise<boolean> {
    if (this.lines.isOver) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, TAKEN_MS, false);
    this.waiting.set(request.id, () => resolve(true));
    const unsubscribe = this.lines.onOver(() => resolve(false));
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
