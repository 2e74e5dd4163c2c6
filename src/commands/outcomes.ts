import type { Outcome } from "../core/outcome.ts";

/** It went well; the model reads `output`. */
export function done(output: string): Outcome {
  return { status: "done", output };
}

/** It did not; the model reads why, and what to do instead. */
export function failed(error: string): Outcome {
  return { status: "failed", error };
}
