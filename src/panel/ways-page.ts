import type { Ways } from "../runtime/isolated/ways.ts";
import type { ShownWay, WaysPage } from "../schema/review-page.ts";
import type { HostedRuns } from "./hosted-runs.ts";
import { displayLine } from "./notification-text.ts";

/** A comparison that this window has started. */
export interface Comparison {
  readonly task: string;
  readonly check?: string;
  readonly ways: Ways;
}

const MS_PER_MINUTE = 60_000;

/** The contents of the page. */
export function waysPage(comparison: Comparison | undefined, runs: Pick<HostedRuns, "get">): WaysPage {
  if (!comparison) return { task: "", ways: [] };
  const { task, check, ways } = comparison;
  return {
    task,
    ...(check === undefined ? {} : { check }),
    ways: ways
      .results()
      .map(({ label, run, state, check: result, changes, problem, ...figures }): ShownWay => {
        const { usd, unpriced, steps, milliseconds } = figures;
        const review = run === undefined ? undefined : runs.get(run)?.run.state.review;
        return {
          label: displayLine(label),
          state,
          usd,
          unpriced,
          steps,
          minutes: milliseconds / MS_PER_MINUTE,
          ...(run === undefined ? {} : { run }),
          ...(result ? { check: result.code ?? null } : {}),
          ...(changes ? { changes } : {}),
          ...(problem === undefined ? {} : { problem }),
          ...(review ? { review: review.what } : {}),
        };
      }),
  };
}
