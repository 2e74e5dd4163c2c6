import assert from "node:assert/strict";
import { createAllCommands } from "../../../../src/commands/all.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import { buildPromptHead, listHiddenCommands } from "../../../../src/core/prompt/prompt.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { FakeModel, says } from "../../../support/fake-model.ts";
import { ofType, outcomes, rehearsal } from "../../../support/rehearsal.ts";

/** A run whose prompts hide what is rarely used, and that calls `find_tools` with these words. */
async function finding(query: string, contextWindow = 128_000) {
  const late: { hidden?: () => ReturnType<typeof listHiddenCommands> } = {};
  const all = createAllCommands({
    workspace: createNodeWorkspace({ folders: [] }),
    offer: { listHidden: () => late.hidden?.() ?? [] },
  }).map((command) => (command.name === "find_tools" ? command : { ...command, withheld: () => undefined }));
  const commands = createCommandSet(all);
  const model = new FakeModel(
    [says("find_tools", { query }), says("task_complete", { reason: "Done." })],
    ["text"],
    contextWindow,
  );
  const start = { commands: commands.specs, model: { smart: "fake", fast: "fake", contextWindow } };
  const { live, run, log } = await rehearsal({ answers: [], model, start, parts: { commands } });
  late.hidden = () => listHiddenCommands(run.head, run.history);
  live.resume();
  await live.end;
  return { log, run, outcome: outcomes(log.events)[0] ?? "", requests: model.requests };
}

describe("find_tools", () => {
  it("adds the tools it finds to the offer, which later prompts have to their end", async () => {
    const { log, run, outcome, requests } = await finding("write unit tests for a function");
    assert.deepEqual(
      {
        added: ofType(log.events, "changed").map(({ commands }) => commands?.includes("write_tests")),
        said: /done: You can now call .*\bwrite_tests\.$/.test(outcome),
        offered: requests.map(({ messages }) => messages[0]?.content.includes("\n- write_tests:")),
        last: buildPromptHead(run.head, run.history).commands.at(-1)?.name,
      },
      { added: [true], said: true, offered: [false, true], last: "write_tests" },
    );
  });

  it("finds those that are of use only together", async () => {
    const { run } = await finding("agent");
    const names = run.history.foundCommands;
    assert.deepEqual(
      ["start_agent", "message_agent", "list_agents", "delete_agent"].filter((name) => !names.includes(name)),
      [],
    );
  });

  it("lists what there is if nothing fits", async () => {
    const { log, outcome } = await finding("zzz");
    assert.deepEqual(
      [ofType(log.events, "changed"), /^1 done: No other tool fits\. There are:[\s\S]*- git_log: /.test(outcome)],
      [[], true],
    );
  });

  for (const window of [4_096, 8_192])
    it(`reaches every classic command in a window of ${window}`, async () => {
      const all = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) });
      const unreached: string[] = [];
      for (const { name } of all) {
        const { run } = await finding(name, window);
        const names = buildPromptHead(run.head, run.history).commands.map((spec) => spec.name);
        if (!names.includes(name)) unreached.push(name);
      }
      assert.deepEqual(unreached, []);
    }).timeout(60_000);
});
