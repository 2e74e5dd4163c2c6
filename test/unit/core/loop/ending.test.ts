import assert from "node:assert/strict";
import { type Command, createPreparedCall } from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import { replay } from "../../../../src/runs/replay/replay.ts";
import { fakeCommands } from "../../../support/fake-commands.ts";
import { FakeModel, says } from "../../../support/fake-model.ts";
import { outcomes, rehearse } from "../../../support/rehearsal.ts";

const END = says("task_complete", { title: "All done." });

/** A command that changes a file. */
function addLine(deeds: string[]): Command {
  return {
    name: "add_line",
    aliases: [],
    category: "files",
    effect: "write",
    description: "",
    parameters: { type: "object", properties: { text: { type: "string" } }, additionalProperties: false },
    prepare: async ({ text }) =>
      createPreparedCall("write", "", async () => {
        deeds.push(`add ${text}`);
        return { status: "done", output: `Added "${text}".`, files: [{ file: "a.txt", change: "changed" }] };
      }),
  };
}

async function run(task: string, ...answers: readonly ReturnType<typeof says>[]) {
  const deeds: string[] = [];
  const model = new FakeModel(answers);
  const commands = createCommandSet([...fakeCommands(deeds), addLine(deeds)]);
  const { end, log } = await rehearse({ answers: [], model, start: { task }, parts: { commands } });
  assert.deepEqual(await replay(log.events), { events: log.events });
  const asks = model.requests.map(({ messages }) => /task is done now/.test(messages.at(-1)?.content ?? ""));
  return { deeds, outcomes: outcomes(log.events), asks, end };
}

describe("the end of a run", () => {
  it("is doubted once if the task asks for a change and nothing was done", async () => {
    const { outcomes: all, end } = await run("Sort the names.", says("do_nothing", { title: "x" }), END, END);
    assert.deepEqual(
      [all, end.reason],
      [
        [
          "1 done: Nothing was done.",
          "2 refused: Nothing was changed in this run yet. If the task asks for a change, make it now with a command. If nothing is to be done, call task_complete again and say why.",
          "3 finished: All done.",
        ],
        "finished",
      ],
    );
  });

  it("isn't doubted if the task only asks, or something was done", async () => {
    const asked = await run("Which names are there?", END);
    const done = await run("Sort the names.", says("write_note", { title: "x" }), END);
    assert.deepEqual([asked.outcomes.length, done.outcomes.length], [1, 2]);
  });

  it("is asked about only after a change", async () => {
    const { asks } = await run(
      "Sort the names.",
      ...[says("do_nothing", { title: "x" }), says("add_line", { text: "a" })],
      ...[says("do_nothing", { title: "y" }), END],
    );
    assert.deepEqual(asks, [false, false, true, false]);
  });

  it("comes by itself where a change is repeated after its success", async () => {
    const { deeds, outcomes: all, end } = await run("Sort the names.", says("add_line", { text: "a" }));
    assert.deepEqual(
      { deeds, all, end },
      {
        deeds: ["add a"],
        all: [
          '1 done: Added "a".',
          '2 done: This is done already, and it wasn\'t done again. It was: Added "a".\nIf all of the task is done, call task_complete. Otherwise take another step.',
          '3 done: This is done already, and it wasn\'t done again. It was: Added "a".\nCall task_complete now, unless a part of the task is left.',
          '4 finished: Added "a".',
        ],
        end: { reason: "finished", summary: 'Added "a".' },
      },
    );
  });

  it("doesn't come where the change is another one", async () => {
    const { deeds } = await run("Sort the names.", ...["a", "b", "a"].map((text) => says("add_line", { text })), END);
    assert.deepEqual(deeds, ["add a", "add b", "add a", "finish"]);
  });
});
