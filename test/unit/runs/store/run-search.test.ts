import assert from "node:assert/strict";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import { type RunSearchHit, searchRuns } from "../../../../src/runs/store/run-search.ts";
import type { AgentEventBody } from "../../../../src/schema/events.ts";
import { sampleStart } from "../../../support/sample-run.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

/** A step with a thought, a call and what came of it. */
function step(number: number, thought: string, contents: string, output: string): readonly AgentEventBody[] {
  const call = { name: "write_note", args: { title: "t", more: { contents } } };
  const reply = { kind: "proposal", thoughts: { ...NO_THOUGHTS, text: thought }, call } as const;
  const how = { format: "text", text: "", calls: [], finish: "stop", model: "m" } as const;
  return [
    { type: "replied", step: number, ...how, reply },
    { type: "ended", step: number, outcome: { status: "done", output } },
  ];
}

async function stored(id: string, ...bodies: readonly AgentEventBody[]) {
  const folder = join(await tempFolder(), id);
  const all = [sampleStart({ id }), ...bodies];
  const lines = all.map((body, seq) => `${JSON.stringify({ seq, at: "2026-01-02T03:04:05.000Z", ...body })}\n`);
  await mkdir(folder);
  await writeFile(join(folder, "run.jsonl"), lines.join(""));
  return { id, folder };
}

async function search(runs: Parameters<typeof searchRuns>[0], query: string): Promise<readonly RunSearchHit[]> {
  const all: RunSearchHit[] = [];
  for await (const found of searchRuns(runs, query, new AbortController().signal)) all.push(found);
  return all;
}

describe("a search through runs", () => {
  it("finds thoughts, commands, outcomes, tasks and the user's words, whatever their case", async () => {
    const runs = [
      await stored(
        "one",
        ...step(1, "I look for the Heron.", "plain", "nothing"),
        ...step(2, "-", "a heron's nest", "-"),
      ),
      await stored("two", ...step(1, "-", "-", "Saw a HERON."), {
        type: "said",
        text: "No heron, please.",
        by: "user",
      }),
    ];
    const found = (await search(runs, "heron")).map(({ run, step: at, where }) => [run, at, where]);
    assert.deepEqual(found, [
      ["one", 1, "thoughts and command"],
      ["one", 2, "thoughts and command"],
      ["two", 1, "outcome"],
      ["two", undefined, "words of the user"],
    ]);
  });

  it("wants all words in one place, and finds what JSON writes otherwise", async () => {
    const run = await stored("one", ...step(1, 'say "hello"\tto C:\\temp', "-", "hello"));
    const counts = await Promise.all(
      ['"hello" c:\\temp', "hello heron", "", "tidy notes", "seq"].map(
        async (query) => (await search([run], query)).length,
      ),
    );
    assert.deepEqual(counts, [1, 0, 0, 1, 0]);
  });

  it("shows a line around what was found", async () => {
    const run = await stored("one", ...step(1, "-", "-", `${"before ".repeat(20)}heron\n${"after ".repeat(60)}`));
    const [found] = await search([run], "heron");
    assert.match(found?.excerpt ?? "", /^…[before ]{30,}heron after .*…$/);
  });

  it("goes past damaged lines and logs that are gone", async () => {
    const run = await stored("one", ...step(1, "-", "-", "a heron"));
    await appendFile(join(run.folder, "run.jsonl"), '{"heron":\n{"type":"ended","heron":1}\n');
    const found = await search([{ id: "gone", folder: "/nowhere" }, run], "heron");
    assert.deepEqual(
      found.map(({ run: id }) => id),
      ["one"],
    );
  });
});
