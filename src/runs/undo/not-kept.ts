import type { Outcome } from "../../core/outcome.ts";

/** What an error says. */
export function whyNot(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The outcome of a command that was not run, because it could not have been undone. */
export function notKept(why: string): Outcome {
  return {
    status: "failed",
    error: `Nothing was done, because what is there now could not be kept for undo: ${why}. Ask the user to see that the disk has room and can be written.`,
  };
}
