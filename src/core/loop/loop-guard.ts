import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { outcomeText } from "../commands/outcome.ts";
import { callRan, type RunState, type StepView } from "../events/run-state.ts";
import { WITHHELD } from "../reply/complaints.ts";
import { calledIn } from "../reply/further-calls.ts";
import { THOUGHT_PURPOSE } from "../reply/reply.ts";

/** Beginning of the reason of a pause that the guard asked for. */
const LOOP_PAUSE = "The agent is going in circles";
/** The same in logs of 0.1.0. */
const OLD_LOOP_PAUSE = "The agent goes round in circles";

/** The reason of a pause after a finding, for the user. */
export function loopPauseReason(finding: LoopFinding): DisplayText {
  return displayText("trouble.goesInCircles", { why: stuckReason(finding) });
}

/** True for the reason of a pause that the guard asked for. */
export function isLoopPause(reason: string): boolean {
  return reason.startsWith(LOOP_PAUSE) || reason.startsWith(OLD_LOOP_PAUSE);
}

/** Why a run that ends after a finding is stuck, for the user. */
export function stuckReason({ did }: Pick<LoopFinding, "did">): DisplayText {
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

/** Polling repeats the same call on purpose. */
const POLLING = new Set([
  "read_process_output",
  "list_processes",
  "get_problems",
  "get_terminal_output",
  "list_agents",
]);

/**
 * Steps without a call that ran after which a run is stuck. Even if 60% of the replies are spoiled, 100 good steps see so many in a row
 * in fewer than 1 of 200 runs.
 */
export const MAX_MISSED_IN_A_ROW = 20;

/** A filter that withheld so many replies in a row withholds the next ones as well. */
const MAX_WITHHELD_IN_A_ROW = 5;

/** Why the run is stuck if none of the last steps ran its call, for the user; undefined otherwise. */
export function missedReason(steps: readonly StepView[]): DisplayText | undefined {
  const withheld = streak(steps, ({ reply }) => reply?.kind === "unreadable" && reply.problem === WITHHELD);
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

/** A call that the user refused isn't a miss: the user is there and steers. */
function isMissed(step: StepView): boolean {
  const isUsersDecision = step.outcome?.status === "refused" && step.decided?.by === "user";
  return !callRan(step) && !isUsersDecision;
}

/** The recent steps since the user last spoke, oldest first. */
export function guardedSteps({
  recent,
  guardFrom,
}: Pick<RunState, "recent" | "guardFrom">): readonly StepView[] {
  return recent.filter((past) => past.step >= guardFrom);
}

/** Detects an agent that repeats itself; undefined when all is well. `steps` are its `guardedSteps`. */
export function loopFinding(steps: readonly StepView[]): LoopFinding | undefined {
  const keys = steps.map(stepKey);
  return repeats(steps, keys) ?? alternates(steps, keys) ?? idles(steps) ?? echoes(steps);
}

function repeats(steps: readonly StepView[], keys: readonly string[]): LoopFinding | undefined {
  const last = keys.at(-1);
  if (!last || POLLING.has(nameOf(steps.at(-1)))) return undefined;
  const times = streak(keys, (key) => key === last);
  if (times < 3) return undefined;
  return finding(
    times > 3,
    `You have now made the same call ${times} times with the same outcome. Repeating it won't change anything. Do something else, or say what blocks you.`,
    displayText("trouble.sameCallRepeated", { value: shownName(steps.at(-1)), times }),
  );
}

function alternates(steps: readonly StepView[], keys: readonly string[]): LoopFinding | undefined {
  let length = Math.min(2, keys.length);
  while (length < keys.length && keys.at(-length - 1) !== "" && keys.at(-length - 1) === keys.at(-length + 1))
    length++;
  if (length < 4 || keys.at(-1) === keys.at(-2)) return undefined;
  return finding(
    length > 5,
    "You go back and forth between the same two calls, with the same outcomes. Step back, say what you learned from them, and take another way.",
    displayText("trouble.alternatingCalls", {
      value: shownName(steps.at(-2)),
      other: shownName(steps.at(-1)),
    }),
  );
}

function idles(steps: readonly StepView[]): LoopFinding | undefined {
  const times = streak(steps, (step) => nameOf(step) === "do_nothing");
  if (times < 3) return undefined;
  return finding(
    times > 3,
    `You have done nothing ${times} times in a row. Act on the next open point of your plan, ask the user, or complete the task.`,
    displayText("trouble.didNothingRepeatedly", { times }),
  );
}

/** A weak model may return the template itself instead of filling it in. */
function echoes(steps: readonly StepView[]): LoopFinding | undefined {
  const times = streak(steps, isEcho);
  if (times < 1) return undefined;
  return finding(
    times > 1,
    "You repeated the form of the answer instead of filling it in. Put your own thoughts into it, and the name of a real command.",
    displayText("trouble.repeatedTemplate"),
  );
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
    TEMPLATE_NAMES.has(call.name.toLowerCase()) ||
    thoughts.text === THOUGHT_PURPOSE.text ||
    thoughts.text === "string"
  );
}

function finding(again: boolean, text: string, did: DisplayText): LoopFinding {
  return { kind: again ? "pause" : "remark", text, did };
}

function streak<T>(items: readonly T[], fits: (item: T) => boolean): number {
  const break_ = items.toReversed().findIndex((item) => !fits(item));
  return break_ === -1 ? items.length : break_;
}

/** The command of a step as the panel names it. */
function shownName(step: StepView | undefined): string {
  return step?.reply?.kind === "proposal" ? step.reply.call.name : "a command";
}

function nameOf(step: StepView | undefined): string {
  return step?.reply?.kind === "proposal" ? step.reply.call.name.toLowerCase() : "";
}

const knownKeys = new WeakMap<StepView, string>();

/** Call and outcome as one text; "" for a step without a call. Cached for each step, since outcomes may be long. */
function stepKey(step: StepView): string {
  const known = knownKeys.get(step) ?? makeKey(step);
  knownKeys.set(step, known);
  return known;
}

function makeKey(step: StepView): string {
  if (step.reply?.kind !== "proposal" || !step.outcome) return "";
  const calls = calledIn(step).map(({ call: { name, args }, outcome }) => [
    name.toLowerCase(),
    sorted(args),
    outcome.status,
    outcomeText(outcome),
  ]);
  return JSON.stringify(calls);
}

function sorted(args: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1));
}
