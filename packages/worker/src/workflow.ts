// The workflow of one run: it holds the order, the waiting, and who works. Temporal plays it again from its history, so it must stay
// deterministic and imports nothing of ours. Orders, questions and requests are texts that only owners of the fleet key can read.
import {
  ActivityCancellationType,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";

/** The order to carry out a run. */
export interface OrderedRun {
  readonly order: string;
  /** Stretches that may be lost with their workers before the run is given up. */
  readonly lives: number;
  /** Set where a long history was left behind. */
  readonly before?: Progress;
}

interface Progress {
  /** Stretches that have begun. */
  readonly stretches: number;
  readonly deaths: number;
  /** Requests that no stretch has taken. */
  readonly requests: readonly string[];
  /** The last news of the run. */
  readonly beat?: string;
}

/** A part of a run between two questions, as it's given to a worker. */
export interface OrderedStretch {
  readonly order: string;
  /** Counts the stretches of the run, from 1. */
  readonly number: number;
  /** The last news of the stretch before. */
  readonly before?: string;
}

/** The end of a stretch. `taken`: how many of the requests it took, with those that came while it worked. */
export interface FinishedStretch {
  readonly isOver: boolean;
  readonly taken: number;
  /** The last news of the run, for those who watch it. */
  readonly beat: string;
}

/** Works on a run until it has ended. A stretch whose worker died is followed by a new one, and the run's log says what it had begun. */
export async function workOnRun({ order, lives, before }: OrderedRun): Promise<FinishedStretch> {
  let { stretches, deaths, requests, beat }: Progress = before ?? { stretches: 0, deaths: 0, requests: [] };
  setHandler(defineSignal<[string]>("request"), (request) => {
    requests = [...requests, request];
  });
  setHandler(defineQuery("requests"), () => requests);
  for (;;) {
    stretches += 1;
    const end = await work({ order, number: stretches, ...(beat === undefined ? {} : { before: beat }) }).catch(
      (error: unknown) => {
        deaths += 1;
        if (isCancellation(error) || deaths > lives) throw error;
        return undefined;
      },
    );
    if (end === undefined) continue;
    requests = requests.slice(end.taken);
    beat = end.beat;
    if (end.isOver && requests.length === 0) return end;
    await condition(() => requests.length > 0);
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof workOnRun>({ order, lives, before: { stretches, deaths, requests, beat } });
  }
}

/** At most one try each, because only a new stretch knows what the one before it had begun. */
const { work } = proxyActivities<{ work(stretch: OrderedStretch): Promise<FinishedStretch> }>({
  startToCloseTimeout: "30 days",
  heartbeatTimeout: "30 seconds",
  retry: { maximumAttempts: 1 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
