import assert from "node:assert/strict";
import { createAllCommands } from "../../../../src/commands/all.ts";
import { recordModels } from "../../../../src/core/events/run.ts";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import { buildPromptHead, rebuildStepPrompt } from "../../../../src/core/prompt/prompt.ts";
import {
  createDefaultDirectives,
  createIsolatedDirectives,
  renderSystemMessage,
} from "../../../../src/core/prompt/prompt-texts.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { FakeModel, says } from "../../../support/fake-model.ts";
import { ofType, rehearsal } from "../../../support/rehearsal.ts";
import { sampleStart } from "../../../support/sample-run.ts";

const COMMANDS = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) }).map(
  ({ name, description, parameters }) => ({ name, description, parameters }),
);
const isTold = ({ messages }: ModelRequest): boolean => messages[0]?.content.includes("- create_folder:") === true;

const offerIn = (contextWindow: number) => ({ contextWindow, foundCommands: [] });

describe("what a prompt begins with", () => {
  it("holds of the repository's notes what the window has room for, and says how to read the rest", () => {
    const rules = [{ file: "AGENTS.md", text: "n".repeat(10_000) }];
    const head = buildPromptHead(sampleStart({ rules }), offerIn(4_096));
    assert.deepEqual(
      [head.rules, buildPromptHead(sampleStart({ rules }), offerIn(128_000)).rules],
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
        buildPromptHead(started, offerIn(2_048)).picture,
        buildPromptHead(started, offerIn(4_096)).picture === started.picture,
      ],
      ["Linux", true],
    );
  });

  it("names the copy in place of the workspace, and what its programs reach", () => {
    const folder = { name: "app", path: "/copies/r/app", origin: "/home/u/app" };
    const isolated = { home: "/copies/r", engine: "bubblewrap", folders: [folder] };
    const told = (hosts: readonly string[], more: readonly (typeof folder)[] = []) => {
      const directives = createIsolatedDirectives([], hosts);
      const folders = [folder, ...more];
      const head = sampleStart({ folder: folder.origin, directives, isolated: { ...isolated, folders } });
      return renderSystemMessage(head, { format: "tools", thoughts: "full" });
    };
    const [closed, open] = [
      told([]),
      told(["a.org", "registries"], [{ ...folder, path: "/copies/r/lib", name: "lib" }]),
    ];
    const parts = [
      "Folder: /copies/r/app.",
      'Folders: "app" (/copies/r/app), "lib" (/copies/r/lib).',
      "/home/u/app",
      "You work in a copy of the user's workspace, within a sandbox.",
      "Programs have no network.",
      "Programs reach only these hosts, by HTTP and HTTPS: a.org, package registries.",
      "Leave the copy as the user should get it",
    ];
    const held = (text: string) => parts.map((part) => text.includes(part));
    assert.deepEqual(
      { closed: held(closed), open: held(open) },
      {
        closed: [true, false, false, true, true, false, true],
        open: [false, true, false, true, false, true, true],
      },
    );
  });

  it("is made once for each window", () => {
    const started = sampleStart({ commands: COMMANDS });
    assert.equal(buildPromptHead(started, offerIn(4_096)), buildPromptHead(started, offerIn(4_096)));
  });

  it("follows the window of the model that the run continues with, as its log records it", async () => {
    const model = new FakeModel([says("read_note", { title: "a" }), says("task_complete", { title: "Done." })]);
    const start = { commands: COMMANDS, model: { smart: "fake", fast: "fake", contextWindow: 128_000 } };
    const { live, run, log } = await rehearsal({ answers: [], model, start });
    const small = new FakeModel([], ["text"], 8_192);
    run.onEvent(({ type }) => type === "ended" && void recordModels(run, { smart: small, fast: small }));
    live.resume();
    await live.end;
    await recordModels(run, { smart: small, fast: small });
    assert.deepEqual(
      [model.requests.map(isTold), rebuildStepPrompt(log.events, 2)?.messages, ofType(log.events, "changed").length],
      [[true, false], model.requests[1]?.messages, 1],
    );
  });
});

describe("the good practice in a prompt", () => {
  it("has the advice of classic AutoGPT on memory and cost, the former only where files can be written", () => {
    const advice = (...commands: readonly string[]): readonly boolean[] => {
      const head = sampleStart({ directives: createDefaultDirectives(commands) });
      const text = renderSystemMessage(head, { format: "tools", thoughts: "full" });
      return ["save important information to files", "Every command has a cost"].map((words) => text.includes(words));
    };
    assert.deepEqual(
      [advice("write_to_file"), advice("read_file")],
      [
        [true, true],
        [false, true],
      ],
    );
  });
});
