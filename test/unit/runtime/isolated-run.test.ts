import assert from "node:assert/strict";
import { access, cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "../../../src/core/commands/command.ts";
import { createPreparedCall } from "../../../src/core/commands/command.ts";
import { completeProfile } from "../../../src/core/prompt/profile.ts";
import { WORKERS } from "../../../src/headless/workers.ts";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import type { RunSummary } from "../../../src/runs/store/run-summary.ts";
import { CodeIndexes } from "../../../src/runtime/code-search/code-indexes.ts";
import { beginRun, openRun } from "../../../src/runtime/compose-run.ts";
import type { LiveComposedRun } from "../../../src/runtime/composed-run.ts";
import { forkRun } from "../../../src/runtime/fork-run.ts";
import type { Host } from "../../../src/runtime/host.ts";
import { cleanUpCopies, removeRunCopy } from "../../../src/runtime/isolated/stored-copies.ts";
import { undoSteps } from "../../../src/runtime/run-undo.ts";
import { displayText, writeInEnglish } from "../../../src/texts/display-text.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { plainIsolation, plainWalls } from "../../support/plain-walls.ts";
import { ofType } from "../../support/rehearsal.ts";
import { git, makeRepository, writeFiles } from "../../support/repositories.ts";
import { sampleOwner } from "../../support/sample-run.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { TEST_SETTINGS, type TestHostOptions, testHost } from "../../support/test-host.ts";

const tempFolder = tempFolders();
const TASK = "Tidy the notes.";
const FINISH = says("task_complete", { reason: "All tidy." });

interface Place {
  readonly host: Host;
  readonly folder: string;
  readonly data: string;
  readonly model: FakeModel;
  readonly walls: ReturnType<typeof plainWalls>;
}

/** A workspace with a note, and a host with nobody to ask. */
async function placeOf(
  answers: ConstructorParameters<typeof FakeModel>[0],
  more: Partial<TestHostOptions> = {},
): Promise<Place> {
  const [folder, data] = [await tempFolder(), await tempFolder()];
  await writeFile(join(folder, "note.txt"), "old\n");
  const model = new FakeModel(answers);
  const walls = plainWalls();
  const base = testHost({ data, models: { smart: model, fast: model }, ...more });
  const host: Host = { ...base, isolation: plainIsolation(walls) };
  return { host, folder, data, model, walls };
}

async function begun({ host, folder, model }: Place): Promise<LiveComposedRun> {
  return beginRun(host, {
    task: TASK,
    profile: completeProfile(TASK),
    folder,
    settings: host.getSettings(folder),
    models: { smart: model, fast: model },
    mode: "isolated",
  });
}

async function ended(run: LiveComposedRun): Promise<string> {
  run.live.resume();
  return (await run.live.end).reason;
}

/** A stored run in a window that has just reviewed it. */
async function openedReview(place: Place, id: string) {
  const run = await openRun(place.host, await stored(place, id));
  const { isolation } = run;
  assert.ok(isolation);
  const review = await isolation.review(new AbortController().signal);
  return {
    accept: (...files: string[]) => isolation.accept(review, new Map(files.map((file) => [file, "result"] as const))),
    withdraw: () => isolation.withdraw(),
    dispose: () => run.dispose(),
  };
}

const stored = ({ folder }: Place, id: string) =>
  createRunStoreForHomes([join(folder, ".autogpt")], sampleOwner()).open(id);
const read = (...names: string[]) => readFile(join(...names), "utf8");
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe("an isolated run", () => {
  it("finds code in its copy as it is there, and leaves the index of the workspace as it was", async () => {
    const search = says("search_code", { query: "who feeds the quokka" });
    const contents = "/** Feeds the quokka. */\nexport function fill() {}\n";
    const place = await placeOf([says("write_to_file", { filename: "trough.ts", contents }), search, FINISH]);
    const folder = join(place.data, "indexes");
    const codeIndexes = new CodeIndexes({ worker: WORKERS.code, folder });
    const host: Host = { ...place.host, processes: { ...place.host.processes, codeIndexes } };
    const settings = { excludes: { files: {}, search: {} } };
    const asked = { query: "quokka", count: 9, below: "", settings, unsaved: [] };
    const ofWorkspace = () => codeIndexes.search(place.folder, asked, () => undefined, new AbortController().signal);
    await ofWorkspace();
    const run = await begun({ ...place, host });
    await ended(run);
    await run.dispose();
    const { found } = await ofWorkspace();
    await codeIndexes.close();
    const { events } = await stored(place, run.id);
    const outcome = ofType(events, "ended")[1]?.outcome;
    assert.deepEqual(
      [
        outcome?.status === "done" && /^trough\.ts.*$/m.exec(outcome.output)?.[0],
        found.some(({ path }) => path === "trough.ts"),
        (await readdir(folder)).length,
      ],
      ["trough.ts:1-2 fill", false, 1],
    );
  });

  it("changes its copy alone and is asked nothing, by files, lines and code", async () => {
    skipWithout("a POSIX shell and its programs");
    const place = await placeOf([
      says("write_to_file", { filename: "note.txt", contents: "new\n" }),
      says("write_to_file", { filename: ".vscode/tasks.json", contents: "{}" }),
      says("execute_shell", { command_line: "cat note.txt > seen.txt; pwd" }),
      says("execute_python_code", { code: "open('made.txt', 'w').write('py')", name: "a.py" }),
      FINISH,
    ]);
    const run = await begun(place);
    const copy = run.isolation?.copy.folders[0]?.path ?? "";
    const reason = await ended(run);
    await run.dispose();
    const { events } = await stored(place, run.id);
    const decisions = ofType(events, "decided").map(({ by, rule }) => `${by} ${rule}`);
    assert.deepEqual(
      {
        reason,
        decisions,
        workspace: [await read(place.folder, "note.txt"), await exists(join(place.folder, "seen.txt"))],
        copy: [await read(copy, "note.txt"), await read(copy, "seen.txt"), await read(copy, "made.txt")],
        event: [run.run.head.folder, run.run.head.isolated, run.run.state.mode],
        shown: place.model.requests[0]?.messages[0]?.content.includes(`Folder: ${copy}.`),
        open: place.walls.open(),
      },
      {
        reason: "finished",
        decisions: ["rule isolated", "rule isolated", "rule isolated", "rule isolated", "rule finish"],
        workspace: ["old\n", false],
        copy: ["new\n", "new\n", "py"],
        event: [
          place.folder,
          {
            home: join(place.data, "copies", run.id),
            engine: "bubblewrap",
            folders: run.isolation?.copy.folders,
          },
          "isolated",
        ],
        shown: true,
        open: 0,
      },
    );
  });

  it("leaves what leaves the copy to the policy, and the commands of others", async () => {
    const tool: Command = {
      ...{ name: "deploy", description: "Deploys.", aliases: [], category: "other", effect: "run" },
      parameters: { type: "object", properties: {} },
      prepare: async () => createPreparedCall("run", "Deploys.", async () => ({ status: "done", output: "deployed" })),
    };
    const place = await placeOf(
      [says("read_file", { filename: "/etc/hostname" }), says("deploy", {}), says("run_task", {}), FINISH],
      { listExtraCommands: () => [tool] },
    );
    const run = await begun(place);
    const withheld = run.commands.withheld.filter(({ name }) => /task|symbol|problems|terminal/.test(name));
    await ended(run);
    await run.dispose();
    const { events } = await stored(place, run.id);
    const outcomes = ofType(events, "ended").map(({ outcome }) => outcome.status);
    assert.deepEqual(
      {
        decisions: ofType(events, "decided").map(({ allow, rule }) => `${allow} ${rule}`),
        outcomes,
        withheld: withheld.map(({ name, why }) => `${name}: ${writeInEnglish(why)}`),
      },
      {
        decisions: ["false programs", "true finish"],
        outcomes: ["failed", "refused", "failed", "finished"],
        withheld: ["get_problems", "find_symbol", "run_task", "get_terminal_output"].map(
          (name) => `${name}: It works through the editor, which shows the workspace and not the copy.`,
        ),
      },
    );
  });

  it("has the memory, settings and log of its workspace, and none of its editor", async () => {
    const asked: string[] = [];
    const place = await placeOf([FINISH]);
    const host: Host = {
      ...place.host,
      getSettings: (folder) => {
        asked.push(folder);
        return TEST_SETTINGS;
      },
    };
    const run = await begun({ ...place, host });
    await ended(run);
    await run.dispose();
    assert.deepEqual(
      { folders: [...new Set(asked)], home: run.home },
      { folders: [place.folder], home: join(place.folder, ".autogpt", "runs", run.id) },
    );
  });

  it("works in the same copy with its agents", async () => {
    const place = await placeOf([
      says("start_agent", { name: "helper", task: "Write.", prompt: "", commands: ["write_to_file"] }),
      says("write_to_file", { filename: "by-agent.txt", contents: "x" }),
      says("task_complete", { reason: "Written." }),
      FINISH,
    ]);
    const run = await begun(place);
    const copy = run.isolation?.copy.folders[0]?.path ?? "";
    await ended(run);
    await run.dispose();
    assert.deepEqual(
      [await exists(join(copy, "by-agent.txt")), await exists(join(place.folder, "by-agent.txt"))],
      [true, false],
    );
  });

  it("is undone in its copy, also when it was opened again", async () => {
    const place = await placeOf([
      says("write_to_file", { filename: "note.txt", contents: "new\n" }),
      says("execute_shell", { command_line: "echo x > made.txt" }),
      FINISH,
    ]);
    const run = await begun(place);
    const copy = run.isolation?.copy.folders[0]?.path ?? "";
    await ended(run);
    await run.dispose();
    await writeFile(join(place.folder, "note.txt"), "the user's\n");
    const again = await openRun(place.host, await stored(place, run.id));
    const { steps, conflicts } = await undoSteps(again, {});
    await again.dispose();
    assert.deepEqual(
      {
        files: steps.map(({ files }) => files),
        conflicts,
        copy: [await read(copy, "note.txt"), await exists(join(copy, "made.txt"))],
        workspace: await read(place.folder, "note.txt"),
      },
      {
        files: [["made.txt"], ["note.txt"]],
        conflicts: [],
        copy: ["old\n", false],
        workspace: "the user's\n",
      },
    );
  });

  it("undoes the deletion of what it has committed itself", async () => {
    const place = await placeOf([
      says("execute_shell", { command_line: "echo mine > evals/own.ts; git add -A && git commit -qm Own" }),
      says("execute_shell", { command_line: "rm -rf evals" }),
      FINISH,
    ]);
    makeRepository(place.folder, { "evals/old.ts": "committed\n" });
    git(place.folder, "config", "user.name", "Ada");
    git(place.folder, "config", "user.email", "ada@example.com");
    writeFiles(place.folder, { "evals/new.ts": "untracked\n", "evals/old.ts": "edited\n" });
    const run = await begun(place);
    const evals = join(run.isolation?.copy.folders[0]?.path ?? "", "evals");
    await ended(run);
    const deleted = !(await exists(evals));
    const { conflicts } = await undoSteps(run, { step: 2 });
    await run.dispose();
    assert.deepEqual(
      {
        deleted,
        conflicts,
        evals: await Promise.all(["new.ts", "old.ts", "own.ts"].map((name) => read(evals, name))),
      },
      { deleted: true, conflicts: [], evals: ["untracked\n", "edited\n", "mine\n"] },
    );
  });

  it("is merged into the branch that the user switched to during the run", async () => {
    const lines = (first: string, last: string) => `${first}\n2\n3\n4\n${last}\n`;
    const place = await placeOf([
      says("write_to_file", { filename: "note.txt", contents: lines("run", "5") }),
      says("write_to_file", { filename: "gone.txt", contents: "run\n" }),
      FINISH,
    ]);
    const { folder } = place;
    makeRepository(folder, { "note.txt": lines("1", "5"), "gone.txt": "old\n" });
    git(folder, "switch", "-q", "-c", "other");
    writeFiles(folder, { "note.txt": lines("1", "other") });
    git(folder, "rm", "-q", "gone.txt");
    git(folder, "commit", "-qam", "Other");
    git(folder, "switch", "-q", "main");
    const run = await begun(place);
    git(folder, "switch", "-q", "other");
    await ended(run);
    const review = await run.isolation?.review(new AbortController().signal);
    assert.ok(review);
    const choices = new Map(review.changes.map(({ label }) => [label, "result"] as const));
    const accepted = await run.isolation?.accept(review, choices);
    await run.dispose();
    assert.deepEqual(
      {
        results: review.changes.map(({ label, result }) => `${label} ${result}`),
        accepted: accepted?.files,
        left: accepted?.conflicts.map(({ label }) => label),
        status: git(folder, "status", "--porcelain", "--branch"),
        note: await read(folder, "note.txt"),
      },
      {
        results: ["gone.txt conflict", "note.txt merged"],
        accepted: ["note.txt"],
        left: ["gone.txt"],
        status: "## other\n M note.txt\n",
        note: lines("run", "other"),
      },
    );
  });

  it("loses nothing when two windows accept what both have reviewed before", async () => {
    const place = await placeOf([
      says("write_to_file", { filename: "note.txt", contents: "new\n" }),
      says("write_to_file", { filename: "made.txt", contents: "made\n" }),
      FINISH,
    ]);
    const run = await begun(place);
    await ended(run);
    await run.dispose();
    const [one, other] = [await openedReview(place, run.id), await openedReview(place, run.id)];
    await one.accept("note.txt");
    const refusal = await other.accept("note.txt", "made.txt").then(
      () => "accepted",
      (error: Error) => error.message,
    );
    await one.dispose();
    await other.dispose();
    const again = await openedReview(place, run.id);
    const files = () => Promise.all(["note.txt", "made.txt"].map((name) => exists(join(place.folder, name))));
    const [note, there] = [await read(place.folder, "note.txt"), await files()];
    await again.withdraw();
    await again.withdraw();
    await again.dispose();
    const { events } = await stored(place, run.id);
    assert.deepEqual(
      {
        refusal,
        there: [note, ...there],
        recorded: ofType(events, "reviewed").map(({ what, files: names }) => `${what} ${names}`),
        withdrawn: [await read(place.folder, "note.txt"), ...(await files())],
      },
      {
        refusal: writeInEnglish(displayText("trouble.continuedElsewhere")),
        there: ["new\n", true, true],
        recorded: ["accepted note.txt", "accepted made.txt", "withdrawn made.txt", "withdrawn note.txt"],
        withdrawn: ["old\n", true, false],
      },
    );
  });

  it("can only be read once its copy is gone, was discarded, or is claimed by a log alone", async () => {
    const place = await placeOf([FINISH, FINISH]);
    const [gone, discarded] = [await begun(place), await begun(place)];
    for (const run of [gone, discarded]) {
      await ended(run);
      await run.dispose();
    }
    const other = await openRun(place.host, await stored(place, discarded.id));
    await other.run.record({ type: "reviewed", what: "discarded", files: ["note.txt"] });
    await other.dispose();
    const log = join(gone.home, "run.jsonl");
    const home = gone.isolation?.copy.home ?? "";
    await rename(home, `${home}-elsewhere`);
    await writeFile(log, (await read(log)).replaceAll(home, `${home}-elsewhere`));
    const opened = await Promise.all(
      [gone, discarded].map(async ({ id }) => openRun(place.host, await stored(place, id))),
    );
    assert.deepEqual(
      opened.map(({ live, readOnly = "" }) => [live === undefined, writeInEnglish(readOnly).slice(-72)]),
      [
        [true, "So this isolated run can only be read. Start a new run to continue its work."],
        [true, "this isolated run were discarded with its copy, so the run can only be read."],
      ].map(([isClosed, text]) => [isClosed, String(text).slice(-72)]),
    );
  });

  it("has no copy, and completes no accept, for a log of the same ID in another workspace", async () => {
    const place = await placeOf([says("write_to_file", { filename: "note.txt", contents: "new\n" }), FINISH]);
    const run = await begun(place);
    await ended(run);
    await run.dispose();
    const other = { ...place, folder: await tempFolder() };
    const planted = join(other.folder, ".autogpt/runs", run.id);
    await cp(run.home, planted, { recursive: true });
    const target = { kind: "folder" };
    const path = join(other.folder, "harm");
    const plan = { step: 1, paths: [{ path, was: { kind: "missing" }, target }], conflicts: [] };
    await mkdir(join(planted, "accepted"));
    await writeFile(join(planted, "accepted/plan.json"), JSON.stringify(plan));
    const opened = await openRun(place.host, await stored(other, run.id));
    const here = await openRun(place.host, await stored(place, run.id));
    const found = [opened.isolation !== undefined, here.isolation !== undefined, await exists(path)];
    for (const one of [opened, here]) await one.dispose();
    assert.deepEqual(found, [false, true, false]);
  });

  it("keeps its copy, whatever a log of the same ID in another workspace says of its review", async () => {
    const place = await placeOf([FINISH]);
    const run = await begun(place);
    await ended(run);
    await run.dispose();
    const kept: boolean[] = [];
    for (const folder of [join(await tempFolder(), ".autogpt/runs", run.id), run.home]) {
      const summary = { id: run.id, folder, isolated: "accepted", state: "finished" } as RunSummary;
      const storage = { ...place.host.storage, listRuns: async () => [summary] };
      await cleanUpCopies({ ...place.host, storage }, 0);
      kept.push(await exists(run.isolation?.copy.home ?? ""));
    }
    assert.deepEqual(kept, [true, false]);
  });

  it("leaves no room for another until its copy is deleted with it, which isn't done while it may be at work", async () => {
    const settings = { ...TEST_SETTINGS, isolation: { ...TEST_SETTINGS.isolation, quotaMb: 3 } };
    const place = await placeOf([FINISH], { settings });
    await writeFile(join(place.folder, "large.txt"), "x".repeat(1024 ** 2));
    const run = await begun(place);
    await ended(run);
    await run.dispose();
    const again = () =>
      begun(place).then(
        (other) => other.dispose().then(() => "started"),
        (error: Error) => error.message,
      );
    const summary = { id: run.id, folder: run.home, isolated: "unreviewed" } as unknown as RunSummary;
    const found = [await again()];
    for (const state of ["open", "finished"] as const) {
      await removeRunCopy(place.host, { ...summary, state });
      found.push(await again());
    }
    const refusal =
      "There's no room for the copy: other isolated runs take 2 of 3 MB. Discard or delete those that you no longer need, or raise autogpt.isolation.quotaMb.";
    assert.deepEqual(found, [refusal, refusal, "started"]);
  });

  it("doesn't resume in a copy that was discarded, and isn't discarded while it works", async () => {
    const place = await placeOf([says("write_to_file", { filename: "a.txt", contents: "x" }), FINISH]);
    const run = await begun(place);
    const { signal } = new AbortController();
    const early: unknown[] = [];
    run.run.onEvent((event) => {
      if (event.type !== "began") return;
      early.push(run.isolation?.discard(signal).catch((error: Error) => error.message));
    });
    await ended(run);
    await run.isolation?.discard(signal);
    const again = await ended(run);
    const { end } = run.run.state;
    await run.dispose();
    assert.deepEqual(
      {
        early: await early[0],
        again,
        error: end && "error" in end ? end.error : "",
        copies: await readdir(join(place.data, "copies")),
      },
      {
        early: writeInEnglish(displayText("isolation.stopFirst")),
        again: "failed",
        error: writeInEnglish(displayText("isolation.discarded")),
        copies: [],
      },
    );
  });

  it("is forked with a copy of its copy, whose changes are those of both", async () => {
    const place = await placeOf([
      says("write_to_file", { filename: "note.txt", contents: "new\n" }),
      FINISH,
      says("write_to_file", { filename: "more.txt", contents: "x" }),
      FINISH,
    ]);
    const { host, folder, model } = place;
    const run = await begun(place);
    await ended(run);
    await run.dispose();
    const parent = await stored(place, run.id);
    const models = { smart: model, fast: model };
    const options = { parent, step: 1, folder, models } as const;
    const actions = {
      undoAfter: () => Promise.reject(new Error("Nothing is undone.")),
      copyWithProgress: <T>(copy: (signal: AbortSignal) => Promise<T>) => copy(new AbortController().signal),
    };
    const then = { ...options, files: { kind: "then" } } as const;
    await assert.rejects(forkRun(host, then, actions), /as they are now/);
    const { fork } = await forkRun(host, { ...options, files: { kind: "now" } }, actions);
    await ended(fork);
    const { changes } = (await fork.isolation?.review(new AbortController().signal)) ?? { changes: [] };
    await fork.dispose();
    assert.deepEqual(
      {
        changes: changes.map(({ label, kind }) => `${kind} ${label}`),
        parent: await exists(join(run.isolation?.copy.folders[0]?.path ?? "", "more.txt")),
        mode: fork.run.state.mode,
      },
      { changes: ["created more.txt", "edited note.txt"], parent: false, mode: "isolated" },
    );
  });

  it("starts only in a trusted folder on the disk, where there are walls", async () => {
    const place = await placeOf([]);
    const { host } = place;
    const why = displayText("isolation.discarded");
    const hosts: readonly Host[] = [
      { ...host, workspace: { ...host.workspace, isTrusted: () => false } },
      {
        ...host,
        isolation: { ...plainIsolation(place.walls), findWalls: async () => ({ engine: "none", why }) },
      },
      testHost({ data: place.data, models: { smart: place.model, fast: place.model } }),
    ];
    const problems = await Promise.all(
      hosts.map((one) => begun({ ...place, host: one }).then(String, (error: Error) => error.message)),
    );
    assert.deepEqual(
      {
        problems,
        copies: await exists(join(place.data, "copies")),
        runs: await exists(join(place.folder, ".autogpt")),
      },
      {
        problems: [
          writeInEnglish(displayText("isolation.untrusted")),
          writeInEnglish(why),
          writeInEnglish(displayText("isolation.unavailable")),
        ],
        copies: false,
        runs: false,
      },
    );
  });

  it("leaves no copy behind when it can't begin", async () => {
    const place = await placeOf([]);
    const machine = () => Promise.reject(new Error("No mark."));
    const host = { ...place.host, storage: { ...place.host.storage, getMachineMark: machine } };
    await assert.rejects(begun({ ...place, host }), /No mark/);
    assert.deepEqual(await readdir(join(place.data, "copies")), []);
  });
});
