import { setImmediate as turn } from "node:timers/promises";
import type { FleetEngine, FleetEvent, FleetRun, FleetSubmission } from "../../src/fleet/engine.ts";
import type { AgentEventBody } from "../../src/schema/events.ts";
import type { RunEnd } from "../../src/schema/run-values.ts";
import { sampleStart, sampleTail } from "./sample-run.ts";

/** What a played run does: the costs of its steps, and how each of its stretches ends. */
export interface PlayedTask {
  readonly costs: readonly number[];
  /** The ends before the last one, each after one step. */
  readonly troubles?: readonly RunEnd[];
  /** It asks after its first step. */
  readonly asks?: boolean;
  readonly isUnpriced?: boolean;
}

/** A run of a played place. */
export interface PlayedRun {
  readonly id: string;
  readonly task: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly lines: string[];
  limit: number;
  spent: number;
  steps: number;
  troubles: number;
  state: FleetRun["state"];
  isStopped: boolean;
}

/** A place whose runs keep their limits as real ones do, and whose steps cost what the test says. */
export class PlayedFleet implements FleetEngine {
  readonly place = "ssh:box";
  readonly runs = new Map<string, PlayedRun>();
  /** Calls of `submit`, also those for a run that is there. */
  readonly submitted: string[] = [];
  /** Most runs that worked at the same moment. */
  mostAtOnce = 0;
  private readonly plan: (task: string) => PlayedTask;

  constructor(plan: (task: string) => PlayedTask) {
    this.plan = plan;
  }

  get spent(): number {
    return [...this.runs.values()].reduce((sum, { spent }) => sum + spent, 0);
  }

  submit: FleetEngine["submit"] = async ({ run: id = "", task, settings }: FleetSubmission) => {
    this.submitted.push(id);
    if (!this.runs.has(id)) {
      const limit = Number(settings["run.budgetUsd"] ?? Number.POSITIVE_INFINITY);
      const facts = { limit, spent: 0, steps: 0, troubles: 0, isStopped: false, state: "working" as const };
      const run: PlayedRun = { id, task, settings, lines: [], ...facts };
      this.runs.set(id, run);
      const limits = { steps: 0, replies: 0, tokens: 0, minutes: 0, usd: Number.isFinite(limit) ? limit : 0 };
      add(run, sampleStart({ id, task, limits }));
      void this.work(run);
    }
    return { place: this.place, id, task, startedAt: "", state: "working", steps: 0 };
  };

  list: FleetEngine["list"] = async () => [];
  find: FleetEngine["find"] = async () => undefined;
  fetch: FleetEngine["fetch"] = async () => undefined;
  remove: FleetEngine["remove"] = async (id) => void this.demandRun(id);
  readLog: FleetEngine["readLog"] = async (id) => [...this.demandRun(id).lines];

  async *watch(id: string, _log: string, signal: AbortSignal): AsyncGenerator<FleetEvent> {
    const run = this.demandRun(id);
    let isAsked = false;
    for (let held = 0; !signal.aborted; await turn()) {
      for (; held < run.lines.length; held++) yield { type: "stored", line: run.lines[held] ?? "" };
      if (run.state === "waiting" && !isAsked) {
        const binding = { run: id, attempt: 1, id: "q-1", hash: "a".repeat(64), expiresMs: 9e12 };
        yield { type: "asks", question: { binding, text: "Left or right?" } };
        isAsked = true;
      }
      if (run.state === "ended") return;
    }
  }

  decide: FleetEngine["decide"] = async ({ binding }) => {
    const run = this.demandRun(binding.run);
    run.state = "working";
    void this.work(run);
  };

  say: FleetEngine["say"] = async (id, text) => {
    const run = this.demandRun(id);
    add(run, { type: "said", text, by: "user" });
    this.resume(run);
  };

  stop: FleetEngine["stop"] = async (id) => {
    this.demandRun(id).isStopped = true;
  };

  raise: FleetEngine["raise"] = async (id, limits) => {
    const run = this.demandRun(id);
    run.limit = limits.usd ?? run.limit;
    add(run, { type: "changed", limits });
    this.resume(run);
  };

  private demandRun(id: string): PlayedRun {
    const run = this.runs.get(id);
    if (!run) throw new Error(`There is no run ${id}.`);
    return run;
  }

  private resume(run: PlayedRun): void {
    if (run.state !== "ended") return;
    run.state = "working";
    add(run, { type: "resumed", reason: "continued by the user" });
    void this.work(run);
  }

  /** One step after another, as long as the next one is within the limit. */
  private async work(run: PlayedRun): Promise<void> {
    const { costs, troubles = [], asks = false, isUnpriced = false } = this.plan(run.task);
    for (;;) {
      await turn();
      const working = [...this.runs.values()].filter(({ state }) => state === "working").length;
      this.mostAtOnce = Math.max(this.mostAtOnce, working);
      const cost = costs[run.steps];
      if (run.isStopped) return end(run, { reason: "stopped" });
      if (cost === undefined) return end(run, { reason: "finished", summary: "Done." });
      if (run.spent + cost > run.limit) return end(run, { reason: "exhausted", limit: "usd" });
      run.spent += cost;
      run.steps += 1;
      addStep(run, isUnpriced ? undefined : cost);
      const trouble = troubles[run.troubles];
      if (trouble) {
        run.troubles += 1;
        return end(run, trouble);
      }
      if (asks && run.steps === 1) {
        run.state = "waiting";
        return;
      }
    }
  }
}

function end(run: PlayedRun, how: RunEnd): void {
  add(run, { type: "over", end: how });
  run.state = "ended";
}

function addStep(run: PlayedRun, costUsd: number | undefined): void {
  const { steps: step } = run;
  const thoughts = { text: "", reasoning: "", plan: "", criticism: "", speak: "" };
  const call = { name: "run_tests", args: {} };
  const usage = { input: 50, output: 10 };
  const paid = costUsd === undefined ? { usage } : { usage, costUsd };
  add(run, { type: "asked", step, format: "text", tail: sampleTail() });
  const reply = { kind: "proposal", thoughts, call } as const;
  add(run, {
    type: "replied",
    step,
    format: "text",
    text: "",
    calls: [],
    finish: "stop",
    reply,
    model: "fake",
    ...paid,
  });
  const files = [{ file: `file-${step}.ts`, change: "created", added: 3, removed: 1 }] as const;
  add(run, { type: "ended", step, outcome: { status: "done", output: "", files } });
}

function add({ lines }: PlayedRun, body: AgentEventBody): void {
  lines.push(JSON.stringify({ seq: lines.length, at: "2026-01-02T03:04:05.000Z", ...body }));
}
