import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { completeProfile } from "../../../../src/core/prompt/profile.ts";
import { selectRunFolders } from "../../../../src/node/files/roots.ts";
import { createRunStoreForHomes } from "../../../../src/runs/store/run-store.ts";
import { beginRun, openRun } from "../../../../src/runtime/compose-run.ts";
import { forkRun } from "../../../../src/runtime/fork-run.ts";
import type { Host } from "../../../../src/runtime/host.ts";
import { redoLatestUndo, undoSteps } from "../../../../src/runtime/run-undo.ts";
import { createAllowRules } from "../../../../src/safety/policy/rules.ts";
import { unattendedApprover } from "../../../../src/safety/policy/with-policy.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { FakeModel, says } from "../../../support/fake-model.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { ofType } from "../../../support/rehearsal.ts";
import { sampleOwner } from "../../../support/sample-run.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { testHost } from "../../../support/test-host.ts";

const tempFolder = tempFolders();
const TASK = "Tidy the notes.";
const FINISH = says("task_complete", { reason: "All tidy." });
const FOLDER = "mem://cloud/app";

/** A host with virtual files that always allows these commands, and the folder of its storage. */
async function hostOf(files: MemoryFiles, answers: ConstructorParameters<typeof FakeModel>[0]) {
  const data = await tempFolder();
  const model = new FakeModel(answers);
  const notices: string[] = [];
  const { log } = testHost({ data, models: { smart: model, fast: model } });
  const allowed = ["write_to_file", "edit_file", "move_file", "delete_file", "task_complete"];
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
    workspace: {
      isTrusted: () => true,
      listFolders: (folder, named) => selectRunFolders(folder, [{ name: "app", path: FOLDER }], named),
      virtualFiles: files,
      guard: (base) => base,
      createTrash: (fallback) => fallback,
      explainUndoProblem: () => undefined,
    },
    log: { ...log, notice: (_run, text) => void notices.push(writeInEnglish(text)) },
  });
  return { host, model, data, notices };
}

async function played(host: Host, model: FakeModel) {
  const run = await beginRun(host, {
    task: TASK,
    profile: completeProfile(TASK),
    folder: FOLDER,
    settings: host.getSettings(FOLDER),
    models: { smart: model, fast: model },
    mode: "ask",
  });
  run.live.resume();
  const { reason } = await run.live.end;
  await run.dispose();
  return { id: run.id, reason };
}

const STEPS = [
  says("write_to_file", { filename: "docs/new/plan.md", contents: "# Plan\n" }),
  says("edit_file", { filename: "src/a.ts", edits: [{ search: "one", replace: "two" }] }),
  says("search_files", { pattern: "two" }),
  says("move_file", { from: "src/b.ts", to: "src/c.ts" }),
  says("delete_file", { filename: "old.txt" }),
  says("execute_shell", { command_line: "ls" }),
  says("execute_python_code", { code: "print(1)" }),
  says("git_status"),
  says("read_file", { filename: ".env" }),
  FINISH,
];

const BEFORE = {
  "/app/.env": "KEY=secret\n",
  "/app/AGENTS.md": "Write short lines.\n",
  "/app/old.txt": "old\n",
  "/app/src/a.ts": "const one = 1;\n",
  "/app/src/b.ts": "b\n",
};
const AFTER = {
  "/app/.env": "KEY=secret\n",
  "/app/AGENTS.md": "Write short lines.\n",
  "/app/docs/new/plan.md": "# Plan\n",
  "/app/src/a.ts": "const two = 1;\n",
  "/app/src/c.ts": "b\n",
};

describe("a run in a virtual workspace", () => {
  it("works with its files alone, under the same policy, and keeps itself in the storage", async () => {
    const files = new MemoryFiles(BEFORE);
    const { host, model, data, notices } = await hostOf(files, STEPS);
    const { id, reason } = await played(host, model);
    const { events } = await createRunStoreForHomes([join(data, "unwritable")], sampleOwner()).open(id);
    const outcomes = ofType(events, "ended").map(({ outcome }) => outcome);
    const told = JSON.stringify(outcomes);
    const head = JSON.stringify(model.requests[0]?.messages);
    assert.deepEqual(
      {
        reason,
        notices,
        statuses: outcomes.map(({ status }) => status),
        texts: files.texts(),
        found: told.includes("const two = 1;"),
        withheld: told.split("This workspace is virtual (mem:)").length - 1,
        secret: told.includes("KEY=secret"),
        picture: head.includes("Virtual workspace (mem:): only its files") && head.includes("src/"),
        rules: head.includes("Write short lines."),
        commands: events[0]?.type === "started" && events[0].commands.some(({ name }) => name === "execute_shell"),
        strays: (await readdir(".")).filter((name) => name.startsWith("mem")),
      },
      {
        reason: "finished",
        notices: [
          "This workspace is virtual (mem:), so the agent works with its files only: without shell, Python and git.",
        ],
        statuses: ["done", "done", "done", "done", "done", "failed", "failed", "failed", "refused", "finished"],
        texts: AFTER,
        found: true,
        withheld: 3,
        secret: false,
        picture: true,
        rules: true,
        commands: false,
        strays: [],
      },
    );
  });

  it("is undone and redone after it was closed, from what it kept", async () => {
    const files = new MemoryFiles(BEFORE);
    const { host, model, data } = await hostOf(files, STEPS);
    const { id } = await played(host, model);
    const again = await openRun(host, await createRunStoreForHomes([join(data, "unwritable")], sampleOwner()).open(id));
    const { conflicts, steps } = await undoSteps(again, {});
    const undone = { texts: files.texts(), docs: files.tree.has("/app/docs") };
    await redoLatestUndo(again);
    await again.dispose();
    assert.deepEqual(
      { conflicts, files: steps.flatMap((step) => step.files).toSorted(), undone, redone: files.texts() },
      {
        conflicts: [],
        files: ["docs/", "docs/new/", "docs/new/plan.md", "old.txt", "src/a.ts", "src/b.ts", "src/c.ts"],
        undone: { texts: BEFORE, docs: false },
        redone: AFTER,
      },
    );
  });

  it("leaves files alone that others changed, and says so", async () => {
    const files = new MemoryFiles(BEFORE);
    const { host, model, data } = await hostOf(files, STEPS);
    const { id } = await played(host, model);
    files.set("/app/src/a.ts", "mine\n");
    const again = await openRun(host, await createRunStoreForHomes([join(data, "unwritable")], sampleOwner()).open(id));
    const { conflicts } = await undoSteps(again, { step: 2 });
    await again.dispose();
    assert.deepEqual(
      [conflicts.map(({ file, why }) => [file, writeInEnglish(why)]), files.text("/app/src/a.ts")],
      [[["src/a.ts", "It was changed afterward."]], "mine\n"],
    );
  });

  it("changes nothing when the old content can't be kept, and reports a provider that fails halfway", async () => {
    const files = new MemoryFiles(BEFORE);
    const { host, model, data } = await hostOf(files, [
      async () => {
        files.failing = [{ call: "stat", path: "/app/src/a.ts", failure: "unavailable" }];
        return says("edit_file", { filename: "src/a.ts", edits: [{ search: "one", replace: "two" }] });
      },
      async () => {
        files.failing = [{ call: "write", failure: "other", message: "Connection lost", halfDone: true }];
        return says("write_to_file", { filename: "old.txt", contents: "new\n" });
      },
      async () => {
        files.failing = [];
        return FINISH;
      },
    ]);
    const { id } = await played(host, model);
    const stored = await createRunStoreForHomes([join(data, "unwritable")], sampleOwner()).open(id);
    const errors = ofType(stored.events, "ended").map(({ outcome }) =>
      outcome.status === "failed" ? outcome.error : outcome.status,
    );
    const half = files.text("/app/old.txt");
    const again = await openRun(host, stored);
    await undoSteps(again, {});
    await again.dispose();
    assert.deepEqual(
      { errors, half, undone: files.texts() },
      {
        errors: [
          "\"src/a.ts\" can't be reached: the workspace's file system doesn't answer (It failed). Ask the user to check its connection, then try again.",
          'The workspace\'s file system failed at "old.txt" (Connection lost). Look at the file again before you go on, or tell the user.',
          "finished",
        ],
        half: "new\n",
        undone: BEFORE,
      },
    );
  });

  it("isn't offered changes in a read-only file system", async () => {
    const files = new MemoryFiles(BEFORE);
    files.readOnly = true;
    const { host, model, data } = await hostOf(files, [STEPS[0] ?? {}, FINISH]);
    const { id } = await played(host, model);
    const { events } = await createRunStoreForHomes([join(data, "unwritable")], sampleOwner()).open(id);
    const [first] = ofType(events, "ended");
    assert.deepEqual(
      [first?.outcome, files.texts()],
      [
        {
          status: "failed",
          error: `The command "write_to_file" is not available: ${files.readOnlyReason()} Choose another one.`,
          isInvalid: true,
        },
        BEFORE,
      ],
    );
  });

  it("can't be forked into a folder on disk, or opened where virtual folders can't be used", async () => {
    const { host, model, data } = await hostOf(new MemoryFiles(BEFORE), STEPS);
    const { id } = await played(host, model);
    const parent = await createRunStoreForHomes([join(data, "unwritable")], sampleOwner()).open(id);
    const fork = {
      parent,
      step: 1,
      files: { kind: "copy", to: "/nowhere" },
      folder: FOLDER,
      models: { smart: model, fast: model },
    } as const;
    const { virtualFiles: _, ...plain } = host.workspace;
    const actions = {
      undoAfter: () => Promise.reject(new Error()),
      copyWithProgress: () => Promise.reject(new Error()),
    };
    await assert.rejects(forkRun(host, fork, actions), /can't be copied to a new folder/);
    await assert.rejects(openRun({ ...host, workspace: plain }, parent), /Open it in VS Code/);
  });
});
