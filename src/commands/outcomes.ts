import type { Outcome } from "../core/commands/outcome.ts";
import type { ResolvedPath } from "../core/ports/workspace.ts";

/** Success; the model reads `output`. */
export function done(output: string): Outcome {
  return { status: "done", output };
}

/** Failure; the model reads the reason and what to do instead. */
export function failed(error: string): Outcome {
  return { status: "failed", error };
}

/** Marks an outcome with content of a place that git ignores as untrusted, because it may not be the workspace's own. */
export function fromPlace(outcome: Outcome, { ignored, label }: ResolvedPath): Outcome {
  if (outcome.status !== "done" || !ignored) return outcome;
  return { ...outcome, source: { kind: "ignored-file", name: label } };
}
