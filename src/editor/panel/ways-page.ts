import { omitUndefined } from "../../core/base/objects.ts";
import { isWaitingForReview, type RunSummary } from "../../runs/store/run-summary.ts";
import type { Ways } from "../../runtime/isolated/ways.ts";
import type { ShownWay, WaysPage } from "../../schema/review-page.ts";
import { formatDisplayLine } from "./notification-text.ts";

/** A comparison that this window has started. */
export interface Comparison {
  readonly task: string;
  readonly check?: string;
  readonly ways: Ways;
}

/** A run of a comparison, as it is stored. */
type WayRun = Pick<RunSummary, "id" | "state" | "isolated" | "readOnly">;

const MS_PER_MINUTE = 60_000;

/** The contents of the page, which are also stored. */
export function createWaysPage({ task, check, ways }: Comparison): WaysPage {
  return {
    task,
    ...omitUndefined({ check }),
    ways: ways
      .results()
      .map(({ label, run, state, check: result, changes, problem, summary, ...figures }): ShownWay => {
        const { usd, unpriced, steps, milliseconds } = figures;
        return {
          label: formatDisplayLine(label),
          state,
          usd,
          unpriced,
          steps,
          minutes: milliseconds / MS_PER_MINUTE,
          ...omitUndefined({ run }),
          ...(result ? { check: result.code ?? null, output: result.output } : {}),
          ...omitUndefined({ changes, problem, summary: summary && getFirstLine(summary) }),
        };
      }),
  };
}

const LONGEST_SUMMARY = 200;

/** The first line of a summary, without marks of Markdown. */
function getFirstLine(summary: string): string | undefined {
  const line = summary.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one));
  return line && formatDisplayLine(line.replace(/^[\s#>*-]+|[*`_]/g, "").slice(0, LONGEST_SUMMARY));
}

/** Restores a stored page in another window: its comparison has ended, but its runs may have continued. */
export function restoreWaysPage(page: WaysPage, runs: readonly WayRun[]): WaysPage {
  const ways = page.ways.map((way): ShownWay => {
    if (way.state === "done" || way.state === "failed") return way;
    const run = runs.find(({ id }) => id === way.run);
    return { ...way, state: run && isWaitingForReview(run) ? "done" : "interrupted" };
  });
  return { ...page, ways };
}

/** Adds the outcomes of its runs to the page. A deleted run can't be opened. */
export function addReviews(page: WaysPage, runs: readonly WayRun[]): WaysPage {
  const ways = page.ways.map(({ run, ...way }): ShownWay => {
    const found = runs.find(({ id }) => id === run);
    if (!found) return way;
    const { isolated = "none" } = found;
    return { ...way, run: found.id, ...(isolated === "none" ? {} : { review: isolated }) };
  });
  return { ...page, ways };
}
