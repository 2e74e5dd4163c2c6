import assert from "node:assert/strict";
import { join } from "node:path";
import { waitUntilAborted } from "../../../src/core/base/async.ts";
import { completeProfile } from "../../../src/core/prompt/profile.ts";
import { PluginCatalog } from "../../../src/plugins/catalog.ts";
import { Consents } from "../../../src/plugins/consents.ts";
import { ExtensionPlugins } from "../../../src/plugins/extensions.ts";
import type { PluginSource } from "../../../src/plugins/plugin.ts";
import { createPythonPluginSource } from "../../../src/plugins/python/python-plugins.ts";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import { beginRun } from "../../../src/runtime/compose-run.ts";
import { createAllowRules } from "../../../src/safety/policy/rules.ts";
import { unattendedApprover } from "../../../src/safety/policy/with-policy.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import type { HookPayloads } from "../../../src/schema/plugin-values.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { runWithPlugins } from "../../support/hostile-runs.ts";
import { pluginPlace, pluginRun } from "../../support/plugin-runs.ts";
import { ofType } from "../../support/rehearsal.ts";
import { sampleOwner } from "../../support/sample-run.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { testHost } from "../../support/test-host.ts";

const FIXTURE = join(import.meta.dirname, "../../fixtures/classic_plugin");
const BRIDGE = join(import.meta.dirname, "../../../src/plugins/python/classic_bridge.py");

/** The same plugin as the Python one, with the classic names of all hooks. */
const IN_TYPESCRIPT = {
  id: "classic_plugin",
  post_prompt: () => ({
    commands: ["count_letters", "seen_reports", "read_variable"].map((name) => ({
      name,
      description: name,
      run: () => "",
    })),
    constraints: ["Write no poems."],
    resources: ["A plugin with every hook."],
    bestPractices: ["Prefer short words."],
  }),
  on_planning: () => ({ note: "There are 3 commands." }),
  on_response: () => undefined,
  post_planning: ({ command, args }: HookPayloads["afterReply"]) =>
    command === "write_to_file"
      ? { command, args: { ...args, contents: String(args.contents).replace("teh", "the") } }
      : undefined,
  pre_command: () => undefined,
  post_command: ({ outcome }: HookPayloads["afterCommand"]) => ({
    replace: `${outcome}\nChecked by the plugin.`,
  }),
  pre_instruction: ({ task }: HookPayloads["beforeDelegate"]) => ({ replace: `${task}\nBe brief.` }),
  on_instruction: () => undefined,
  post_instruction: ({ answer }: HookPayloads["afterDelegate"]) => ({ replace: answer.toUpperCase() }),
  chat_completion: ({ messages }: HookPayloads["model"]) => ({
    text: `You said: ${messages.at(-1)?.content}`,
  }),
  text_embedding: ({ texts }: HookPayloads["embedder"]) => ({
    vectors: texts.map((text) => [text.length, 1]),
  }),
  user_input: () => ({ answer: "Blue." }),
  report: () => undefined,
};

const SCRIPT = [
  says("write_to_file", { filename: "note.txt", contents: "teh end" }, { text: "I write.", speak: "Writing." }),
  says("ask_user", { question: "Which color?" }),
  says("start_agent", { name: "Helper", task: "Find out." }),
  says("task_complete", { reason: "Found." }),
  says("task_complete", { reason: "Done." }),
];

const ALL = ["write_to_file", "ask_user", "start_agent", "task_complete"];

describe("a plugin with every classic hook", function () {
  this.timeout(60_000);
  const tempFolder = tempFolders();
  const server = serverForSuite();

  async function pythonSource(): Promise<PluginSource> {
    const storage = await tempFolder();
    const pythonInterpreter = async () => undefined;
    return createPythonPluginSource({
      classicBridge: BRIDGE,
      userFolder: "",
      storage,
      named: [FIXTURE],
      findPythonInterpreter: pythonInterpreter,
    });
  }

  function typeScriptSource(): PluginSource {
    const source = new ExtensionPlugins(() => [], { findKey: async () => undefined, log: () => undefined });
    source.register(IN_TYPESCRIPT);
    return source;
  }

  /** The hooks that were called in a whole run, with what came of it. A run waits for no report, so these may come at any time. */
  async function hookedIn(source: PluginSource): Promise<Record<"inOrder" | "reports", readonly string[]>> {
    const [folder, data] = [await tempFolder(), await tempFolder()];
    const model = new FakeModel(SCRIPT);
    const host = testHost({
      data,
      models: { smart: model, fast: model },
      approver: {
        isPresent: true,
        isPatient: false,
        createApprover: () => unattendedApprover,
        findUser: () => ({
          ask: (_, signal) => waitUntilAborted(new Promise<never>(() => undefined), signal),
        }),
        listRules: () => createAllowRules(ALL),
      },
      plugins: new PluginCatalog([source], new Consents(join(data, "consents.json")), "commandLine"),
    });
    const run = await beginRun(host, {
      task: "Tidy the notes.",
      profile: completeProfile("Tidy the notes."),
      folder,
      settings: host.getSettings(folder),
      models: { smart: model, fast: model },
      mode: "ask",
    });
    run.live.resume();
    await run.live.end;
    await run.dispose();
    const { events } = await createRunStoreForHomes([join(folder, ".autogpt")], sampleOwner()).open(run.id);
    const { reports = [], others = [] } = Object.groupBy(ofType(events, "hooked"), ({ hook }) =>
      hook === "report" ? "reports" : "others",
    );
    return { inOrder: others.map(described), reports: reports.map(({ result }) => result) };
  }

  /** The hooks of a plugin, and its answers as a model and as an embedder, which the user picks apart from a run. */
  async function asProvider(source: PluginSource): Promise<readonly unknown[]> {
    const folder = await tempFolder();
    const [found] = await source.find(pluginPlace(folder));
    const plugin = await found?.load(pluginRun(folder).run);
    assert.ok(plugin);
    const { signal } = new AbortController();
    const messages = [{ role: "user", content: "Hi." }];
    const answers = [
      await plugin.call("model", { messages }, signal),
      await plugin.call("embedder", { texts: ["a", "bcd"] }, signal),
    ];
    await plugin.close();
    return [plugin.hooks, ...answers];
  }

  it("has the same events in a run whether it is written in TypeScript or in Python", async () => {
    const inTypeScript = await hookedIn(typeScriptSource());
    const inPython = await hookedIn(await pythonSource());
    assert.deepEqual(
      {
        inPython,
        hooks: [...new Set(inPython.inOrder.map((line) => line.split(" ")[1]))],
        hasReported: inPython.reports.length > 0,
      },
      {
        inPython: inTypeScript,
        hooks: [
          ...["offer", "beforeThinking", "afterReply", "beforeCommand"],
          ...["answer", "afterCommand", "beforeDelegate", "afterDelegate"],
        ],
        hasReported: true,
      },
    );
  });

  it("is called from the command line as well, where --plugin names it", async () => {
    const { end, hooked } = await runWithPlugins(server(), await tempFolder(), [FIXTURE]);
    const hooks = [...new Set(hooked.map(({ hook }) => hook))].filter((hook) => hook !== "report");
    assert.deepEqual(
      { end, hooks },
      {
        end: "finished",
        hooks: ["offer", "beforeThinking", "afterReply", "beforeCommand", "afterCommand"],
      },
    );
  });

  it("is a model and an embedder in both", async () => {
    assert.deepEqual(await asProvider(await pythonSource()), await asProvider(typeScriptSource()));
  });
});

function described({ step, hook, result, why = "" }: Extract<AgentEvent, { type: "hooked" }>): string {
  return `${step} ${hook} ${result} ${why}`.trim();
}
