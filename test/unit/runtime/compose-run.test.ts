import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Command, createPreparedCall } from "../../../src/core/commands/command.ts";
import { completeProfile } from "../../../src/core/prompt/profile.ts";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import { beginRun, openRun } from "../../../src/runtime/compose-run.ts";
import type { ComposedRun, LiveComposedRun } from "../../../src/runtime/composed-run.ts";
import { forkRun } from "../../../src/runtime/fork-run.ts";
import type { Host } from "../../../src/runtime/host.ts";
import { undoSteps } from "../../../src/runtime/run-undo.ts";
import { createAllowRules } from "../../../src/safety/policy/rules.ts";
import { unattendedApprover } from "../../../src/safety/policy/with-policy.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { ofType } from "../../support/rehearsal.ts";
import { sampleOwner } from "../../support/sample-run.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { TEST_SETTINGS, type TestHostOptions, testHost } from "../../support/test-host.ts";

const tempFolder = tempFolders();
const TASK = "Tidy the notes.";
const FINISH = says("task_complete", { reason: "All tidy." });
const WRITE = says("write_to_file", { filename: "note.txt", contents: "new\n" });

interface Place {
  readonly host: Host;
  readonly folder: string;
  readonly model: FakeModel;
}

/** A host that always allows these commands. */
async function placeOf(
  answers: ConstructorParameters<typeof FakeModel>[0],
  allowed: readonly string[],
  more: Partial<TestHostOptions> = {},
): Promise<Place> {
  const [folder, data] = [await tempFolder(), await tempFolder()];
  const model = new FakeModel(answers);
  const host = testHost({
    data,
    models: { smart: model, fast: model },
    approver: {
      isPresent: false,
      isPatient: false,
      createApprover: () => unattendedApprover,
      findUser: () => undefined,
      listRules: () => createAllowRules(allowed),
    },
    ...more,
  });
  return { host, folder, model };
}

async function begun({ host, folder, model }: Place): Promise<LiveComposedRun> {
  return beginRun(host, {
    task: TASK,
    profile: completeProfile(TASK),
    folder,
    settings: host.getSettings(folder),
    models: { smart: model, fast: model },
    mode: "ask",
  });
}

async function finished(run: LiveComposedRun): Promise<string> {
  run.live.resume();
  const { reason } = await run.live.end;
  await run.dispose();
  return reason;
}

function storeOf({ folder }: Place) {
  return createRunStoreForHomes([join(folder, ".autogpt")], sampleOwner());
}

describe("a composed run", () => {
  it("can be undone after it was closed, without a model", async () => {
    const place = await placeOf([WRITE, FINISH], ["write_to_file", "task_complete"]);
    const note = join(place.folder, "note.txt");
    await writeFile(note, "old\n");
    const run = await begun(place);
    const reason = await finished(run);
    const written = await readFile(note, "utf8");
    const again = await openRun(place.host, await storeOf(place).open(run.id));
    const { steps, conflicts } = await undoSteps(again, {});
    await again.dispose();
    const { events } = await storeOf(place).open(run.id);
    assert.deepEqual(
      { reason, written, steps, conflicts, now: await readFile(note, "utf8"), last: events.at(-1)?.type },
      {
        reason: "finished",
        written: "new\n",
        steps: [{ step: 1, files: ["note.txt"] }],
        conflicts: [],
        now: "old\n",
        last: "undone",
      },
    );
  });

  it("shows the model the workspace as it was at the start, in a trusted folder alone", async () => {
    const place = await placeOf([WRITE, FINISH], ["write_to_file", "task_complete"]);
    await writeFile(join(place.folder, "old.txt"), "");
    const run = await begun(place);
    await finished(run);
    const workspace = { ...place.host.workspace, isTrusted: () => false };
    const distrusted = await begun({ ...place, host: { ...place.host, workspace } });
    await distrusted.dispose();
    const shown = place.model.requests.map(({ messages }) => messages[1]?.content ?? "");
    assert.deepEqual(
      {
        picture: run.run.head.picture?.includes("\nold.txt"),
        shown: shown.map((text) => text.includes("\nold.txt")),
        distrusted: distrusted.run.head.picture,
      },
      { picture: true, shown: [true, true], distrusted: undefined },
    );
  });

  it("shows the workspace to agents that may use commands, too", async () => {
    const start = (name: string, commands: readonly string[]) =>
      says("start_agent", { name, task: "Look.", model: "smart", commands });
    const place = await placeOf(
      [start("Reader", ["read_file"]), FINISH, start("Thinker", []), FINISH, FINISH],
      ["start_agent", "task_complete"],
    );
    const agents: ComposedRun[] = [];
    const host = {
      ...place.host,
      agents: { ...place.host.agents, addAgent: (one: ComposedRun) => agents.push(one) },
    };
    const run = await begun({ ...place, host });
    await finished(run);
    assert.deepEqual(
      agents.map(({ run: { head } }) => [head.profile.name, head.picture !== undefined]),
      [
        ["Reader", true],
        ["Thinker", false],
      ],
    );
  });

  it("is read-only in a folder that is not trusted", async () => {
    const place = await placeOf([FINISH], ["task_complete"]);
    const run = await begun(place);
    await finished(run);
    const distrusting = { ...place.host, workspace: { ...place.host.workspace, isTrusted: () => false } };
    const again = await openRun(distrusting, await storeOf(place).open(run.id));
    assert.deepEqual(
      { live: again.live, why: writeInEnglish(again.readOnly ?? "") },
      { live: undefined, why: "This folder is in Restricted Mode: runs are read-only here." },
    );
  });

  it("forks with an earlier message in other words and its sources, in the mode that its parent had", async () => {
    const place = await placeOf([WRITE, FINISH, FINISH], ["write_to_file", "task_complete"]);
    const parent = await begun(place);
    await finished(parent);
    const stored = await storeOf(place).open(parent.id);
    const { fork } = await forkRun(
      place.host,
      {
        parent: stored,
        step: 0,
        until: 1,
        files: { kind: "now" },
        task: "Tidy the drawings.",
        instruction: "As the page says.",
        sources: [{ kind: "web", name: "https://a.b" }],
        profile: completeProfile("Tidy the drawings."),
        mode: "plan",
        folder: place.folder,
        models: await place.host.models.resolveModelPair(place.folder),
      },
      { undoAfter: () => Promise.reject(), copyWithProgress: (copy) => copy(new AbortController().signal) },
    );
    const { task, mode, profile } = fork.run.state;
    const sources = fork.provenance?.sources.map(({ name }) => name);
    await fork.dispose();
    assert.deepEqual(
      { task, mode, goals: profile.goals, parent: fork.run.head.parent, sources },
      {
        task: "Tidy the drawings.",
        mode: "plan",
        goals: ["Tidy the drawings."],
        parent: parent.id,
        sources: ["https://a.b"],
      },
    );
  });

  it("forks with the files of the step, and undoes the later ones", async () => {
    const later = says("write_to_file", { filename: "later.txt", contents: "later\n" });
    const place = await placeOf([WRITE, later, FINISH, FINISH], ["write_to_file", "task_complete"]);
    const parent = await begun(place);
    await finished(parent);
    const stored = await storeOf(place).open(parent.id);
    const { fork, undone } = await forkRun(
      place.host,
      {
        parent: stored,
        step: 1,
        files: { kind: "then" },
        folder: place.folder,
        models: await place.host.models.resolveModelPair(place.folder),
      },
      {
        undoAfter: async (after) => {
          const run = await openRun(place.host, stored);
          return undoSteps(run, { after }).finally(() => run.dispose());
        },
        copyWithProgress: (copy) => copy(new AbortController().signal),
      },
    );
    const reason = await finished(fork);
    assert.deepEqual(
      {
        reason,
        parent: fork.run.head.parent,
        undone: undone?.steps,
        note: await readFile(join(place.folder, "note.txt"), "utf8"),
        later: await readFile(join(place.folder, "later.txt"), "utf8").catch(() => "gone"),
      },
      {
        reason: "finished",
        parent: parent.id,
        undone: [{ step: 2, files: ["later.txt"] }],
        note: "new\n",
        later: "gone",
      },
    );
  });

  it("offers the commands that others have added, and none that is disabled", async () => {
    const extra: Command = {
      name: "wave",
      description: "Waves.",
      parameters: { type: "object", properties: {} },
      aliases: [],
      category: "notes",
      effect: "none",
      prepare: async () => createPreparedCall("none", "Wave", async () => ({ status: "done", output: "Waved." })),
    };
    const settings = { ...TEST_SETTINGS, commands: { disabled: ["delete_file", "git"] } };
    const place = await placeOf([FINISH], ["task_complete"], { listExtraCommands: () => [extra], settings });
    const run = await begun(place);
    const names = run.run.head.commands.map(({ name }) => name);
    await finished(run);
    assert.deepEqual(
      {
        wave: names.includes("wave"),
        delete: names.includes("delete_file"),
        git: names.filter((name) => name.startsWith("git_")),
        asks: names.includes("ask_user"),
      },
      { wave: true, delete: false, git: [], asks: false },
    );
  });

  it("keeps to the user's rules and deny patterns", async () => {
    const approval = {
      ...TEST_SETTINGS.approval,
      rules: [{ command: "write_to_file", action: "allow" }],
      deny: ["write_to_file(secret/**)"],
    };
    const denied = says("write_to_file", { filename: "secret/a.txt", contents: "x" });
    const place = await placeOf([denied, WRITE, FINISH], ["task_complete"], {
      settings: { ...TEST_SETTINGS, approval },
    });
    const run = await begun(place);
    await finished(run);
    const { events } = await storeOf(place).open(run.id);
    assert.deepEqual(
      ofType(events, "decided").map(({ allow, by }) => ({ allow, by })),
      [
        { allow: false, by: "rule" },
        { allow: true, by: "rule" },
        { allow: true, by: "rule" },
      ],
    );
  });
});
