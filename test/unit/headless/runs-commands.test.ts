import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { saying, serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type HeadlessSetting, headless, runProgram } from "../../support/headless.ts";
import { ofType, types } from "../../support/rehearsal.ts";
import { sampleOwner } from "../../support/sample-run.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All tidy." });
const WRITE = calling("write_to_file", { filename: "note.txt", contents: "new\n" });
const TASK = ["--task", "Tidy the notes."];
const ALL = ["--continuous", "9"];

async function setting(more: Partial<HeadlessSetting> = {}): Promise<HeadlessSetting> {
  return { baseUrl: server().baseUrl, workspace: await tempFolder(), data: await tempFolder(), ...more };
}

/** A finished run that wrote a note; its id. */
async function noted(place: HeadlessSetting): Promise<string> {
  server().plan(WRITE, FINISH);
  const { events } = await headless(place, ...TASK, ...ALL, "--json");
  return events[0]?.type === "started" ? events[0].id : "";
}

async function stored({ workspace }: HeadlessSetting, id: string): Promise<readonly AgentEvent[]> {
  return (await createRunStoreForHomes([join(workspace, ".autogpt")], sampleOwner("any machine")).open(id)).events;
}

describe("stored runs on the command line", () => {
  it("are listed, for people and for programs", async () => {
    const place = await setting();
    const none = await runProgram(place, "runs", "list");
    const id = await noted(place);
    const listed = await runProgram(place, "runs", "list");
    const json = await runProgram(place, "runs", "list", "--json");
    assert.deepEqual(
      { none: none.stdout, code: listed.code, listed: listed.stdout, json: JSON.parse(json.stdout).id },
      {
        none: "No runs are stored in this folder.\n",
        code: 0,
        listed: `${id}  finished, 2 steps  Tidy the notes.\n`,
        json: id,
      },
    );
  });

  it("are shown, for people and for programs", async () => {
    const place = await setting();
    const id = await noted(place);
    const shown = await runProgram(place, "runs", "show", id);
    const json = await runProgram(place, "runs", "show", id, "--json");
    const events = json.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      { code: shown.code, text: shown.stdout.includes("Finished. All tidy."), types: types(events) },
      { code: 0, text: true, types: types(await stored(place, id)) },
    );
  });

  it("are undone and redone, and say what is left alone", async () => {
    const place = await setting();
    const note = join(place.workspace, "note.txt");
    await writeFile(note, "old\n");
    const id = await noted(place);
    const undone = await runProgram(place, "runs", "undo", id);
    const old = await readFile(note, "utf8");
    const redone = await runProgram(place, "runs", "undo", id, "--redo");
    const again = await readFile(note, "utf8");
    await writeFile(note, "mine\n");
    const conflict = await runProgram(place, "runs", "undo", id, "--step", "1");
    assert.deepEqual(
      {
        undone: [undone.code, undone.stdout, old],
        redone: [redone.code, redone.stdout, again],
        conflict: [conflict.code, conflict.stdout.includes("Left as it is: note.txt"), await readFile(note, "utf8")],
        events: ofType(await stored(place, id), "undone").length,
      },
      {
        undone: [0, "Undone: note.txt.\n", "old\n"],
        redone: [0, "Redone: note.txt.\n", "new\n"],
        conflict: [4, true, "mine\n"],
        events: 2,
      },
    );
  });

  it("are forked from a step", async () => {
    const place = await setting();
    const id = await noted(place);
    server().plan(calling("delete_file", { filename: "note.txt" }), FINISH);
    const fork = await runProgram(place, "runs", "fork", id, "--step", "1", "--json", ...ALL, "--task", "Go on.");
    const events: AgentEvent[] = fork.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      {
        code: fork.code,
        parent: ofType(events, "started")[0]?.parent,
        said: ofType(events, "said").map(({ text }) => text),
        last: events.at(-1)?.type,
      },
      { code: 0, parent: id, said: ["Go on."], last: "over" },
    );
  });

  for (const [what, index] of [
    ["the start", 0],
    ["a line of its first step", 2],
  ] as const)
    it(`are shown and forked without ${what} that a power cut overwrote with zeros, and aren't resumed`, async () => {
      const place = await setting();
      const id = await noted(place);
      const path = join(place.workspace, ".autogpt/runs", id, "run.jsonl");
      const lines = (await readFile(path, "utf8")).split("\n");
      const damaged = lines.map((line, at) => (at === index ? "\0".repeat(line.length) : line)).join("\n");
      await writeFile(path, damaged);
      const shown = await runProgram(place, "runs", "show", id);
      const listed = await runProgram(place, "runs", "list");
      const resumed = await runProgram(place, "runs", "resume", id);
      server().plan(FINISH);
      const fork = ["runs", "fork", id, "--step", "1", "--json", ...ALL, "--task", "Go on."];
      const { code } = await runProgram(place, ...fork);
      const said = `Line ${index + 1} of ${lines.length - 1} of the log is damaged. The rest of the run is shown; fork it to continue.`;
      assert.deepEqual(
        {
          gap: shown.stdout.includes("1 event is missing here, because the log is damaged."),
          end: shown.stdout.includes("Finished. All tidy."),
          why: shown.stdout.trimEnd().endsWith(said),
          listed: listed.stdout.includes(`${id}  finished, 2 steps`),
          resumed: [resumed.code, resumed.stderr.includes(said)],
          code,
          isSame: (await readFile(path, "utf8")) === damaged,
        },
        { gap: true, end: true, why: true, listed: true, resumed: [4, true], code: 0, isSame: true },
      );
    });

  it("are exported without secrets, and imported", async () => {
    const place = await setting();
    const id = await noted(place);
    const report = await runProgram(place, "runs", "export", id);
    const file = join(place.data, "run.json");
    const written = await runProgram(place, "runs", "export", id, "--format", "json", "--output", file);
    const other = await setting();
    const imported = await runProgram(other, "runs", "import", file);
    const listed = await runProgram(other, "runs", "list", "--json");
    assert.deepEqual(
      {
        report: report.stdout.includes("Tidy the notes."),
        written: [written.code, (await readFile(file, "utf8")).includes('"autogpt-run"')],
        imported: imported.stdout,
        listed: JSON.parse(listed.stdout).id,
      },
      { report: true, written: [0, true], imported: `The run was imported as ${id}.\n`, listed: id },
    );
  });

  it("are named, and by a known id", async () => {
    const place = await setting();
    const said = async (...argv: readonly string[]) => {
      const { code, stderr } = await runProgram(place, "runs", ...argv);
      return `${code} ${stderr.split("\n")[0]}`;
    };
    assert.deepEqual(
      {
        none: await said(),
        show: await said("show"),
        unknown: await said("show", "20260101_000000_x_abcd"),
        strange: await said("lst"),
        format: await said("export", "x", "--format", "pdf"),
        step: await said("fork", "20260101_000000_x_abcd", "--step", "last"),
      },
      {
        none: '4 "runs" takes one of these: list, show, resume, fork, undo, changes, accept, pr, discard, export, import.',
        show: '4 Name the run: runs show ID. "runs list" lists them.',
        unknown: `4 There's no run "20260101_000000_x_abcd" here. Look for its name in the list of runs.`,
        strange:
          '4 "runs" takes one of these: list, show, resume, fork, undo, changes, accept, pr, discard, export, import.',
        format:
          '4 --format takes one of these: markdown, html, json, debugLog, fineTuning, fineTuningLasting, not "pdf".',
        step: `4 There's no run "20260101_000000_x_abcd" here. Look for its name in the list of runs.`,
      },
    );
  });
});

describe("a run that has used up a limit", () => {
  async function exhausted(place: HeadlessSetting): Promise<string> {
    server().plan(calling("list_files"), FINISH);
    const { events, end } = await headless(place, ...TASK, ...ALL, "--json", "--set", "run.maxSteps=1");
    assert.equal(end.reason, "exhausted");
    return events[0]?.type === "started" ? events[0].id : "";
  }

  it("resumes when a higher one is given", async () => {
    const place = await setting();
    const id = await exhausted(place);
    const argv = ["runs", "resume", id, "--json", ...ALL, "--set", "run.maxSteps=20"];
    const { code } = await runProgram(place, ...argv);
    const changed = ofType(await stored(place, id), "changed").flatMap(({ limits }) => limits ?? []);
    assert.deepEqual({ code, changed }, { code: 0, changed: [{ steps: 20 }] });
  });

  it("asks for one on a terminal", async () => {
    const place = await setting();
    const id = await exhausted(place);
    const { code, stderr } = await runProgram({ ...place, typed: ["0", ""] }, "runs", "resume", id, ...ALL);
    const changed = ofType(await stored(place, id), "changed").flatMap(({ limits }) => limits ?? []);
    assert.deepEqual(
      {
        code,
        changed,
        asked: stderr.includes("used up its limit of 1 step."),
        refused: stderr.includes("More than 1."),
      },
      { code: 0, changed: [{ steps: 2 }], asked: true, refused: true },
    );
  });

  it("stays exhausted without one, and says how to give it", async () => {
    const place = await setting();
    const id = await exhausted(place);
    const { code, stderr } = await runProgram(place, "runs", "resume", id, ...ALL, "--json");
    assert.deepEqual(
      { code, hint: /Give it a higher one, as in --set run\.maxSteps=2\./.test(stderr) },
      { code: 2, hint: true },
    );
  });
});

describe("the limits of a run", () => {
  const limits: readonly (readonly [string, string])[] = [
    ["steps", "run.maxSteps=1"],
    ["tokens", "run.maxTokens=100"],
    ["usd", "run.budgetUsd=0.000001"],
  ];
  for (const [limit, flag] of limits)
    it(`end it with exit code 2: ${limit}`, async () => {
      server().plan(calling("list_files"), FINISH);
      const prices = 'model.prices={"fake":{"input":1,"output":1}}';
      const { end } = await headless(await setting(), ...TASK, ...ALL, "--json", "--set", flag, "--set", prices);
      assert.deepEqual(end, { reason: "exhausted", limit });
    });
});

describe("what the user allows", () => {
  it("is decided by rules and deny patterns, as in the editor", async () => {
    const place = await setting();
    server().plan(WRITE, calling("delete_file", { filename: "note.txt" }), FINISH);
    const { events } = await headless(
      place,
      ...[...TASK, "--json", "--yes-to", "task_complete"],
      ...["--set", 'approval.rules=[{"command":"write_to_file","action":"allow"}]'],
      ...["--set", "approval.deny=delete_file"],
    );
    assert.deepEqual(
      ofType(events, "decided").map(({ allow, by, rule }) => ({ allow, by, rule })),
      [
        { allow: true, by: "rule", rule: "approval.rules[0]" },
        { allow: false, by: "rule", rule: "approval.deny[0]" },
        { allow: true, by: "rule", rule: "--yes-to task_complete" },
      ],
    );
  });

  it("has no disabled commands", async () => {
    server().plan(FINISH);
    const { events } = await headless(
      await setting(),
      ...[...TASK, ...ALL, "--json", "--set", "commands.disabled=git,delete_file"],
    );
    const names = ofType(events, "started")[0]?.commands.map(({ name }) => name) ?? [];
    assert.deepEqual(
      names.filter((name) => name.startsWith("git_") || name === "delete_file"),
      [],
    );
  });
});

describe("a setting that is none", () => {
  it("is named with the nearest one, and nothing runs", async () => {
    const place = await setting();
    const before = server().requests.length;
    const argv = [...TASK, "--workspace", place.workspace, "--set", "run.maxStep=5"];
    const { code, stdout, stderr } = await runProgram(place, ...argv);
    assert.deepEqual(
      { code, stdout, said: stderr.split("\n")[0], asked: server().requests.length - before },
      {
        code: 4,
        stdout: "",
        said: '--set: There is no setting "run.maxStep". Did you mean run.maxSteps?',
        asked: 0,
      },
    );
  });
});

describe("a run that plans first", () => {
  it("acts once the person at the terminal agrees", async () => {
    const place = await setting({ typed: ["y", "y"] });
    server().plan(WRITE, calling("task_complete", { reason: "Write a note." }), WRITE, FINISH);
    const { end, events } = await headless(
      place,
      ...TASK,
      "--plan",
      "--json",
      "--yes-to",
      "write_to_file,task_complete",
    );
    assert.deepEqual(
      {
        end,
        outcomes: ofType(events, "ended").map(({ outcome }) => outcome.status),
        modes: ofType(events, "changed").map(({ mode }) => mode),
      },
      {
        end: { reason: "finished", summary: "All tidy." },
        outcomes: ["refused", "finished", "done", "finished"],
        modes: ["ask"],
      },
    );
  });

  it("ends with the plan where no one can agree, and acts when it is resumed", async () => {
    const place = await setting();
    server().plan(calling("task_complete", { reason: "Write a note." }), WRITE, FINISH);
    const first = await headless(place, ...TASK, "--plan", "--json", ...ALL);
    const id = ofType(first.events, "started")[0]?.id ?? "";
    const second = await headless(place, "--resume", id, "--json", ...ALL);
    assert.deepEqual(
      {
        first: first.end,
        second: second.end,
        note: await readFile(join(place.workspace, "note.txt"), "utf8"),
      },
      {
        first: { reason: "finished", summary: "Write a note." },
        second: { reason: "finished", summary: "All tidy." },
        note: "new\n",
      },
    );
  });
});

describe("the profile of a run", () => {
  it("is drafted by the fast model when that is asked for, at the run's cost", async () => {
    const draft = { name: "Tidier", role: "a person who tidies", goals: ["Tidy."] };
    server().plan(saying(JSON.stringify(draft)), FINISH);
    const { events } = await headless(await setting(), ...TASK, ...ALL, "--draft", "--json");
    assert.deepEqual(
      {
        profile: ofType(events, "started")[0]?.profile,
        spent: ofType(events, "spent").map(({ on }) => on),
      },
      { profile: draft, spent: ["draft"] },
    );
  });

  it("is the last one of the folder with --skip-reprompt, for a task of its own", async () => {
    const place = await setting();
    server().plan(FINISH);
    await headless(place, ...TASK, ...ALL, "--json", "--ai-name", "Ann", "--ai-role", "a tidier");
    server().plan(FINISH);
    const { events } = await headless(place, "--task", "Sort.", ...ALL, "--json", "-y");
    assert.deepEqual(ofType(events, "started")[0]?.profile, {
      name: "Ann",
      role: "a tidier",
      goals: ["Sort."],
    });
  });

  it("gives the task where none is given", async () => {
    server().plan(FINISH);
    const { events } = await headless(await setting(), ...ALL, "--json", "--ai-goal", "Tidy.", "--ai-goal", "Sort.");
    assert.equal(ofType(events, "started")[0]?.task, "Tidy.\nSort.");
  });

  it("comes with the user's own lists for the prompt", async () => {
    const place = await setting();
    const file = join(place.data, "prompt.yaml");
    await writeFile(file, "constraints:\n- Only on weekdays.\n");
    server().plan(FINISH);
    const { events } = await headless(place, ...TASK, ...ALL, "--json", "--prompt-settings", file);
    assert.deepEqual(ofType(events, "started")[0]?.rules, [
      { file, text: "Constraints:\n- Only on weekdays.", by: "user" },
    ]);
  });
});
