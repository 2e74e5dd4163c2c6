import { Emitter } from "../../core/base/emitter.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import type { ModelPair } from "../../core/events/run.ts";
import { fail, getErrorText, type Sentence } from "../../texts/display-text.ts";
import type { LiveComposedRun } from "../composed-run.ts";
import type { NewRun } from "../first-event.ts";

/** One way to do a task. */
export interface Way {
  /** Its name for people. */
  readonly label: string;
  readonly models?: ModelPair;
  /** Text after the task that only this way gets. */
  readonly instructions?: string;
}

/** A task that is tried in several copies at once. */
export interface WaysOptions {
  /** The run that each way varies. */
  readonly wanted: Omit<NewRun, "mode" | "sub" | "branch">;
  readonly ways: readonly Way[];
  /** A command line that checks each copy at the end of its run. Its exit code compares them. */
  readonly check?: string;
  readonly signal: AbortSignal;
  /** Starts a run where its host can show it. */
  begin(wanted: NewRun): Promise<LiveComposedRun>;
}

/** Result of the check in one copy. */
interface CheckResult {
  /** Undefined if the check was stopped. */
  readonly code?: number;
  readonly output: string;
  readonly seconds: number;
}

/** Progress of one way. */
export interface WayResult {
  readonly label: string;
  /** ID of its run; absent if it couldn't start. */
  readonly run?: string;
  readonly state: "waiting" | "running" | "checking" | "done" | "failed";
  readonly end?: RunEnd["reason"];
  /** The run's own account of its work. */
  readonly summary?: string;
  readonly check?: CheckResult;
  /** Figures of the run so far. */
  readonly usd: number;
  readonly unpriced: number;
  readonly steps: number;
  readonly milliseconds: number;
  /** Changes in its copy, once it has ended. */
  readonly changes?: { readonly files: number; readonly added: number; readonly removed: number };
  /** Why it couldn't be started, checked or compared. */
  readonly problem?: Sentence;
}

/** The runs of one task in several copies. */
export interface Ways {
  results(): readonly WayResult[];
  onChange(listener: () => void): () => void;
  /** Resolves once all runs have ended and have been checked. */
  readonly done: Promise<readonly WayResult[]>;
}

const MOST_WAYS = 8;
const CHECK_SECONDS = 600;
const MOST_OUTPUT = 4_000;

/** Throws a sentence if there are too few or too many. */
export function checkCount({ length }: readonly Way[]): void {
  if (length < 2 || length > MOST_WAYS) fail("isolation.ways.count", { most: MOST_WAYS });
}

/** Starts a task in several copies, one run each. They share the budget of one run. Throws a sentence if none can start. */
export async function startWays(options: WaysOptions): Promise<Ways> {
  const { ways } = options;
  checkCount(ways);
  const all = ways.map((way) => new OneWay(way, options));
  const errors: unknown[] = [];
  // One after the other, since each reads the same disk.
  for (const one of all) await one.start().catch((error: unknown) => errors.push(error));
  if (errors.length === all.length) throw errors[0];
  const listResults = () => all.map((one) => one.getResult());
  return {
    results: listResults,
    onChange: (listener) => {
      const stops = all.map((one) => one.onChange(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    done: Promise.all(all.map((one) => one.done)).then(listResults),
  };
}

class OneWay {
  done: Promise<void> = Promise.resolve();
  private readonly way: Way;
  private readonly options: WaysOptions;
  private readonly changes = new Emitter();
  private found: Partial<WayResult> & Pick<WayResult, "state"> = { state: "waiting" };
  private composed: LiveComposedRun | undefined;

  constructor(way: Way, options: WaysOptions) {
    this.way = way;
    this.options = options;
  }

  onChange(listener: () => void): () => void {
    return this.changes.subscribe(listener);
  }

  getResult(): WayResult {
    const { usd = 0, unpriced = 0, steps = 0, activeMs = 0 } = this.composed?.run.state.totals ?? {};
    return { label: this.way.label, usd, unpriced, steps, milliseconds: activeMs, ...this.found };
  }

  async start(): Promise<void> {
    try {
      this.composed = await this.options.begin(this.createWantedRun());
    } catch (error) {
      this.update({ state: "failed", problem: getErrorText(error) });
      throw error;
    }
    const { id, live, run } = this.composed;
    run.onEvent(() => this.update({}));
    this.update({ state: "running", run: id });
    live.resume();
    this.done = this.finish(this.composed);
  }

  private createWantedRun(): NewRun {
    const { wanted, ways } = this.options;
    const { models, instructions } = this.way;
    const { settings, task } = wanted;
    const share = { budgetUsd: settings.run.budgetUsd / ways.length };
    const maxTokens = Math.floor(settings.run.maxTokens / ways.length);
    return {
      ...wanted,
      mode: "isolated",
      task: instructions ? `${task}\n\n${instructions}` : task,
      settings: { ...settings, run: { ...settings.run, ...share, maxTokens } },
      ...omitUndefined({ models }),
    };
  }

  private async finish(composed: LiveComposedRun): Promise<void> {
    const end = await composed.live.end;
    const summary = end.reason === "finished" ? end.summary : undefined;
    this.update({ state: "checking", end: end.reason, ...omitUndefined({ summary }) });
    try {
      const check = await this.runCheck(composed);
      this.update({ ...omitUndefined({ check }), changes: await this.countChanges(composed), state: "done" });
    } catch (error) {
      this.update({ state: "done", problem: getErrorText(error) });
    }
  }

  private async runCheck({ isolation }: LiveComposedRun): Promise<CheckResult | undefined> {
    const { check, signal } = this.options;
    if (check === undefined || !isolation) return undefined;
    const { code, output, seconds = 0 } = await isolation.runLine(check, CHECK_SECONDS, signal);
    return { output: output.slice(-MOST_OUTPUT), seconds, ...omitUndefined({ code }) };
  }

  private async countChanges({ isolation }: LiveComposedRun): Promise<NonNullable<WayResult["changes"]>> {
    const changes = (await isolation?.review(this.options.signal))?.changes ?? [];
    return changes.reduce(
      (sum, { added, removed }) => ({
        files: sum.files + 1,
        added: sum.added + added,
        removed: sum.removed + removed,
      }),
      { files: 0, added: 0, removed: 0 },
    );
  }

  private update(news: Partial<WayResult>): void {
    this.found = { ...this.found, ...news };
    this.changes.fire();
  }
}
