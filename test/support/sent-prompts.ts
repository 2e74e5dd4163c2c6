import type { ModelRequest, ReplyFormat } from "../../src/core/ports/model.ts";
import { play, type RandomRun } from "./random-run.ts";

type Step = RandomRun["steps"][number];

const ALLOWED = { allow: true } as const;

/** One step of each kind that a run may have. */
const KINDS: readonly Partial<Step>[] = [
  {},
  { answer: "two calls" },
  { command: "write_note", decision: { allow: false, feedback: "Not that one." } },
  { answer: "unreadable", said: "Hurry up." },
  { command: "break_note" },
  { command: "dance", said: "Look at the notes first." },
  { command: "write_note", decision: { allow: true, args: { title: "another" } } },
  { answer: "cut off" },
];

/** The requests of a run of 30 steps in a format, with everything in it that bends the order of messages. */
export async function promptsOf30Steps(format: ReplyFormat, contextWindow = 64_000): Promise<readonly ModelRequest[]> {
  const steps = Array.from({ length: 30 }, (_, index): Step => {
    const kind = KINDS[index % KINDS.length];
    return {
      ...{ answer: "proposal", command: "read_note", decision: ALLOWED },
      ...{ title: `note ${index}`, thought: `Thought ${index}.` },
      ...kind,
    };
  });
  const { model } = await play({ format, strategy: "autogpt", steps, contextWindow });
  return model.requests.slice(0, steps.length);
}
