import * as vscode from "vscode";
import { type HostedRun, type HostedRuns, isRunning, runGiven } from "../hosted-runs.ts";
import { readSettings } from "../settings.ts";

/** What steering needs. */
export interface Steering {
  readonly runs: HostedRuns;
  /** Opens the newest unfinished run when none is open, so that it can be gone on with. */
  openUnfinished(): Promise<HostedRun | undefined>;
}

/** Actions on a run that goes on. */
export function steerActions({ runs, openUnfinished }: Steering) {
  /** The one that is named, the shown one, or the first that works. */
  const running = (given?: unknown): HostedRun => {
    const named = runGiven(runs, given);
    const hosted = named ?? (isRunning(runs.shown) ? runs.shown : runs.all.find(isRunning));
    if (!hosted) throw new Error("No agent is running.");
    return hosted;
  };

  const stopAgent = async (given?: unknown): Promise<void> => {
    await running(given).live?.stop();
  };

  const pauseAgent = async (given?: unknown): Promise<void> => {
    running(given).live?.pause();
  };

  const continueAgent = async (given?: unknown): Promise<void> => {
    const hosted = runGiven(runs, given) ?? runs.shown ?? (await openUnfinished());
    if (!hosted) throw new Error("There is no run to go on with. Start an agent first.");
    if (!hosted.live) throw new Error(hosted.readOnly ?? "This run can only be read.");
    if (hosted.run.state.end?.reason === "exhausted" && !(await raiseBudget(hosted))) return;
    hosted.live.resume();
  };

  const toggleContinuous = async (given?: unknown): Promise<void> => {
    const hosted = running(given);
    const { grants, run } = hosted;
    if (!grants) return;
    if (run.state.mode === "plan")
      throw new Error("The agent makes a plan first. Agree to that before it may act without asking.");
    if (grants.continuousLeft > 0) {
      grants.stopContinuous();
      await run.record({ type: "changed", mode: "ask" });
      return;
    }
    const limit = readSettings().run.continuousLimit;
    const on = "Turn It On";
    const answer = await vscode.window.showWarningMessage(
      "Continuous mode is dangerous",
      {
        modal: true,
        detail: `The next ${limit} commands will run without asking you: they can change and delete files, run programs and spend money. Sensitive files still ask, and your budget still holds. You can stop at any time.`,
      },
      on,
    );
    if (answer !== on) return;
    await run.record({ type: "changed", mode: "continuous" });
    grants.startContinuous(limit);
    hosted.live?.showAgain();
  };

  return {
    stopAgent,
    pauseAgent,
    continueAgent,
    toggleContinuous,
    raiseBudget: async (hosted: HostedRun | undefined) =>
      void (hosted && (await raiseBudget(hosted)) && hosted.live?.resume()),
  };
}

const LABEL = { steps: "steps", tokens: "tokens", minutes: "minutes", usd: "US dollars" } as const;

/** Asks for a higher limit of the kind that is spent. False when the user leaves it. */
async function raiseBudget(hosted: HostedRun): Promise<boolean> {
  const { end, limits } = hosted.run.state;
  if (end?.reason !== "exhausted") return true;
  const now = limits[end.limit];
  const answer = await vscode.window.showInputBox({
    title: "Raise the budget and go on",
    prompt: `The run has used up its ${now} ${LABEL[end.limit]}, or its next call could exceed them. How many shall it have in all?`,
    value: String(now * 2),
    validateInput: (text) => (Number(text) > now ? undefined : `More than ${now}.`),
  });
  if (answer === undefined) return false;
  await hosted.run.record({ type: "changed", limits: { [end.limit]: Number(answer) } });
  return true;
}
