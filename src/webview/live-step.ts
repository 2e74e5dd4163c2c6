import { NO_THOUGHTS, type Thoughts } from "../core/reply.ts";
import type { ThoughtDelta } from "../core/thought-stream.ts";

/** What streams in of the open step: its thoughts, then its command's output. */
export interface LiveStep {
  readonly step: number;
  readonly thoughts: Thoughts;
  readonly output: string;
}

export const NOTHING_LIVE: LiveStep = { step: 0, thoughts: NO_THOUGHTS, output: "" };

/** The end of the output is shown; the outcome has the rest. */
const LONGEST_OUTPUT = 16_000;

export function withDeltas(
  live: LiveStep,
  step: number,
  deltas: readonly ThoughtDelta[],
  restarted = false,
): LiveStep {
  const same = live.step === step;
  const thoughts = { ...(same && !restarted ? live.thoughts : NO_THOUGHTS) };
  for (const { field, text } of deltas) thoughts[field] += text;
  return { step, thoughts, output: same ? live.output : "" };
}

export function withOutput(live: LiveStep, step: number, text: string): LiveStep {
  const at = live.step === step ? live : { ...NOTHING_LIVE, step };
  return { ...at, output: (at.output + text).slice(-LONGEST_OUTPUT) };
}
