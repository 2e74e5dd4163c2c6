import type { Outcome } from "../core/outcome.ts";
import { ModelError } from "../core/ports.ts";
import { WebError } from "../core/web.ts";
import { failed } from "./outcomes.ts";

/** Does something away from this machine; what could not be had is told as a failure. */
export async function onWeb(act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof WebError || error instanceof ModelError) return failed(error.message);
    throw error;
  }
}
