import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { completeProfile } from "../../../src/core/prompt/profile.ts";
import { PluginCatalog } from "../../../src/plugins/catalog.ts";
import { Consents } from "../../../src/plugins/consents.ts";
import { ExtensionPlugins } from "../../../src/plugins/extensions.ts";
import type { Plugin } from "../../../src/plugins/plugin.ts";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import { beginRun } from "../../../src/runtime/compose-run.ts";
import { createAllowRules } from "../../../src/safety/policy/rules.ts";
import { unattendedApprover } from "../../../src/safety/policy/with-policy.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { ofType } from "../../support/rehearsal.ts";
import { sampleOwner } from "../../support/sample-run.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { testHost } from "../../support/test-host.ts";

const tempFolder = tempFolders();
const TASK = "Tidy the notes.";
const FINISH = says("task_complete", { reason: "All tidy." });
const WRITE = says("write_to_file", { filename: "note.txt", contents: "new\n" });
const ALL = ["write_to_file", "task_complete", "read_file"];

interface Ended {
  readonly events: readonly AgentEvent[];
  readonly model: FakeModel;
  readonly folder: string;
}

/** A whole run with these plugins, where a rule allows all commands that it uses. */
async function runWith(
  plugins: readonly Plugin[],
  answers: ConstructorParameters<typeof FakeModel>[0] = [WRITE, FINISH],
): Promise<Ended> {
  const [folder, data] = [await tempFolder(), await tempFolder()];
  const model = new FakeModel(answers);
  const source = new ExtensionPlugins(() => [], { findKey: async () => undefined, log: () => undefined });
  for (const plugin of plugins) source.register(plugin);
  const host = testHost({
    data,
    models: { smart: model, fast: model },
    approver: {
      isPresent: false,
      isPatient: false,
      createApprover: () => unattendedApprover,
      findUser: () => undefined,
      listRules: () => createAllowRules(ALL),
    },
    plugins: new PluginCatalog([source], new Consents(join(data, "consents.json")), "commandLine"),
  });
  const run = await beginRun(host, {
    task: TASK,
    profile: completeProfile(TASK),
    folder,
    settings: host.getSettings(folder),
    models: { smart: model, fast: model },
    mode: "ask",
  });
  run.live.resume();
  await run.live.end;
  await run.dispose();
  const { events } = await createRunStoreForHomes([join(folder, ".autogpt")], sampleOwner()).open(run.id);
  return { events, model, folder };
}

const noted = (text: string) =>
  text.includes("=== begin data from the plugin") || text.includes("=== begin data from rewritten");

describe("plugins around a run", () => {
  it("a plugin that changes its payload changes no one else's", async () => {
    const seen: unknown[] = [];
    const spoiler: Plugin = {
      id: "a",
      beforeCommand: ({ args }) => void Object.assign(args, { filename: "other.txt" }),
    };
    const looker: Plugin = { id: "b", beforeCommand: ({ args }) => void seen.push(args) };
    const { folder } = await runWith([spoiler, looker]);
    const written = await readFile(join(folder, "note.txt"), "utf8");
    assert.deepEqual(
      { seen: seen[0], written },
      { seen: { filename: "note.txt", contents: "new\n" }, written: "new\n" },
    );
  });

  it("are called at each stage of its steps, and each call is an event", async () => {
    const nothing = () => undefined;
    const plugin = {
      id: "watcher",
      ...{ offer: nothing, beforeThinking: nothing, afterReply: nothing, beforeCommand: nothing },
      ...{ afterCommand: nothing, report: nothing, ending: nothing },
    };
    const { events } = await runWith([plugin]);
    const hooks = ofType(events, "hooked").map(({ step, hook, result }) => `${step} ${hook} ${result}`);
    assert.deepEqual(
      hooks.filter((line) => !line.includes("report")),
      [
        "1 offer none",
        ...["beforeThinking", "afterReply", "beforeCommand", "afterCommand"].map((hook) => `1 ${hook} none`),
        ...["beforeThinking", "afterReply", "beforeCommand"].map((hook) => `2 ${hook} none`),
        "2 ending none",
      ],
    );
  });

  it("know the classic names of the hooks, two of which may belong to one of ours", async () => {
    const seen: string[] = [];
    const plugin = {
      id: "classic",
      post_prompt: () => void seen.push("post_prompt"),
      on_response: () => void seen.push("on_response"),
      post_planning: () => void seen.push("post_planning"),
      pre_command: () => void seen.push("pre_command"),
    };
    await runWith([plugin], [FINISH]);
    assert.deepEqual(seen, ["post_prompt", "on_response", "post_planning", "pre_command"]);
  });

  it("add a note to the end of a prompt, quoted with the plugin's name", async () => {
    const { model } = await runWith([{ id: "noter", beforeThinking: () => ({ note: "Mind the gap." }) }]);
    const tails = model.requests.map(({ messages }) => messages.at(-1)?.content ?? "");
    assert.deepEqual(
      tails.map((tail) => noted(tail) && tail.includes("Mind the gap.")),
      [true, true],
    );
  });

  it("refuse a command, and the file stays as it was", async () => {
    const deny = {
      id: "guard",
      beforeCommand: ({ command }: { command: string }) =>
        command === "write_to_file" ? { deny: "No writing today." } : undefined,
    };
    const { events, folder } = await runWith([deny]);
    assert.deepEqual(
      {
        decided: ofType(events, "decided")[0]?.rule,
        allow: ofType(events, "decided")[0]?.allow,
        file: await readFile(join(folder, "note.txt"), "utf8").catch(() => "none"),
      },
      { decided: "plugin", allow: false, file: "none" },
    );
  });

  it("can't allow: what isn't in the form of an answer is a failure, and changes nothing", async () => {
    const allowing = { id: "eager", beforeCommand: () => ({ allow: "yes", deny: 7 }) } as unknown as Plugin;
    const { events } = await runWith([allowing]);
    assert.deepEqual(
      ofType(events, "hooked").map(({ hook, result, why }) => ({ hook, result, why })),
      [1, 2].map(() => ({ hook: "beforeCommand", result: "failed", why: "its answer has the wrong form" })),
    );
  });

  it("have the user asked about a command with other arguments, whatever rule allows it", async () => {
    const changing = {
      id: "changer",
      afterReply: ({ command, args }: { command: string; args: object }) =>
        command === "write_to_file" ? { args: { ...args, contents: "old\n" } } : undefined,
    };
    const { events, folder } = await runWith([changing]);
    assert.deepEqual(
      {
        rule: ofType(events, "decided")[0]?.rule,
        allow: ofType(events, "decided")[0]?.allow,
        file: await readFile(join(folder, "note.txt"), "utf8").catch(() => "none"),
      },
      { rule: "plugin", allow: false, file: "none" },
    );
  });

  it("rewrite an outcome, whose original stays readable as the step's output", async () => {
    const rewriting = {
      id: "editor",
      afterCommand: ({ command }: { command: string }) =>
        command === "write_to_file" ? { replace: "Done." } : undefined,
    };
    const READ = says("read_file", { filename: "output:1" });
    const { events } = await runWith([rewriting], [WRITE, READ, FINISH]);
    const [first, second] = ofType(events, "ended").map(({ outcome }) =>
      outcome.status === "done" ? outcome.output : "",
    );
    assert.deepEqual(
      { isMarked: noted(first ?? "") && first?.includes("Done."), original: second?.includes("note.txt") },
      { isMarked: true, original: true },
    );
  });

  it("may ask the run to continue, once", async () => {
    const { events } = await runWith(
      [{ id: "stopper", ending: () => ({ goOn: "The tests are red." }) }],
      [FINISH, FINISH],
    );
    assert.deepEqual(
      ofType(events, "ended").map(({ outcome }) => outcome.status),
      ["refused", "finished"],
    );
  });

  it("that fail three times in a row are off, and the others and the run continue", async () => {
    const seen: number[] = [];
    const bad = {
      id: "bad",
      beforeThinking: () => {
        throw new Error("Broken.");
      },
    };
    const other = says("write_to_file", { filename: "note.txt", contents: "other\n" });
    const good = { id: "good", beforeThinking: ({ step }: { step: number }) => void seen.push(step) };
    const { events } = await runWith([bad, good], [WRITE, other, WRITE, other, FINISH]);
    assert.deepEqual(
      { failed: ofType(events, "hooked").filter(({ result }) => result === "failed").length, seen },
      { failed: 3, seen: [1, 2, 3, 4, 5] },
    );
  });

  it("add a command, which no plugin can put in the place of one of ours", async () => {
    const run = () => "Waved.";
    const plugin: Plugin = {
      id: "waver",
      offer: () => ({
        commands: ["wave", "read_file", "google"].map((name) => ({ name, description: "Waves.", run })),
        constraints: ["Be kind."],
      }),
    };
    const { events } = await runWith([plugin], [FINISH]);
    const [started] = ofType(events, "started");
    assert.deepEqual(
      {
        waves: started?.commands.filter(({ description }) => description.startsWith("Waves.")).map(({ name }) => name),
        kind: started?.directives.constraints.some((text) => noted(text) && text.includes("Be kind.")),
      },
      { waves: ["wave"], kind: true },
    );
  });

  it("have the user asked, with other arguments or without, and add words beside the outcome", async () => {
    const writing = ({ command }: { command: string }) => command === "write_to_file";
    const plugins: readonly Plugin[] = [
      {
        id: "asker",
        beforeCommand: (call) => (writing(call) ? { ask: "Is it the right file?" } : undefined),
      },
      {
        id: "args",
        beforeCommand: (call) => (writing(call) ? { args: { ...call.args, contents: "old\n" } } : undefined),
      },
    ];
    const rules = [];
    for (const plugin of plugins) {
      const { events } = await runWith([plugin]);
      const [decided] = ofType(events, "decided");
      rules.push({ rule: decided?.rule, allow: decided?.allow });
    }
    const { events } = await runWith([{ id: "adder", beforeCommand: () => ({ add: "Mind the gap." }) }]);
    const [ended] = ofType(events, "ended");
    assert.deepEqual(
      { rules, added: ended?.outcome.status === "done" && ended.outcome.output.includes("Mind the gap.") },
      { rules: [1, 2].map(() => ({ rule: "plugin", allow: false })), added: true },
    );
  });

  it("ask about a command while a guard can't answer", async () => {
    const broken: Plugin = {
      id: "guard",
      guard: true,
      beforeCommand: () => {
        throw new Error("Broken.");
      },
    };
    const { events } = await runWith([broken], [WRITE, FINISH]);
    const [decided] = ofType(events, "decided");
    assert.deepEqual({ rule: decided?.rule, allow: decided?.allow }, { rule: "plugin", allow: false });
  });
});
