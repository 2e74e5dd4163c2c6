import { randomUUID } from "node:crypto";
import { omitUndefined } from "../core/base/objects.ts";
import type { RemotePlace } from "../node/git/exchange.ts";
import { findRepositoryAround } from "../node/git/repository.ts";
import { loadFleetMarks } from "../runs/store/fleet-marks.ts";
import { createRunId, isRunId } from "../runs/store/run-folder.ts";
import type { FleetMessage } from "../schema/fleet/decisions.ts";
import type { AskedQuestion, ServedRequest } from "../schema/fleet/served.ts";
import { fail } from "../texts/display-text.ts";
import { fetchRun } from "./carry.ts";
import { signDecision } from "./decision.ts";
import type {
  FleetAnswer,
  FleetEngine,
  FleetEvent,
  FleetRun,
  FleetSubmission,
  RaisedLimits,
  SubmittedRun,
} from "./engine.ts";
import type { FleetKey } from "./key.ts";
import { rememberPlace } from "./known-places.ts";
import { createMessageWriter } from "./message.ts";
import { createQuestionReader } from "./question.ts";
import type { CarryPlace } from "./run-ref.ts";
import { submitRun } from "./submit.ts";

/** Dependencies of the engines of all places. */
export interface EngineOptions {
  /** The user's own folder on this machine. */
  readonly data: string;
  /** The folder of the copies; absent: the one in the user's folder. */
  readonly copies?: string;
  readonly key: FleetKey;
  /** The sender's name, for people. */
  readonly sender: string;
}

/** A run that was handed over and should begin. */
export interface HandedRun {
  readonly run: string;
  readonly task: string;
  readonly startedAt: string;
  /** It may have begun already. */
  readonly isAgain: boolean;
}

/** The way to read a watched run. */
export interface LogCheck {
  /** Lines of the log that the watcher has. */
  readonly held: number;
  /** Throws a sentence for a line that no machine of the fleet has written. */
  checkLine(line: string): void;
  readonly readQuestion: ReturnType<typeof createQuestionReader>;
}

/**
 * The engine of a place, except for how that is reached: tasks and results travel as commits of git, and what is sent to a run is sealed and
 * signed here.
 */
export abstract class CarryingEngine implements FleetEngine {
  readonly place: string;
  /** The name of its machine, for people. */
  protected abstract readonly host: string;
  private readonly own: EngineOptions;
  private readonly writeMessage: ReturnType<typeof createMessageWriter>;

  constructor(place: string, own: EngineOptions) {
    this.place = place;
    this.own = own;
    this.writeMessage = createMessageWriter(own);
  }

  abstract list(signal: AbortSignal): Promise<readonly FleetRun[]>;
  abstract watch(run: string, log: string, signal: AbortSignal): AsyncIterable<FleetEvent>;
  abstract remove(run: string, folder: string, signal: AbortSignal): Promise<void>;

  /** The repository of a folder, and the one through which a run travels from there; without a run, a new one. */
  protected abstract openWay(folder: string, signal: AbortSignal, run?: string): Promise<CarryPlace>;
  /** Starts a run that was handed over. */
  protected abstract begin(run: HandedRun, place: CarryPlace): Promise<void>;
  /** Sends a request to a run. */
  protected abstract send(run: string, request: ServedRequest, signal: AbortSignal): Promise<void>;
  /** The lines of a run's log as they are now, which aren't checked yet. */
  protected abstract readLines(run: string, signal: AbortSignal): AsyncIterable<string>;

  async submit({ run: given, folder, ...wanted }: FleetSubmission, signal: AbortSignal): Promise<SubmittedRun> {
    const { data, sender } = this.own;
    const place = await this.openWay(folder, signal);
    const now = new Date();
    const run = given ?? createRunId("fleet", now);
    const [isAgain, startedAt, { task }] = [given !== undefined, now.toISOString(), wanted];
    const { notes } = await submitRun(place, { run, ...wanted, folder, submittedBy: sender, isAgain });
    // Known from now on, even if the answer to the start is lost.
    await rememberPlace(data, this.place, run);
    signal.throwIfAborted();
    await this.begin({ run, task, startedAt, isAgain }, place);
    return { place: this.place, id: run, task, startedAt, state: "working", steps: 0, notes };
  }

  async find(run: string, signal: AbortSignal): Promise<FleetRun | undefined> {
    return (await this.list(signal)).find(({ id }) => id === run);
  }

  async readLog(run: string, signal: AbortSignal): Promise<readonly string[]> {
    const { checkLine } = await this.openLog(run);
    const lines: string[] = [];
    for await (const line of this.readLines(run, signal)) {
      checkLine(line);
      lines.push(line);
    }
    return lines;
  }

  async decide({ binding }: AskedQuestion, answer: FleetAnswer, signal: AbortSignal): Promise<void> {
    const { data, key } = this.own;
    const decision = await signDecision(binding, answer, { data, key, nowMs: Date.now() });
    await this.send(binding.run, { type: "decide", id: randomUUID(), decision }, signal);
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
    await fetchRun(await this.openWay(folder, signal, run), checkRunId(run), folder);
  }

  /** Begins to read a run whose watcher has some lines of its log, each with its line break. */
  protected async openLog(run: string, log = ""): Promise<LogCheck> {
    const { data, key } = this.own;
    const { host } = this;
    const isWritten = (await loadFleetMarks(data))?.createLineCheck(run) ?? fail("fleet.noKey");
    const checkLine = (line: string): void => {
      if (!isWritten(line)) fail("fleet.notSealed", { host });
    };
    const had = log.split("\n").slice(0, -1);
    for (const line of had) checkLine(line);
    return { held: had.length, checkLine, readQuestion: createQuestionReader(key, run) };
  }

  /** The repository around a folder, and the one through which its runs travel. */
  protected async openPlace(folder: string, signal: AbortSignal, remote?: RemotePlace): Promise<CarryPlace> {
    const { data, key, copies } = this.own;
    const repository = (await findRepositoryAround(folder)) ?? fail("fleet.noRepository", { folder });
    return { data, key, repository, signal, ...omitUndefined({ copies, remote }) };
  }
}

/** The ID of a run. Throws a sentence for any other text. */
export function checkRunId(run: string): string {
  return isRunId(run) ? run : fail("trouble.runNotFound", { id: run });
}
