import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LOG_FILE } from "../../src/runs/log/run-log.ts";
import { createRunId, getRunsFolder } from "../../src/runs/store/run-folder.ts";
import type { AgentEvent, AgentEventBody } from "../../src/schema/events.ts";
import { sampleStart, sampleTail } from "./sample-run.ts";

const START = Date.UTC(2026, 0, 2);
const WORDS = "parser lexer token module import export value state event reader writer test fixture order report".split(
  " ",
);

/** A step whose thoughts and outcome are a little different each time; `word` stands in its thoughts. */
function stepBodies(step: number, seed: number, word: string): readonly AgentEventBody[] {
  const pick = (index: number): string => WORDS[(seed * 7 + step * 3 + index * 5) % WORDS.length] ?? "";
  const line = Array.from({ length: 60 }, (_, index) => pick(index)).join(" ");
  const thoughts = {
    text: `I look at the ${pick(0)}. ${word}`,
    reasoning: line,
    plan: "",
    criticism: "",
    speak: "",
  };
  const call = { name: "read_file", args: { filename: `src/${pick(1)}/${pick(2)}.ts` } };
  return [
    { type: "asked", step, format: "tools", tail: sampleTail() },
    {
      type: "replied",
      step,
      format: "tools",
      text: "",
      calls: [{ id: `call_${step}`, name: call.name, arguments: JSON.stringify({ thoughts, ...call.args }) }],
      finish: "tool_calls",
      reply: { kind: "proposal", thoughts, call },
      model: "m",
      usage: { input: 1000, output: 100 },
      costUsd: 0.001,
    },
    {
      type: "decided",
      step,
      allow: true,
      by: "rule",
      rule: "reads",
      reason: "It reads.",
      hash: "0".repeat(64),
    },
    { type: "began", step, command: call.name, args: call.args },
    { type: "ended", step, outcome: { status: "done", output: `${line}\n${line}` } },
  ];
}

/** The log of a run of so many steps, as text. */
export function logText(id: string, steps: number, seed = 1, word = ""): string {
  const bodies = [
    sampleStart({ id }),
    ...Array.from({ length: steps }, (_, index) => stepBodies(index + 1, seed, index + 1 === steps ? word : "")),
  ].flat();
  return bodies
    .map((body, seq): AgentEvent => ({ seq, at: new Date(START + seq * 1000).toISOString(), ...body }))
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");
}

/** Stores so many runs, the oldest first; `words` stand in the last step of the oldest and of every run. */
export async function storeHistory(
  home: string,
  runs: number,
  steps: number,
  words: { readonly oldest: string; readonly every: string },
): Promise<readonly { readonly id: string; readonly folder: string }[]> {
  const stored: { readonly id: string; readonly folder: string }[] = [];
  for (let index = 0; index < runs; index++) {
    const id = createRunId("scribe", new Date(START + index * 60_000), index.toString(16).padStart(4, "0"));
    const folder = join(getRunsFolder(home), id);
    await mkdir(folder, { recursive: true });
    const word = index === 0 ? `${words.oldest} ${words.every}` : words.every;
    await writeFile(join(folder, LOG_FILE), logText(id, steps, index, word));
    stored.push({ id, folder });
  }
  return stored.toReversed();
}
