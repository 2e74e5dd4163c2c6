import { NO_THOUGHTS, type Thoughts } from "../../core/reply/reply.ts";
import type { PanelUpdate } from "../../schema/panel-messages.ts";

/** The streaming part of the open step: its thoughts, then its command's output. */
export interface LiveStep {
  readonly step: number;
  readonly thoughts: Thoughts;
  /** The model's own reasoning before the reply. */
  readonly reasoning: string;
  /** Number of the reply's characters that aren't thoughts. */
  readonly written: number;
  readonly output: string;
}

export const NOTHING_LIVE: LiveStep = {
  step: 0,
  thoughts: NO_THOUGHTS,
  reasoning: "",
  written: 0,
  output: "",
};

/** Maximum number of characters shown from the end of the output; the outcome has the rest. */
const MAX_LIVE_OUTPUT = 16_000;

export function addLiveDeltas(
  live: LiveStep,
  step: number,
  {
    deltas,
    restarted = false,
    written,
  }: Pick<Extract<PanelUpdate, { readonly type: "thought" }>, "deltas" | "restarted" | "written">,
): LiveStep {
  const same = live.step === step;
  const before = same && !restarted ? live : NOTHING_LIVE;
  const thoughts = { ...before.thoughts };
  let { reasoning } = before;
  for (const { field, text } of deltas) {
    if (field === "own") reasoning += text;
    else thoughts[field] += text;
  }
  const output = same ? live.output : "";
  return { step, thoughts, reasoning, written: written ?? before.written, output };
}

export function addLiveOutput(live: LiveStep, step: number, text: string): LiveStep {
  const at = live.step === step ? live : { ...NOTHING_LIVE, step };
  return { ...at, output: (at.output + text).slice(-MAX_LIVE_OUTPUT) };
}
