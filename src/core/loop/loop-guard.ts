import { outcomeText } from "../commands/outcome.ts";
import type { RunState, StepView } from "../events/run-state.ts";
import { THOUGHT_PURPOSE } from "../reply/reply.ts";

/** How the reason of a pause begins that the guard asked for; old logs have it, too. */
const LOOP_PAUSE = "The agent goes round in circles";

/** The reason of a pause after a finding. */
export function loopPauseReason({ text }: LoopFinding): string {
  return `${LOOP_PAUSE} and needs your input. It was reminded: ${text}`;
}

/** True for the reason of a pause that the guard asked for. */
export function isLoopPause(reason: string): boolean {
  return reason.startsWith(LOOP_PAUSE);
}

/** A remark for the model, or a reason to pause and ask the user. */
export type LoopFinding = { readonly kind: "remark" | "pause"; readonly text: string };

/** Polling repeats the same call on purpose. */
const POLLING = new Set(["read_process_output", "list_processes", "get_problems", "list_agents"]);
const UNREADABLE_IN_A_ROW = 3;

/** True after the third reply in a row that could not be read. */
export function unreadableStreak(steps: readonly StepView[]): boolean {
  const last = steps.slice(-UNREADABLE_IN_A_ROW);
  return last.length === UNREADABLE_IN_A_ROW && last.every((step) => step.reply?.kind === "unreadable");
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
  return repeats(steps, keys) ?? alternates(keys) ?? idles(steps) ?? echoes(steps);
}

function repeats(steps: readonly StepView[], keys: readonly string[]): LoopFinding | undefined {
  const last = keys.at(-1);
  if (!last || POLLING.has(nameOf(steps.at(-1)))) return undefined;
  const times = streak(keys, (key) => key === last);
  if (times < 3) return undefined;
  return finding(
    times > 3,
    `You have now given the same call ${times} times with the same outcome. Another time will change nothing: do something else, or say what keeps you from the goal.`,
  );
}

function alternates(keys: readonly string[]): LoopFinding | undefined {
  let length = Math.min(2, keys.length);
  while (length < keys.length && keys.at(-length - 1) !== "" && keys.at(-length - 1) === keys.at(-length + 1))
    length++;
  if (length < 4 || keys.at(-1) === keys.at(-2)) return undefined;
  return finding(
    length > 5,
    "You go back and forth between the same two calls, with the same outcomes. Step back, say what you learnt from them, and take another way.",
  );
}

function idles(steps: readonly StepView[]): LoopFinding | undefined {
  const times = streak(steps, (step) => nameOf(step) === "do_nothing");
  if (times < 3) return undefined;
  return finding(
    times > 3,
    `You have done nothing ${times} times in a row. Act on the next open point of your plan, ask the user, or complete the task.`,
  );
}

/** A weak model may return the template itself instead of filling it in. */
function echoes(steps: readonly StepView[]): LoopFinding | undefined {
  const times = streak(steps, isEcho);
  if (times < 1) return undefined;
  return finding(
    times > 1,
    "You repeated the form of the answer instead of filling it in. Put your own thoughts into it, and the name of a real command.",
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

function finding(again: boolean, text: string): LoopFinding {
  return { kind: again ? "pause" : "remark", text };
}

function streak<T>(items: readonly T[], fits: (item: T) => boolean): number {
  const break_ = items.toReversed().findIndex((item) => !fits(item));
  return break_ === -1 ? items.length : break_;
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
  const { name, args } = step.reply.call;
  return JSON.stringify([name.toLowerCase(), sorted(args), step.outcome.status, outcomeText(step.outcome)]);
}

function sorted(args: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1));
}
