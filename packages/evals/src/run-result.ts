import {
  type AgentEvent,
  applyEvent,
  assertNever,
  countStepsForLimit,
  cutText,
  type EvalResult,
  NO_RUN,
  type RunEnd,
} from "../../../src/headless/library.ts";

/** The numbers of a run. */
export type RunCounts = Pick<
  EvalResult,
  "steps" | "replies" | "unreadable" | "invalid" | "refused" | "input" | "cached" | "output" | "usd"
>;

/** The numbers of a run that a report is about, from its events. */
export function computeRunCounts(events: readonly AgentEvent[]): RunCounts {
  const { totals } = events.reduce(applyEvent, NO_RUN);
  const replies = events.filter((event) => event.type === "replied");
  const begun = new Set(events.flatMap((event) => (event.type === "began" ? [event.step] : [])));
  const decided = new Set(events.flatMap((event) => (event.type === "decided" ? [event.step] : [])));
  const proposed = new Set(replies.flatMap(({ reply, step }) => (reply.kind === "proposal" ? [step] : [])));
  const isInvalid = (step: number): boolean => proposed.has(step) && !begun.has(step) && !decided.has(step);
  const ends = events.filter((event) => event.type === "ended");
  return {
    steps: countStepsForLimit(totals),
    replies: replies.filter(({ of }) => of === undefined).length,
    unreadable: replies.filter(({ reply }) => reply.kind === "unreadable").length,
    invalid: ends.filter(({ outcome, step }) => outcome.status === "failed" && isInvalid(step)).length,
    refused: ends.filter(({ outcome }) => outcome.status === "refused").length,
    input: totals.input,
    cached: totals.cached,
    output: totals.output,
    ...(totals.unpriced > 0 ? {} : { usd: totals.usd }),
  };
}

/** Maximum length of a reason in a report. */
export const MAX_WHY_CHARS = 500;

/** Why a run didn't pass, where its grader doesn't say. */
export function explainRunEnd(end: RunEnd): string {
  return end.reason === "finished" ? "The result is not what the task asks for." : "The task is not done.";
}

/** Converts the end of a run for reports. */
export function convertRunEnd(end: RunEnd): Pick<EvalResult, "end" | "endDetail"> {
  switch (end.reason) {
    case "finished":
      return { end: "finished" };
    case "exhausted":
      return { end: "exhausted", endDetail: end.limit };
    case "stuck":
      return { end: "stuck", endDetail: cutText(end.why, MAX_WHY_CHARS) };
    case "failed":
    case "crashed":
      return { end: end.reason, endDetail: cutText(end.error, MAX_WHY_CHARS) };
    case "stopped":
      return { end: "failed", endDetail: "The run was stopped." };
    default:
      return assertNever(end);
  }
}
