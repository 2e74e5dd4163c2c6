import assert from "node:assert/strict";
import { allCommands } from "../../../../src/commands/all.ts";
import { recordModels } from "../../../../src/core/events/run.ts";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import { headFor, promptOfStep } from "../../../../src/core/prompt/prompt.ts";
import { nodeWorkspace } from "../../../../src/node/workspace.ts";
import { FakeModel, says } from "../../../support/fake-model.ts";
import { ofType, rehearsal } from "../../../support/rehearsal.ts";
import { sampleStart } from "../../../support/sample-run.ts";

const COMMANDS = allCommands({ workspace: nodeWorkspace({ folders: [] }) }).map(
  ({ name, description, parameters }) => ({ name, description, parameters }),
);
const isTold = ({ messages }: ModelRequest): boolean =>
  messages[0]?.content.includes("- create_folder:") === true;

const offerIn = (contextWindow: number) => ({ contextWindow, foundCommands: [] });

describe("what a prompt begins with", () => {
  it("holds of the repository's notes what the window has room for, and says how to read the rest", () => {
    const rules = [{ file: "AGENTS.md", text: "n".repeat(10_000) }];
    const head = headFor(sampleStart({ rules }), offerIn(4_096));
    assert.deepEqual(
      [head.rules, headFor(sampleStart({ rules }), offerIn(128_000)).rules],
      [
        [
          {
            file: "AGENTS.md",
            text: `${"n".repeat(1_536)}\n(AGENTS.md is longer; read_file gives the rest.)`,
          },
        ],
        rules,
      ],
    );
  });

  it("holds as many lines of the workspace's picture as the window has room for", () => {
    const started = sampleStart({ picture: `Linux\n${"f".repeat(500)}\nlast` });
    assert.deepEqual(
      [
        headFor(started, offerIn(2_048)).picture,
        headFor(started, offerIn(4_096)).picture === started.picture,
      ],
      ["Linux", true],
    );
  });

  it("is made once for each window", () => {
    const started = sampleStart({ commands: COMMANDS });
    assert.equal(headFor(started, offerIn(4_096)), headFor(started, offerIn(4_096)));
  });

  it("follows the window of the model that the run goes on with, as its log tells it", async () => {
    const model = new FakeModel([
      says("read_note", { title: "a" }),
      says("task_complete", { title: "Done." }),
    ]);
    const start = { commands: COMMANDS, model: { smart: "fake", fast: "fake", contextWindow: 128_000 } };
    const { live, run, log } = await rehearsal({ answers: [], model, start });
    const small = new FakeModel([], ["text"], 8_192);
    run.onEvent(({ type }) => type === "ended" && void recordModels(run, { smart: small, fast: small }));
    live.resume();
    await live.end;
    await recordModels(run, { smart: small, fast: small });
    const { maxReplyTokens: _, ...sent } = model.requests[1] ?? { messages: [] };
    assert.deepEqual(
      [model.requests.map(isTold), promptOfStep(log.events, 2), ofType(log.events, "changed").length],
      [[true, false], sent, 1],
    );
  });
});
