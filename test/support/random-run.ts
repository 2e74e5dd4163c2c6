import fc from "fast-check";
import type { ThinkDependencies } from "../../src/core/loop/think.ts";
import type { Approver, Decision } from "../../src/core/ports/approver.ts";
import type { ReplyFormat } from "../../src/core/ports/model.ts";
import { reactText } from "../../src/core/reply/react.ts";
import { getStrategy } from "../../src/core/strategies/strategies.ts";
import { STRATEGY_NAMES, type StrategyName } from "../../src/schema/run-values.ts";
import type { Answer } from "./fake-model.ts";
import { calls, FakeModel, says } from "./fake-model.ts";
import { deciding, type Rehearsal, rehearsal } from "./rehearsal.ts";
import { NO_LIMITS } from "./sample-run.ts";

/** One step as chance has it: what the model answers, how it is decided, what the user says meanwhile. */
interface RandomStep {
  readonly answer: "proposal" | "two calls" | "unreadable" | "cut off";
  readonly command: string;
  readonly title: string;
  readonly thought: string;
  readonly decision: Decision | "again";
  readonly said?: string | undefined;
}

export interface RandomRun {
  readonly format: ReplyFormat;
  /** `react` counts in text alone. */
  readonly strategy: StrategyName;
  readonly steps: readonly RandomStep[];
  readonly contextWindow: number;
}

const decision: fc.Arbitrary<Decision | "again"> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ allow: true } as const) },
  fc.string({ maxLength: 30 }).map((feedback) => ({ allow: false, feedback }) as const),
  fc.string({ maxLength: 30 }).map((title) => ({ allow: true, args: { title } }) as const),
  fc.string({ maxLength: 30 }).map((accepted) => ({ allow: true, accepted }) as const),
  fc.constant("again" as const),
);

const step: fc.Arbitrary<RandomStep> = fc.record({
  answer: fc.constantFrom("proposal", "proposal", "proposal", "two calls", "unreadable", "cut off"),
  command: fc.constantFrom("read_note", "open_note", "write_note", "break_note", "dance", "do_nothing"),
  title: fc.string({ unit: "grapheme", maxLength: 400 }),
  thought: fc.string({ unit: "grapheme", maxLength: 100 }),
  decision,
  said: fc.option(fc.string({ maxLength: 40 }), { nil: undefined }),
});

/** Runs of up to 25 steps in every format; `windows` are the context windows to choose from. */
export function randomRuns(windows: readonly number[]): fc.Arbitrary<RandomRun> {
  return fc.record({
    format: fc.constantFrom<ReplyFormat>("tools", "jsonSchema", "text"),
    strategy: fc.constantFrom(...STRATEGY_NAMES),
    steps: fc.array(step, { minLength: 1, maxLength: 25 }),
    contextWindow: fc.constantFrom(...windows),
  });
}

/** Plays a random run to its end. */
export async function play(random: RandomRun): Promise<Rehearsal> {
  const { format, strategy, steps, contextWindow } = random;
  const playing: { rehearsal?: Rehearsal } = {};
  const answers = steps.map(
    (one): Answer =>
      async () => {
        if (one.said !== undefined) await playing.rehearsal?.run.record({ type: "said", text: one.said, by: "user" });
        return answerOf(one, format, strategy);
      },
  );
  const model = new FakeModel(answers, [format], contextWindow);
  const limits = { ...NO_LIMITS, replies: 2 * steps.length };
  const approver: Approver = deciding(...steps.map((one) => one.decision));
  playing.rehearsal = await rehearsal({
    answers,
    model,
    approver,
    thinking: strategyParts(strategy, steps),
    start: { limits, strategy, picture: "Linux, bash\nGit: branch main, clean.\n./ notes.md" },
    pausesOnTrouble: false,
  });
  playing.rehearsal.live.resume();
  await playing.rehearsal.live.end;
  return playing.rehearsal;
}

/** The strategy's own work; its planner lists the thoughts as tasks, which are often unreadable. */
function strategyParts(name: StrategyName, steps: readonly RandomStep[]): Partial<ThinkDependencies> {
  const { prepare, listRemarks } = getStrategy(name);
  const planner = new FakeModel(
    steps.map(({ thought, title }) => ({ text: JSON.stringify({ tasks: [thought, title] }) })),
  );
  return {
    ...(prepare ? { prepare: (run, signal) => prepare(run, () => planner, signal) } : {}),
    ...(listRemarks ? { listStrategyRemarks: listRemarks } : {}),
  };
}

function answerOf(
  { answer, command, title, thought }: RandomStep,
  format: ReplyFormat,
  strategy: StrategyName,
): Awaited<ReturnType<Extract<Answer, (...args: never) => unknown>>> {
  if (answer === "unreadable") return { text: `No JSON today. ${thought}` };
  if (answer === "cut off") return { text: thought, finish: "length" };
  if (format === "text" && strategy === "react")
    return { text: `${reactText(thought, { name: command, args: { title } })}\nObservation: ${title}` };
  if (format !== "tools") return says(command, { title }, thought);
  const first = calls(command, { title }, `call_${title.length}`);
  return answer === "two calls"
    ? { ...first, calls: [...(first.calls ?? []), { id: "second", name: "read_note", arguments: "{" }] }
    : first;
}
