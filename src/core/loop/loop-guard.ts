import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { COMMAND, findTraits } from "../commands/command-traits.ts";
import { getOutcomeText } from "../commands/outcome.ts";
import { hasCallRun, RECENT_STEPS, type RunState, type StepView } from "../events/run-state.ts";
import { WITHHELD } from "../reply/complaints.ts";
import { listStepCalls } from "../reply/further-calls.ts";
import { THOUGHT_PURPOSE } from "../reply/reply.ts";
import { computeStepNews } from "./news.ts";

/** Beginning of the reason of a pause that the guard asked for. */
const LOOP_PAUSE = "The agent is going in circles";
/** The same in logs of 0.1.0. */
const OLD_LOOP_PAUSE = "The agent goes round in circles";

/** The reason of a pause after a finding, for the user. */
export function explainLoopPause(finding: LoopFinding): DisplayText {
  return displayText("trouble.goesInCircles", { why: explainStuckRun(finding) });
}

/** True for the reason of a pause that the guard asked for. */
export function isLoopPause(reason: string): boolean {
  return reason.startsWith(LOOP_PAUSE) || reason.startsWith(OLD_LOOP_PAUSE);
}

/** Why a run that ends after a finding is stuck, for the user. */
export function explainStuckRun({ did }: Pick<LoopFinding, "did">): DisplayText {
  return displayText("trouble.changeCourse", { did });
}

/** A remark for the model, or a reason to pause and ask the user. */
export interface LoopFinding {
  readonly kind: "remark" | "pause";
  /** The remark for the model. */
  readonly text: string;
  /** The agent's behavior as a sentence for the user. */
  readonly did: DisplayText;
}

/**
 * Consecutive steps without an executed call after which a run is stuck. Even if 60% of the replies are spoiled, fewer than 1 of 200 runs
 * with 100 good steps have so many.
 */
export const MAX_MISSED_IN_A_ROW = 20;

/** After a filter has withheld this many replies in a row, it withholds the next ones as well. */
const MAX_WITHHELD_IN_A_ROW = 5;

/** Why the run is stuck if none of the last steps ran its call, for the user; undefined otherwise. */
export function explainMissedSteps(steps: readonly StepView[]): DisplayText | undefined {
  const withheld = countStreak(steps, ({ reply }) => reply?.kind === "unreadable" && reply.problem === WITHHELD);
  if (withheld >= MAX_WITHHELD_IN_A_ROW) return displayText("trouble.repliesWithheld", { withheld });
  const last = steps.slice(-MAX_MISSED_IN_A_ROW);
  if (last.length < MAX_MISSED_IN_A_ROW || !last.every(isMissed)) return undefined;
  const unreadable = last.filter(({ reply }) => reply?.kind === "unreadable").length;
  const refused = last.filter(({ outcome }) => outcome?.status === "refused").length;
  const invalid = last.length - unreadable - refused;
  const parts = [
    ...(unreadable > 0 ? [displayText("trouble.unreadableReplies", { count: unreadable })] : []),
    ...(invalid > 0 ? [displayText("trouble.invalidCalls", { count: invalid })] : []),
    ...(refused > 0 ? [displayText("trouble.refusedCalls", { count: refused })] : []),
  ];
  const advice =
    refused > unreadable + invalid
      ? displayText("trouble.allowWhatIsNeeded")
      : displayText("trouble.otherModelOrAdvice");
  return displayText("trouble.noneRan", { count: last.length, parts, advice });
}

/** A call that the user refused isn't a miss, because the user is present and steers. */
function isMissed(step: StepView): boolean {
  const isUsersDecision = step.outcome?.status === "refused" && step.decided?.by === "user";
  return !hasCallRun(step) && !isUsersDecision;
}

/** The recent steps since the user last spoke, oldest first. */
export function selectGuardedSteps({ recent, guardFrom }: Pick<RunState, "recent" | "guardFrom">): readonly StepView[] {
  return recent.filter((past) => past.step >= guardFrom);
}

/** Number of steps that are judged, and of steps to compare each with: half of what a state holds. */
const JUDGED = RECENT_STEPS / 2;

/** Points without progress at which the model gets a remark, and at which the run pauses. */
const REMARK_POINTS = 5;
const PAUSE_POINTS = 12;

/** Points of a step that brings nothing new. An exact repetition is surer evidence than a search without matches. */
const POINTS = { echo: 6, same: 4, alternating: 3, nothingNew: 1 };

/** Detects an agent that makes no progress; undefined when all is well. `steps` are its `selectGuardedSteps`. */
export function findLoop(steps: readonly StepView[]): LoopFinding | undefined {
  const keys = steps.map(getStepKey);
  const { points, count } = measureStandstill(steps, keys);
  if (points < REMARK_POINTS) return undefined;
  const found =
    findRepetition(steps, keys) ??
    findAlternation(steps, keys) ??
    findIdleness(steps) ??
    findEcho(steps) ??
    describeStall(count);
  return { kind: points < PAUSE_POINTS ? "remark" : "pause", ...found };
}

/** Points and number of the steps since the last one that made progress. */
function measureStandstill(steps: readonly StepView[], keys: readonly string[]): { points: number; count: number } {
  let [points, count] = [0, 0];
  for (let index = Math.max(0, steps.length - JUDGED); index < steps.length; index++) {
    const more = getStepPoints(steps, keys, index);
    if (more === undefined) [points, count] = [0, 0];
    else if (more > 0) [points, count] = [points + more, count + 1];
  }
  return { points, count };
}

/** Whether a step made progress, with the first of the steps that it was compared with. */
const judged = new WeakMap<StepView, { readonly first: StepView | undefined; readonly isNew: boolean }>();

/** True if a step made progress over those before it. The result is cached, because the check searches all that they have shown. */
function isProgress(step: StepView, before: readonly StepView[]): boolean {
  const [first] = before;
  const known = judged.get(step);
  if (known && known.first === first) return known.isNew;
  const traces = before.map((one) => computeStepNews(one).traces);
  const isNew = computeStepNews(step).isNew((hash) => traces.some((all) => all.has(hash)));
  judged.set(step, { first, isNew });
  return isNew;
}

/** Points of one step; undefined if it made progress, 0 if it's inconclusive. */
function getStepPoints(steps: readonly StepView[], keys: readonly string[], index: number): number | undefined {
  const step = steps[index];
  if (!step || keys[index] === "") return 0;
  if (isEcho(step)) return POINTS.echo;
  const name = getCommandName(step);
  // Polling repeats the same call on purpose.
  const { isPolled } = findTraits(name) ?? {};
  if (keys[index] === keys[index - 1]) return isPolled ? 0 : POINTS.same;
  if (name === COMMAND.idle && getCommandName(steps[index - 1]) === name) return POINTS.same;
  if (keys[index] === keys[index - 2]) return POINTS.alternating;
  if (isProgress(step, steps.slice(Math.max(0, index - JUDGED), index))) return undefined;
  const isFirst = !steps.slice(0, index).some((before) => getCommandName(before) === name);
  if (name === COMMAND.idle && isFirst) return 0;
  return isPolled && step.outcome?.status === "done" ? 0 : POINTS.nothingNew;
}

type Found = Pick<LoopFinding, "text" | "did">;

function findRepetition(steps: readonly StepView[], keys: readonly string[]): Found | undefined {
  const last = keys.at(-1);
  const times = countStreak(keys, (key) => key === last);
  if (!last || times < 3) return undefined;
  return {
    text: `You have now made the same call ${times} times with the same outcome. Repeating it won't change anything. Do something else, or say what blocks you.`,
    did: displayText("trouble.sameCallRepeated", { value: getShownName(steps.at(-1)), times }),
  };
}

function findAlternation(steps: readonly StepView[], keys: readonly string[]): Found | undefined {
  const [first, second, third, fourth] = keys.slice(-4);
  if (!first || !second || first === second || first !== third || second !== fourth) return undefined;
  return {
    text: "You go back and forth between the same two calls, with the same outcomes. Step back, say what you learned from them, and take another way.",
    did: displayText("trouble.alternatingCalls", {
      value: getShownName(steps.at(-2)),
      other: getShownName(steps.at(-1)),
    }),
  };
}

function findIdleness(steps: readonly StepView[]): Found | undefined {
  const times = countStreak(steps, (step) => getCommandName(step) === COMMAND.idle);
  if (times < 3) return undefined;
  return {
    text: `You have done nothing ${times} times in a row. Act on the next open point of your plan, ask the user, or complete the task.`,
    did: displayText("trouble.didNothingRepeatedly", { times }),
  };
}

/** A weak model may return the template itself instead of filling it in. */
function findEcho(steps: readonly StepView[]): Found | undefined {
  const last = steps.at(-1);
  if (!last || !isEcho(last)) return undefined;
  return {
    text: "You repeated the form of the answer instead of filling it in. Put your own thoughts into it, and the name of a real command.",
    did: displayText("trouble.repeatedTemplate"),
  };
}

function describeStall(times: number): Found {
  return {
    text: `Your last ${times} steps got no further: nothing in them was read, changed or found out for the first time, however you worded it. Say what you know and what blocks you, then take a really different way, or ask the user, or complete the task with what you have.`,
    did: displayText("trouble.noProgress", { times }),
  };
}

const TEMPLATE_NAMES = new Set([
  "command name",
  "command_name",
  "name",
  "string",
  "<name>",
  "one of the commands above",
]);

function isEcho(step: StepView): boolean {
  if (step.reply?.kind !== "proposal") return false;
  const { thoughts, call } = step.reply;
  return (
    TEMPLATE_NAMES.has(call.name.toLowerCase()) || thoughts.text === THOUGHT_PURPOSE.text || thoughts.text === "string"
  );
}

function countStreak<T>(items: readonly T[], fits: (item: T) => boolean): number {
  const break_ = items.toReversed().findIndex((item) => !fits(item));
  return break_ === -1 ? items.length : break_;
}

/** The command of a step as the panel names it. */
function getShownName(step: StepView | undefined): string {
  return step?.reply?.kind === "proposal" ? step.reply.call.name : "a command";
}

function getCommandName(step: StepView | undefined): string {
  return step?.reply?.kind === "proposal" ? step.reply.call.name.toLowerCase() : "";
}

const knownKeys = new WeakMap<StepView, string>();

/** Call and outcome as one text; "" for a step without a call. Cached for each step, since outcomes may be long. */
function getStepKey(step: StepView): string {
  const known = knownKeys.get(step) ?? makeKey(step);
  knownKeys.set(step, known);
  return known;
}

function makeKey(step: StepView): string {
  if (step.reply?.kind !== "proposal" || !step.outcome) return "";
  const calls = listStepCalls(step).map(({ call: { name, args }, outcome }) => [
    name.toLowerCase(),
    sortArguments(args),
    outcome.status,
    getOutcomeText(outcome),
  ]);
  return JSON.stringify(calls);
}

function sortArguments(args: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1));
}
