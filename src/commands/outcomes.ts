import type { Outcome } from "../core/commands/outcome.ts";
import type { ResolvedPath } from "../core/ports/workspace.ts";

/** It went well; the model reads `output`. */
export function done(output: string): Outcome {
  return { status: "done", output };
}

/** It did not; the model reads why, and what to do instead. */
export function failed(error: string): Outcome {
  return { status: "failed", error };
}

/** An outcome that shows what lies at a place: from a place that git ignores it need not be the workspace's own text. */
export function fromPlace(outcome: Outcome, { ignored, label }: ResolvedPath): Outcome {
  if (outcome.status !== "done" || !ignored) return outcome;
  return { ...outcome, source: { kind: "ignored-file", name: label } };
}
