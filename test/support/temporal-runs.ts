import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLineReader } from "../../src/runs/log/read-log.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import type { SeenRequest, ServerAnswer } from "./fake-model-server.ts";
import { calling } from "./headless.ts";
import type { TemporalFleet } from "./temporal-fleet.ts";

const { signal } = new AbortController();

/** Runs of steps that leave marks outside their copies. */
export interface MarkedRuns {
  /** Steps of a run, the last of which ends it. */
  readonly steps: number;
  /** How long each of them takes, in seconds. */
  readonly seconds?: number;
  /** A step that asks its user. */
  readonly asksAt?: number;
}

/** What became of a run whose workers may have been killed. */
export interface MarkedEnd {
  readonly end: string;
  /** Marks that were left more than once. */
  readonly twice: readonly number[];
  /** Marks of steps that the log doesn't know. */
  readonly unknown: readonly number[];
  /** Steps that neither left a mark nor were declared interrupted. */
  readonly undeclared: readonly number[];
}

export const WHOLE: MarkedEnd = { end: "finished", twice: [], unknown: [], undeclared: [] };

/** The task of a run, from which the model's answers know it. */
export const nameRun = (at: number): string => `Leave the marks of run-${at}.`;

/** The model of runs of which each leaves its own marks until it has left enough. */
export function answerWithMarks(
  marks: string,
  { steps, seconds = 0, asksAt }: MarkedRuns,
): (request: SeenRequest) => ServerAnswer {
  const asked = new Map<string, number>();
  return (request: SeenRequest) => {
    const [, run = ""] = /run-(\d+)\./.exec(JSON.stringify(request.body)) ?? [];
    const number = (asked.get(run) ?? 0) + 1;
    asked.set(run, number);
    if (readMarks(marks, run).length >= steps - 1) return calling("task_complete", { reason: "Done." });
    if (number === asksAt) return calling("ask_user", { question: "Which color?" });
    const rest = seconds > 0 ? `sleep ${seconds}; ` : "";
    return calling("execute_shell", { command_line: `${rest}echo ${number} $(date +%s%3N) >> ${join(marks, run)}` });
  };
}

function readMarks(marks: string, run: string): readonly number[] {
  const path = join(marks, run);
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => Number(line.split(" ")[0]))
    : [];
}

/** Sends runs, some at a time, and gives their IDs. */
export async function sendRuns({ engine, workspace }: TemporalFleet, from: number, count: number) {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const sent = { task: nameRun(from + at), folder: workspace, settings: { "run.maxSteps": 60 } };
    ids.push((await engine.submit(sent, signal)).id);
  }
  return ids;
}

/** Waits until none of some runs works any more. */
export async function waitForEnds({ client }: TemporalFleet, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => client.workflow.getHandle(id).result()));
}

/** Compares a run's log with the marks that it left. */
export async function inspectRun({ engine, marks }: TemporalFleet, id: string, at: number) {
  const read = createLineReader();
  const events = (await engine.readLog(id, signal)).flatMap((line) => read(line) ?? []);
  const left = readMarks(marks, String(at));
  const numbers = new Map<number, number>();
  for (const event of events) {
    const [, number] = /echo (\d+) \$/.exec(event.type === "replied" ? JSON.stringify(event) : "") ?? [];
    if (number !== undefined && event.type === "replied") numbers.set(event.step, Number(number));
  }
  const began = events.flatMap((event) =>
    event.type === "began" && numbers.has(event.step)
      ? [{ step: event.step, number: numbers.get(event.step) ?? 0 }]
      : [],
  );
  const interrupted = began.filter(({ step }) => isInterrupted(step, events)).map(({ number }) => number);
  const over = events.findLast((event) => event.type === "over");
  const found: MarkedEnd = {
    end: over?.type === "over" ? over.end.reason : "none",
    twice: left.filter((number, place) => left.indexOf(number) !== place),
    unknown: left.filter((number) => !began.some((one) => one.number === number)),
    undeclared: began
      .map(({ number }) => number)
      .filter((number) => !interrupted.includes(number) && !left.includes(number)),
  };
  return { found, interruptions: interrupted.length, events };
}

function isInterrupted(step: number, events: readonly AgentEvent[]): boolean {
  const ended = events.findLast((event) => event.type === "ended" && event.step === step);
  return (
    ended?.type === "ended" &&
    ended.outcome.status === "failed" &&
    /interrupted|may have done a part/i.test(ended.outcome.error)
  );
}
