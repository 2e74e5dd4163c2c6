import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { ofType, outcomes } from "../../support/rehearsal.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All done." });
const WRITE = calling("write_to_file", { filename: "note.txt", contents: "hello\n" });

describe("agents without an editor", () => {
  it("work by older names too, on the fast model, in a run below the other's, and are gone when it is resumed", async () => {
    const place = {
      baseUrl: server().baseUrl,
      workspace: await tempFolder(),
      data: await tempFolder(),
    };
    server().plan(
      calling("start_agent", { name: "Writer" }),
      calling("start_agent", { name: "Writer", task: "Write.", tools: { a: 1 } }),
      calling("start_agent", { name: "Writer", task: "Write.", model: "huge" }),
      calling("start_gpt_agent", { name: "Writer", goal: "Write a note.", tools: ["write_file"] }),
      WRITE,
      calling("finish", { reason: "It is written." }),
      calling("delete_agent", { key: "one" }),
      FINISH,
    );
    const flags = ["--fast-model", "quick", "--yes-to", "task_complete", "--continuous", "9", "--json"];
    const first = await headless(place, "--task", "Have a note written.", ...flags);
    const [child] = ofType(first.events, "child");
    const log = join(place.workspace, ".autogpt", "runs", child?.run ?? "", "run.jsonl");
    const started = JSON.parse((await readFile(log, "utf8")).split("\n")[0] ?? "");
    server().plan(calling("message_agent", { agent: 1, message: "More." }), FINISH);
    const again = await headless(
      place,
      "--resume",
      first.events[0]?.type === "started" ? first.events[0].id : "",
      "--task",
      "Go on.",
      ...flags,
    );
    const models = server().requests.map(({ body }) => JSON.parse(JSON.stringify(body)).model);
    assert.deepEqual(
      {
        outcomes: outcomes(first.events).map((line) => line.slice(0, 62)),
        note: await readFile(join(place.workspace, "note.txt"), "utf8"),
        child: [started.parent, started.isAgent, started.mode, started.commands.length],
        models: models.slice(0, 8),
        spent: ofType(first.events, "spent").map(({ on, run }) => [on, run === child?.run]),
        again: outcomes(again.events).map((line) => line.slice(0, 31)),
        told: ofType(again.events, "child").map(({ what }) => what),
      },
      {
        outcomes: [
          '1 failed: start_agent was not run: the argument "task" is missing.',
          '2 failed: start_agent was not run: "commands" must be of type array.',
          '3 failed: start_agent was not run: "model" must be one of "fast"',
          "4 done: Agent 1 (Writer) answers:\nIt is written. [object Object",
          '5 failed: delete_agent was not run: "agent" must be of type inte',
          "6 finished: All done.",
        ].map((line) => line.slice(0, 62)),
        note: "hello\n",
        child: [first.events[0]?.type === "started" ? first.events[0].id : "", true, "continuous", 2],
        models: ["fake", "fake", "fake", "fake", "quick", "quick", "fake", "fake"],
        spent: [
          ["agent Writer", true],
          ["agent Writer", true],
        ],
        again: ["7 failed: Agent 1 (Writer) is g", "8 finished: All done."],
        told: ["is gone: its work ended when the program was closed."],
      },
    );
  });

  it("ask on the terminal in their own name", async () => {
    server().plan(
      calling("start_agent", { name: "Writer", task: "Write.", commands: ["write_to_file"] }),
      WRITE,
      FINISH,
      FINISH,
    );
    const { end, stderr } = await headless(
      {
        baseUrl: server().baseUrl,
        workspace: await tempFolder(),
        data: await tempFolder(),
        typed: ["y", "y"],
      },
      ...["--task", "Have a note written."],
    );
    assert.deepEqual(
      [end.reason, stderr.includes('The agent "Writer", which works for the run, asks. It changes files.')],
      ["finished", true],
    );
  });
});
