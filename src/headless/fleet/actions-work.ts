import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { omitUndefined } from "../../core/base/objects.ts";
import type { ClaimedRun } from "../../fleet/carry.ts";
import { createBinding } from "../../fleet/decision.ts";
import { sealQuestion } from "../../fleet/question.ts";
import type { CarryPlace } from "../../fleet/run-ref.ts";
import type { FleetBinding } from "../../schema/fleet/decisions.ts";
import type { RunOptions } from "../options.ts";
import type { Surroundings } from "../session.ts";
import type { JobQuestion } from "./actions-comments.ts";
import { type WorkedStretch, workInJob } from "./serve-work.ts";
import { addRequest, writeServedRecord } from "./served-runs.ts";

/** A job that can work. */
interface JobParts {
  readonly place: CarryPlace;
  readonly options: RunOptions;
  readonly around: Surroundings;
  readonly mostMs: number;
}

/** A signed decision, with the question that it answers. */
interface GivenDecision {
  readonly signed: string;
  readonly binding: FleetBinding;
}

/** The run of a job. */
export interface JobWork {
  readonly run: string;
  /** The attempt that asked: a repository that offers an older state is refused. */
  readonly atLeast?: number;
  readonly decision?: GivenDecision;
}

/** Works on a run as any machine of the fleet does. The answer is what this machine knows of the attempt before. */
export async function workWithAnswer(
  { place, options, around, mostMs }: JobParts,
  { run, atLeast, decision }: JobWork,
): Promise<WorkedStretch> {
  const { data, key } = place;
  const facts = { version: 1, run, repository: "", startedAt: new Date().toISOString() } as const;
  const asked = decision && sealQuestion(key, { binding: decision.binding, text: "" });
  await writeServedRecord(data, { ...facts, refused: [], handled: [], ...omitUndefined({ asked }) });
  if (decision) await addRequest(data, run, { type: "decide", id: randomUUID(), decision: decision.signed });
  const { resume: _resume, task: _task, ...plain } = options;
  return workInJob(run, {
    place,
    machine: nameMachine(options.env),
    mostMs,
    around,
    ...omitUndefined({ atLeast }),
    createOptions: ({ workspace, hasLog, task: { task } }) => ({
      ...plain,
      workspace,
      isolated: true,
      ...(hasLog ? {} : { task }),
    }),
  });
}

/** The question with which the work has ended. */
export function findQuestion({ claimed, question, refusal, isTimeUp }: WorkedStretch): JobQuestion | undefined {
  if (question) {
    const { binding, text, card } = question;
    return { binding, text, kind: card ? "proposal" : "question", ...omitUndefined({ refusal }) };
  }
  const text = "The time of this job is used up. Continue with the run in a new one?";
  return isTimeUp ? createContinueQuestion(claimed, text, Date.now()) : undefined;
}

/** A question whether the work should continue, which is asked outside the run. */
export function createContinueQuestion({ run, attempt }: ClaimedRun, text: string, nowMs: number): JobQuestion {
  return { binding: createBinding(run, attempt, { kind: "question", text }, { nowMs }), kind: "continue", text };
}

/** Names the job, for people. */
function nameMachine({ GITHUB_RUN_ID: id }: RunOptions["env"]): string {
  return id === undefined ? hostname() : `GitHub Actions ${id}`;
}
