import assert from "node:assert/strict";
import { join } from "node:path";
import { createCommandHooks } from "../../../src/plugins/command-hooks/command-hooks.ts";
import type { LoadedPlugin } from "../../../src/plugins/plugin.ts";
import type { HookName, HookPayloads } from "../../../src/schema/plugin-values.ts";
import { pluginPlace, pluginRun, type RecordedRun } from "../../support/plugin-runs.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const WORKSPACE = join(import.meta.dirname, "../../fixtures/hooked-workspace");

const AGENT = { name: "Plan", task: "Find out.", answer: "Found." };
const OFFER = { task: "Do it.", name: "A", role: "B", goals: ["C"], commands: [] };
const ENDING = { summary: "Done.", stopHookActive: false };

/** What a hook answered, or why not, and what the user was told. */
interface Row {
  readonly file: string;
  readonly hook: HookName;
  readonly payload: object;
  readonly answer?: object;
  readonly failed?: string;
  readonly told?: readonly string[];
  readonly stopped?: readonly string[];
}

const stoppedIn = (file: string, why: string): string => `The hooks in .github/hooks/${file} stopped this: ${why}`;

function before(command: string, expected: Omit<Row, "file" | "hook" | "payload">): Row {
  return { file: "pre-tool-use.json", hook: "beforeCommand", payload: callOf(command), ...expected };
}

function after(command: string, expected: Omit<Row, "file" | "hook" | "payload">): Row {
  const payload = { ...callOf(command), status: "done", outcome: "It was done." };
  return { file: "post-tool-use.json", hook: "afterCommand", payload, ...expected };
}

function callOf(command: string): object {
  return { step: 1, command, args: { a: 0 }, effect: "write", touches: [], hosts: [], hash: "" };
}

const PRE = ".github/hooks/pre-tool-use.json";
const NO_REASON = "It gave no reason.";

const ROWS: readonly Row[] = [
  before("unmentioned", { answer: {} }),
  before("nothing", { answer: {} }),
  before("not_json", { answer: {} }),
  before("deny", { answer: { deny: "Destructive command blocked by policy" } }),
  before("ask", { answer: { ask: "This operation requires manual approval" } }),
  before("allow", { answer: {} }),
  before("deny_without_reason", { answer: { deny: NO_REASON } }),
  before("updated_input", { answer: { args: { files: ["src/safe.ts"] } } }),
  before("updated_input_wrong", { answer: {} }),
  before("context", { answer: { add: "User has read-only access to production files" } }),
  before("other_event", { answer: {} }),
  before("no_event_name", { answer: { deny: "no" } }),
  before("exit_2", { answer: { deny: "Blocked: not here" } }),
  before("exit_2_with_json", { answer: { deny: "refused" } }),
  before("exit_1", { answer: {}, told: [`${PRE}: jq: not found`] }),
  before("exit_1_with_json", { answer: {}, told: [`${PRE}: It ended with exit code 1.`] }),
  before("exit_127", { answer: {}, told: [`${PRE}: It ended with exit code 127.`] }),
  before("continue_false", {
    answer: { deny: "Security policy violation" },
    stopped: [stoppedIn("pre-tool-use.json", "Security policy violation")],
  }),
  before("continue_false_and_allow", {
    answer: { deny: "stop" },
    stopped: [stoppedIn("pre-tool-use.json", "stop")],
  }),
  before("continue_true", { answer: {} }),
  before("system_message", { answer: {}, told: [`${PRE}: Unit tests failed`] }),
  before("decision_block", { answer: { deny: "the older form" } }),
  before("decision_approve", { answer: {} }),
  before("copilot_deny", { answer: { deny: "the form of Copilot" } }),
  before("copilot_args", { answer: { args: { a: 1 } } }),
  before("deny_and_allow", { answer: { deny: "one is enough", ask: "or ask" } }),
  before("ask_and_allow", { answer: { ask: "one asks" } }),
  before("two_updates", { answer: { args: { n: 2 } } }),
  before("deny_and_warning", {
    answer: { deny: "still refused" },
    told: [`${PRE}: It ended with exit code 3.`],
  }),
  before("deny_and_killed", {
    answer: { deny: "although another was killed" },
    told: [`${PRE}: it was killed`],
  }),
  before("killed", { failed: "it was killed" }),
  before("too_late", { failed: "no answer within 0.2 s" }),
  before("one", { answer: { deny: "of a list" } }),
  before("or_another", { answer: { deny: "of a list" } }),
  before("one_or_another", { answer: {} }),
  before("pattern_x", { answer: { deny: "of a pattern" } }),
  after("nothing", { answer: {} }),
  after("block", {
    answer: {
      add: "Post-processing validation failed\n\nThe edited file has lint errors that need to be fixed",
    },
  }),
  after("context", { answer: { add: "formatted" } }),
  after("exit_2", { answer: { add: "lint failed" } }),
  after("exit_1", { answer: {}, told: [".github/hooks/post-tool-use.json: no formatter"] }),
  after("continue_false", {
    answer: { add: "that was too much" },
    stopped: [stoppedIn("post-tool-use.json", "that was too much")],
  }),
  {
    file: "sessions-and-subagents.json",
    hook: "offer",
    payload: OFFER,
    answer: { resources: ["Project: my-app v2.1.0\n\nplain text"] },
  },
  {
    file: "sessions-and-subagents.json",
    hook: "beforeDelegate",
    payload: AGENT,
    answer: { add: "Follow the guidelines" },
  },
  {
    file: "sessions-and-subagents.json",
    hook: "beforeDelegate",
    payload: { ...AGENT, name: "Other" },
    answer: {},
  },
  {
    file: "sessions-and-subagents.json",
    hook: "afterDelegate",
    payload: AGENT,
    answer: { add: "Verify subagent results before completing" },
  },
  {
    file: "sessions-and-subagents.json",
    hook: "afterDelegate",
    payload: { ...AGENT, name: "Other" },
    answer: { add: "Not good enough" },
  },
  {
    file: "copilot.json",
    hook: "beforeThinking",
    payload: { step: 1, goals: [], plan: [], outcome: "" },
    answer: { note: "It is Tuesday" },
  },
  {
    file: "copilot.json",
    hook: "ending",
    payload: ENDING,
    answer: { goOn: "Run the test suite before finishing" },
  },
  { file: "copilot.json", hook: "ending", payload: { ...ENDING, stopHookActive: true }, answer: {} },
  {
    file: "copilot.json",
    hook: "beforeCompaction",
    payload: { through: 3 },
    answer: {},
    told: [".github/hooks/copilot.json: Compacting"],
  },
  {
    file: "blocking.json",
    hook: "beforeThinking",
    payload: { step: 1, goals: [], plan: [], outcome: "" },
    answer: { note: "No secrets in prompts" },
    stopped: [stoppedIn("blocking.json", "No secrets in prompts")],
  },
  { file: "blocking.json", hook: "ending", payload: ENDING, answer: { goOn: "Tests are red" } },
  {
    file: "blocking.json",
    hook: "beforeCompaction",
    payload: { through: 3 },
    answer: {},
    stopped: [stoppedIn("blocking.json", "Keep everything")],
  },
];

describe("decisions of command hooks", () => {
  const temporary = tempFolders();

  for (const { file, hook, payload, ...expected } of ROWS) {
    const what = "command" in payload ? payload.command : JSON.stringify(payload);
    it(`are read as VS Code documents them: ${file}, ${hook}, ${what}`, async () => {
      const { plugin, recorded } = await loadedHooks(`.github/hooks/${file}`, await temporary());
      const result = await outcomeOf(plugin, hook, payload);
      await plugin.close();
      const { told, stopped } = recorded;
      assert.deepEqual({ ...result, told, stopped }, { told: [], stopped: [], ...expected });
    });
  }
});

async function loadedHooks(id: string, storage: string): Promise<{ plugin: LoadedPlugin; recorded: RecordedRun }> {
  const found = await createCommandHooks({ storage, home: storage }).find(pluginPlace(WORKSPACE));
  const plugin = found.find((one) => one.id === id);
  assert.ok(plugin);
  const recorded = pluginRun(WORKSPACE);
  return { plugin: await plugin.load(recorded.run), recorded };
}

async function outcomeOf(plugin: LoadedPlugin, hook: HookName, payload: object): Promise<object> {
  const given = payload as HookPayloads[HookName];
  try {
    return { answer: await plugin.call(hook, given, new AbortController().signal) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : error };
  }
}
