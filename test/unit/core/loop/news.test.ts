import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { RECENT_STEPS, type StepView } from "../../../../src/core/events/run-state.ts";
import { findLoop } from "../../../../src/core/loop/loop-guard.ts";
import type { User } from "../../../../src/core/ports/approver.ts";
import type { Agents } from "../../../../src/core/ports/sub-agents.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { FakeModel, says } from "../../../support/fake-model.ts";
import { fakePage, fakeServices } from "../../../support/fake-services.ts";
import { ofType, rehearse } from "../../../support/rehearsal.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

type Call = readonly [string, object];

/** Calls by their number, from 0, and the files that are there before. */
interface Play {
  readonly files?: Readonly<Record<string, string>>;
  readonly calls: (index: number) => Call;
  /** Calls after which a loop begins again; absent: 1. For an honest run: all calls. */
  readonly round?: number;
}

const tempFolder = tempFolders();
const WORDS =
  "amber birch cedar delta ember flint grove heath inlet jetty knoll larch maple north ocean pearl quartz ridge stone thorn umber vale willow yarrow zephyr".split(
    " ",
  );
const word = (index: number): string => `${WORDS[index % 25]}${WORDS[(index * 7 + 3 + Math.floor(index / 25)) % 25]}`;
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const filled = (count: number, name: (index: number) => string, text: (index: number) => string) =>
  Object.fromEntries(range(count).map((index) => [name(index), text(index)]));
const listed =
  (...calls: readonly Call[]) =>
  (index: number): Call =>
    calls[index % calls.length] as Call;
const shell = (command_line: string): Call => ["execute_shell", { command_line }];
const edit = (filename: string, search: string, replace: string): Call => ["edit_file", { filename, search, replace }];
const write = (filename: string, contents: string): Call => ["write_to_file", { filename, contents }];

/** A web whose pages depend on their path alone. */
const web = {
  ...fakeServices().web,
  openPage: async (url: URL) =>
    fakePage(url.href, {
      title: "Almanac",
      text: `Home. News. About.\n${url.pathname === "/" ? "Nothing is known." : `Here is ${word(Number(url.pathname.slice(2)))}.`}`,
    }),
};

/** Agents that all give the same answer, or what they were asked about. */
const agents = (answer: (task: string) => string): Agents => {
  const tasks: string[] = [];
  const summary = (id: number) => ({
    ...{
      id,
      name: `a${id}`,
      task: tasks[id] ?? "",
      run: "r",
      state: "answered" as const,
      tokens: 1,
      commands: [],
    },
  });
  return {
    getMaxCount: () => 99,
    list: () => [],
    resolveAllowedCommands: (names) => names,
    selectAllowedCommands: () => [],
    start: async ({ task }) => summary(tasks.push(task) - 1),
    send: async (id) => summary(id),
    answer: async (id) => ({
      agent: summary(id),
      end: { reason: "finished", summary: answer(tasks[id] ?? "") },
      source: { kind: "agent", name: `a${id}` },
    }),
    delete: async (id) => summary(id),
  };
};

const notes: string[] = [];
const memory = {
  add: async (text: string) => void notes.push(text),
  search: async (_query: string, count: number) =>
    notes
      .slice(-count)
      .map((text, index) => ({ id: `${index}`, text, source: "a note", score: 1, isClean: true as const })),
  prepareNoteFile: async (text: string) => ({ path: "note.md", contents: text }),
};

const answering: User = { ask: async (question) => `Take ${question.length}.` };

/** The step of the first remark and of the end as stuck; undefined if it never came. */
async function play({ files = {}, calls }: Play, most: number, { honest = false } = {}) {
  const [workspace, outputs] = [await tempFolder(), await tempFolder()];
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(workspace, dirname(name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  notes.length = 0;
  const bench = new CommandBench(workspace, outputs, {
    memory,
    services: fakeServices({ web }),
    agents: agents((task) => (honest ? `It is ${word(task.length)}.` : "I found nothing about it.")),
    ...(honest ? { user: answering } : {}),
  });
  const model = new FakeModel(
    [...range(most).map((index) => says(...calls(index))), says("task_complete", { reason: "Done." })],
    ["text"],
    1_000_000,
  );
  const { end, log } = await rehearse({ answers: [], model, parts: { commands: bench.commands } });
  const asked = ofType(log.events, "asked");
  const remarked = asked.find(({ tail }) =>
    tail.remarks.some((remark) => /^Your last \d+ steps got|^You (?:have now|go back)/.test(remark)),
  );
  return {
    remarked: remarked && remarked.step - 1,
    stuck: end.reason === "stuck" ? asked.length : undefined,
    log,
  };
}

const TEXT = range(400)
  .map((line) => `Line ${line} is about ${word(line)}.`)
  .join("\n");
const FAILING =
  'echo "run at $(date)"; echo "3 passing (14ms)"; echo "1 failing"; echo "AssertionError: 1 is not 2"; exit 1';

const LOOPS: Readonly<Record<string, Play>> = {
  "edits whose search never fits": {
    files: { "a.txt": TEXT },
    calls: (n) => edit("a.txt", `The ${word(n)} of ${word(n + 9)}`, word(n)),
  },
  "two files that swap their contents": {
    round: 4,
    calls: listed(write("a.txt", "one\n"), write("b.txt", "two\n"), write("a.txt", "two\n"), write("b.txt", "one\n")),
  },
  "lines of a file, each time one further": {
    files: { "a.txt": TEXT },
    calls: (n) => ["read_file", { filename: "a.txt", start_line: n + 3, end_line: n + 30 }],
  },
  "searches that find nothing": {
    files: { "a.txt": "x" },
    calls: (n) => ["search_files", { pattern: word(n) }],
  },
  "a failing test with other flags": {
    files: { "test.sh": FAILING },
    calls: (n) => shell(`echo "try ${word(n)}"; sh test.sh --seed=${n * 13} --${word(n)}`),
  },
  "a text with another comment each time": {
    round: 3,
    calls: (n) => write("a.py", `# ${word(n)} at 10:${10 + n}:00\nmode = "${n % 2 === 0 ? "dark" : "light"}"\n`),
  },
  "folders in circles": {
    round: 3,
    files: { "a/x.txt": "", "b/y.txt": "", "c/z.txt": "" },
    calls: listed(["list_files", { folder: "a" }], ["list_files", { folder: "./b" }], ["list_files", { folder: "c/" }]),
  },
  "a page with other queries": {
    calls: (n) => ["browse_website", { url: `https://example.com/?q=${word(n)}` }],
  },
  "thinking aloud in a shell": {
    calls: (n) => shell(`echo "I think about ${word(n)}" && sleep 0.00${n % 9}`),
  },
  "notes that are saved and recalled": {
    round: 2,
    calls: (n) => (n % 2 === 0 ? ["memory_add", { text: `It is ${word(n)}.` }] : ["memory_search", { query: word(n) }]),
  },
  "plans and nothing else": {
    calls: (n) => ["update_plan", { items: [{ text: `Do ${word(n)}`, status: "open" }] }],
  },
  "new files with the same text": { calls: (n) => write(`notes/note${n}.md`, "# Notes\n\nTo be done.\n") },
  "times and states that change by themselves": {
    round: 3,
    files: { "a.txt": "" },
    calls: (n) => shell(["date", `sleep 0.0${n % 9}; date +%s%N`, "ls; date '+%H:%M:%S'"][n % 3] ?? ""),
  },
  "agents that all say the same": {
    calls: (n) => ["start_agent", { name: word(n), task: `Find ${word(n + 1)}.` }],
  },
  "an edit and its reverse, in other words": {
    round: 3,
    files: { "a.js": "function a() {\n  return 1;\n}\nfunction b() {\n  return 5;\n}\n" },
    calls: (n) => {
      const [from, to] = n % 2 === 0 ? ["return 1", "return 2"] : ["return 2", "return 1"];
      return n % 3 === 0
        ? edit("a.js", from, to)
        : edit("a.js", `function a() {\n  ${from};`, `function a() {\n  ${to};`);
    },
  },
  "a line that is added again": {
    calls: (n) => ["append_to_file", { filename: "log.txt", contents: `Checked at 11:${10 + n}.\n` }],
  },
  "a program that fails and counts": {
    files: {
      "n.txt": "0\n",
      "t.sh": 'n=$(($(cat n.txt) + 1)); echo $n > n.txt; echo "attempt $n failed with pid $$"; exit 1',
    },
    calls: () => shell("sh t.sh"),
  },
  "files that aren't there": { calls: (n) => ["read_file", { filename: `src/${word(n)}.ts` }] },
  "edits that change nothing": {
    files: { "a.txt": TEXT },
    calls: (n) => edit("a.txt", word(n), word(n)),
  },
  "a file that is moved about": {
    round: 2,
    files: { "a.txt": "x" },
    calls: (n) => ["move_file", n % 2 === 0 ? { from: "a.txt", to: "b.txt" } : { from: "b.txt", to: "a.txt" }],
  },
  "a file that is written and deleted": {
    round: 2,
    calls: listed(write("a.txt", "x\n"), ["delete_file", { filename: "a.txt" }]),
  },
  "commands that don't exist": { calls: (n) => [`fly_${word(n)}`, { to: word(n) }] },
  "nothing, a plan and the same file": {
    round: 3,
    files: { "a.txt": TEXT },
    calls: (n) =>
      n % 3 === 0
        ? ["do_nothing", { reason: word(n) }]
        : n % 3 === 1
          ? ["update_plan", { items: [{ text: word(n), status: "open" }] }]
          : ["read_file", { filename: "a.txt" }],
  },
};

const BOILERPLATE = range(20)
  .map((line) => `// License, line ${line}`)
  .join("\n");
const IMPORT = 'import { run } from "old";';

const HONEST: Readonly<Record<string, Play & { readonly round: number }>> = {
  "60 files that are much alike": {
    round: 60,
    files: filled(
      60,
      (n) => `src/f${n}.ts`,
      (n) => `${BOILERPLATE}\nexport const id = ${n};\n`,
    ),
    calls: (n) => ["read_file", { filename: `src/f${n}.ts` }],
  },
  "tests that are fixed one by one": {
    round: 24,
    files: {
      "a.txt": range(12)
        .map((n) => `case ${n} bad`)
        .join("\n"),
      "test.sh": "grep bad a.txt && exit 1; echo all pass",
    },
    calls: (n) =>
      n % 2 === 0 ? shell("sh test.sh") : edit("a.txt", `case ${(n - 1) / 2} bad`, `case ${(n - 1) / 2} good`),
  },
  "the same edit in 80 files": {
    round: 80,
    files: filled(
      80,
      (n) => `src/f${n}.ts`,
      () => `${IMPORT}\nrun();\n`,
    ),
    calls: (n) => edit(`src/f${n}.ts`, IMPORT, 'import { run } from "new";'),
  },
  "a build that gets on": {
    round: 25,
    files: { "build.log": "Start\n" },
    calls: (n) => shell(`printf "[%d/99] building\\n" ${n} >> build.log; tail -n 20 build.log`),
  },
  "searches that find": {
    round: 50,
    files: { "a.txt": TEXT },
    calls: (n) => ["search_files", { pattern: word(n * 3) }],
  },
  "a bisection": {
    round: 20,
    files: { "left.txt": "512\n" },
    calls: (n) =>
      n % 2 === 0
        ? shell("sh -c 'n=$(cat left.txt); echo $((n / 2)) > left.txt; echo \"Bisecting: $n revisions left\"'")
        : shell("sh -c 'echo FAIL; exit 1'"),
  },
  "packages that are installed": {
    round: 20,
    calls: (n) => shell(`sh -c 'echo added 1 package in 2s' ${word(n)}`),
  },
  "a table that grows by rows": {
    round: 40,
    calls: (n) => ["append_to_file", { filename: "table.csv", contents: `${n},${n * n}\n` }],
  },
  "errors that are fixed in one file": {
    round: 24,
    files: {
      "a.c": range(12)
        .map((n) => `int f${n}() { retrun ${n}; }`)
        .join("\n"),
      "cc.sh": "grep -n -m1 retrun a.c && exit 1; echo ok",
    },
    calls: (n) =>
      n % 2 === 0 ? shell("sh cc.sh") : edit("a.c", `int f${(n - 1) / 2}() { retrun`, `int f${(n - 1) / 2}() { return`),
  },
  "40 pages of one site": {
    round: 40,
    calls: (n) => ["browse_website", { url: `https://example.com/p${n}` }],
  },
  "a document that is rewritten and grows": {
    round: 30,
    calls: (n) =>
      write(
        "doc.md",
        range(n + 1)
          .map((part) => `# Part ${part}\n`)
          .join("\n"),
      ),
  },
  "comments for 30 functions": {
    round: 30,
    files: {
      "a.js": range(30)
        .map((n) => `function f${n}() {}`)
        .join("\n"),
    },
    calls: (n) => edit("a.js", `function f${n}() {}`, `// Does ${word(n)}.\nfunction f${n}() {}`),
  },
  "comments that are translated": {
    round: 25,
    files: {
      "a.js": range(25)
        .map((n) => `// Macht ${word(n)}.\nf(${n});`)
        .join("\n"),
    },
    calls: (n) => edit("a.js", `// Macht ${word(n)}.`, `// Makes ${word(n)}.`),
  },
  "silent programs for one file after the other": {
    round: 20,
    files: filled(
      20,
      (n) => `f${n}.txt`,
      () => "old\n",
    ),
    calls: (n) => shell(`sed -i.bak s/old/new/ f${n}.txt`),
  },
  "a long file, page by page": {
    round: 20,
    files: { "a.txt": TEXT },
    calls: (n) => ["read_file", { filename: "a.txt", start_line: n * 20 + 1, end_line: n * 20 + 20 }],
  },
  "numbers, page by page": {
    round: 20,
    files: {
      "n.csv": range(2_000)
        .map((n) => `${n},${n * 7},${(0x10000000 + n * 7919).toString(16)}`)
        .join("\n"),
    },
    calls: (n) => ["read_file", { filename: "n.csv", start_line: n * 100 + 1, end_line: n * 100 + 100 }],
  },
  "a download that gets on": {
    round: 30,
    files: {
      "n.txt": "100000\n",
      "p.sh": 'n=$(($(cat n.txt) + 51234)); echo $n > n.txt; echo "got $n bytes of 2000000"',
    },
    calls: () => shell("sh p.sh"),
  },
  "folders that a program lists": {
    round: 20,
    files: filled(
      20,
      (n) => `m${n}/index.ts`,
      () => "x",
    ),
    calls: (n) => shell(`ls m${n}`),
  },
  "questions with answers": { round: 15, calls: (n) => ["ask_user", { question: "?".repeat(n + 1) }] },
  "a number that is tuned": {
    round: 24,
    files: { "rate.txt": "rate = 0\n" },
    calls: (n) =>
      n % 2 === 0 ? write("rate.txt", `rate = ${n}\n`) : shell("echo accuracy is $(cat rate.txt | tr -dc 0-9)%"),
  },
  "the same line that is deleted in many files": {
    round: 30,
    files: filled(
      30,
      (n) => `f${n}.ts`,
      (n) => `${IMPORT}\nconst a = ${n};\n`,
    ),
    calls: (n) => edit(`f${n}.ts`, `${IMPORT}\n`, ""),
  },
  "new files with texts of their own": {
    round: 30,
    calls: (n) => write(`case${n}.json`, `{ "id": ${n} }\n`),
  },
  "agents for parts of the work": {
    round: 20,
    calls: (n) => ["start_agent", { name: `a${n}`, task: `Part ${"I".repeat(n)}` }],
  },
  "reads, a miss and then the edit": {
    round: 48,
    files: filled(
      12,
      (n) => `f${n}.ts`,
      (n) => `const a${n} = 1;\n`,
    ),
    calls: (n) => {
      const filename = `f${Math.floor(n / 4)}.ts`;
      const [from, to] = [`const a${Math.floor(n / 4)} = 1;`, "const b = 2;"];
      return listed(
        ["read_file", { filename }],
        edit(filename, "let a", to),
        ["git_status", {}],
        edit(filename, from, to),
      )(n);
    },
  },
};

/** The command lines of the plays are for a POSIX shell. */
function skipUnlessReadable({ calls }: Play, round = 1): void {
  if (range(round).some((index) => calls(index)[0].startsWith("execute_")))
    skipWithout("a POSIX shell and its programs");
}

describe("a run that gets no further", () => {
  for (const [name, { round = 1, ...loop }] of Object.entries(LOOPS))
    it(`is warned by the fifth repetition and is stuck by the twelfth: ${name}`, async () => {
      skipUnlessReadable(loop, round);
      const { remarked = 99, stuck = 99 } = await play(loop, round + 30);
      assert.deepEqual(
        { isRemarked: remarked <= round + 5 || remarked, isStuck: stuck <= round + 12 || stuck },
        { isRemarked: true, isStuck: true },
      );
    });
});

describe("a long run that gets further", () => {
  for (const [name, run] of Object.entries(HONEST))
    it(`is neither remarked on nor stopped: ${name}`, async () => {
      skipUnlessReadable(run, run.round);
      const { remarked, stuck } = await play(run, run.round, { honest: true });
      assert.deepEqual({ remarked, stuck }, { remarked: undefined, stuck: undefined });
    });
});

describe("the memory of the loop guard", () => {
  const looked = (step: number, output: string): StepView => ({
    ...{ step, at: "", stage: "ended", recalled: [] },
    reply: {
      kind: "proposal",
      thoughts: NO_THOUGHTS,
      call: { name: "search_files", args: { pattern: `${step}x` } },
    },
    outcome: { status: "done", output },
  });
  const steps = range(60).map((step) => looked(step, `Nothing contains "${step}x".`));

  it("counts the same in a run that is read from its log", () => {
    const live = range(14).map((end) => findLoop(steps.slice(0, end)));
    const again = range(14).map((end) => findLoop(structuredClone(steps.slice(0, end))));
    assert.deepEqual([again, again.at(-1)?.kind], [live, "pause"]);
  });

  it("finds the same with all that a state holds of a longer run", () => {
    assert.deepEqual(findLoop(steps.slice(-RECENT_STEPS))?.kind, "pause");
  });
});
