import type { Limits } from "../../src/core/budget/budget.ts";
import type { StartedBody } from "../../src/core/events/run.ts";
import type { CommandSpec } from "../../src/core/ports/model.ts";
import { createDefaultDirectives } from "../../src/core/prompt/prompt-texts.ts";
import { sha256 } from "../../src/disk/sha256.ts";
import type { RunOwner } from "../../src/runs/store/machine.ts";
import type { PromptTail } from "../../src/schema/events.ts";

export const NO_LIMITS: Limits = { steps: 0, replies: 0, tokens: 0, minutes: 0, usd: 0 };

const SAMPLE_SPECS: readonly CommandSpec[] = [
  {
    name: "read_note",
    description: "Reads a note.",
    parameters: {
      type: "object",
      properties: {
        title: { type: "string", description: "the note's title" },
        lines: { type: "array", items: { type: "integer" } },
      },
      required: ["title"],
      additionalProperties: false,
    },
  },
  {
    name: "set_mood",
    description: "Sets the mood of a note.",
    parameters: {
      type: "object",
      properties: {
        mood: { enum: ["calm", "glad"] },
        place: { type: "object", properties: { page: { type: "integer" }, side: { type: "string" } } },
      },
      required: ["mood"],
      additionalProperties: false,
    },
  },
  {
    name: "task_complete",
    description: "Ends the run.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
  },
];

/** The first event of a run about nothing in particular. */
export function sampleStart(more: Partial<StartedBody> = {}): StartedBody {
  return {
    type: "started",
    schema: 1,
    id: "20260102_030405_scribe_0a1b",
    task: "Tidy the notes.",
    profile: {
      name: "Scribe",
      role: "a careful keeper of notes.",
      goals: ["Read every note", "Say which are stale"],
    },
    directives: createDefaultDirectives(SAMPLE_SPECS.map(({ name }) => name)),
    rules: [],
    model: { smart: "fake", fast: "fake", contextWindow: 32_000 },
    limits: NO_LIMITS,
    mode: "ask",
    commands: SAMPLE_SPECS,
    folder: "/work",
    os: "linux 6.1",
    machine: "machine-1",
    ...more,
  };
}

/** A tail that says as little as can be. */
export function sampleTail(more: Partial<PromptTail> = {}): PromptTail {
  return { time: "Friday, 2 January 2026, 03:04", budget: "", plan: [], recalled: [], remarks: [], ...more };
}

/** A clock that moves on by a second at each look. */
export function steppingClock(): () => Date {
  let ms = Date.UTC(2026, 0, 2, 3, 4, 5);
  return () => {
    ms += 1000;
    return new Date(ms);
  };
}

/** The owner of the runs with this mark. */
export function sampleOwner(mark = "machine-1"): RunOwner {
  return {
    computeMark: () => mark,
    hasMark: (_run, found) => found === mark,
    isOwnRun: (_run, found) => found === mark,
    createSeal: () => sha256,
    hasWritten: () => true,
    maySkipSeals: () => false,
    findFolder: () => undefined,
  };
}
