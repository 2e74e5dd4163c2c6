import type { Outcome } from "../core/outcome.ts";
import type { Place } from "../core/ports.ts";

/** An outcome that shows what lies at a place: from a place that git ignores it need not be the workspace's own text. */
export function fromPlace(outcome: Outcome, { ignored, label }: Place): Outcome {
  if (outcome.status !== "done" || !ignored) return outcome;
  return { ...outcome, source: { kind: "ignored-file", name: label } };
}
