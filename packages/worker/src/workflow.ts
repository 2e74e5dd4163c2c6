// The workflow of one run: it holds the order, the waiting, and who works. Temporal plays it again from its history, so it must stay
// deterministic and imports nothing of ours. Orders, questions and requests are texts that only owners of the fleet key can read.
import {
  ActivityCancellationType,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  makeContinueAsNewFunc,
  proxyActivities,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";

/** The order to carry out a run. What it is lies in the memo, where a list of runs has it as well. */
export interface OrderedRun {
  /** Stretches in a row that may be lost with their workers before the run is given up. */
  readonly lives: number;
  /** Set where a long history was left behind. */
  readonly before?: Progress;
}

interface Progress {
  /** Stretches that have begun. */
  readonly stretches: number;
  /** Stretches in a row that were lost. */
  readonly deaths: number;
  /** Requests that no stretch has taken. */
  readonly requests: readonly string[];
  /** How often a watcher has come. */
  readonly watches: number;
  /** The last news of the run. */
  readonly beat?: string;
}

/** A part of a run between two questions, as it's given to a worker, who finds the order in the memo. */
export interface OrderedStretch {
  /** Counts the stretches of the run, from 1. */
  readonly number: number;
  /** The last news of the stretch before. */
  readonly before?: string;
}

/** The end of a stretch. `taken`: how many of the requests it took, with those that came while it worked. */
export interface FinishedStretch {
  /** `held`: its worker couldn't work on it, and another one, or the same one later, may. */
  readonly state: "over" | "waits" | "left" | "held";
  readonly taken: number;
  /** The last news of the run, for those who watch it. */
  readonly beat: string;
}

/** All that has come for a run, as its worker asks for it. */
export interface RunMail {
  readonly requests: readonly string[];
  readonly watches: number;
}

/** Works on a run until it has ended. A stretch whose worker died is followed by a new one, and the run's log says what it had begun. */
export async function workOnRun({ lives, before }: OrderedRun): Promise<void> {
  let { stretches, deaths, requests, watches, beat }: Progress = before ?? START;
  setHandler(defineSignal<[string]>("request"), (request) => {
    requests = [...requests, request];
  });
  setHandler(defineSignal("watch"), () => {
    watches += 1;
  });
  setHandler(defineQuery("mail"), (): RunMail => ({ requests, watches }));
  for (;;) {
    stretches += 1;
    const end = await work({ number: stretches, ...(beat === undefined ? {} : { before: beat }) }).catch(
      (error: unknown) => {
        deaths += 1;
        if (isCancellation(error) || deaths > lives) throw error;
        return undefined;
      },
    );
    if (end === undefined) continue;
    deaths = 0;
    requests = requests.slice(end.taken);
    beat = end.beat;
    if (end.state === "over" && requests.length === 0) return;
    if (end.state === "waits") await condition(() => requests.length > 0);
    // Requests that it couldn't take are no reason to try again at once.
    const left = requests.length;
    if (end.state === "held") await condition(() => requests.length > left, PAUSE);
    if (workflowInfo().continueAsNewSuggested) {
      const continueRun = makeContinueAsNewFunc<typeof workOnRun>({ memo: { order: workflowInfo().memo?.order } });
      await continueRun({ lives, before: { stretches, deaths, requests, watches, beat } });
    }
  }
}

const START: Progress = { stretches: 0, deaths: 0, requests: [], watches: 0 };
/** Before a run that no worker could work on is given to the next one. */
const PAUSE = "1 minute";

/** At most one try each, because only a new stretch knows what the one before it had begun. */
const { work } = proxyActivities<{ work(stretch: OrderedStretch): Promise<FinishedStretch> }>({
  startToCloseTimeout: "30 days",
  heartbeatTimeout: "30 seconds",
  retry: { maximumAttempts: 1 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
