import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { listNotAgreed, rememberAgreements } from "../../../../src/fleet/known-places.ts";
import { hashAttempts, readAttempts, type TaskDefaults } from "../../../../src/headless/batch/batch-tasks.ts";
import { createRateSettings, parseRate } from "../../../../src/headless/batch/rates.ts";
import type { OpenPlace } from "../../../../src/headless/fleet/open-place.ts";
import { demandConsent } from "../../../../src/headless/fleet/send-consent.ts";
import { runProgram } from "../../../support/headless.ts";
import { PlayedFleet } from "../../../support/played-fleet.ts";
import { makeRepository } from "../../../support/repositories.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const DEFAULTS: TaskDefaults = {
  ways: undefined,
  models: [],
  settings: {},
  resolveFolder: async (path = "/work") => path,
};

async function* streamOf(...chunks: readonly (string | Buffer)[]): AsyncGenerator<string | Buffer> {
  yield* chunks;
}

const read = (text: string, more: Partial<TaskDefaults> = {}) =>
  readAttempts("tasks.jsonl", streamOf(text), { ...DEFAULTS, ...more });

describe("the tasks of a batch", () => {
  it("are read with a byte order mark, carriage returns, empty lines and cut characters", async () => {
    const bytes = Buffer.from('\uFEFF{"task":"Fix the ü"}\r\n\r\n{"task":"Two\u2028lines","name":"two"}');
    const attempts = await readAttempts("x", streamOf(bytes.subarray(0, 24), bytes.subarray(24)), DEFAULTS);
    assert.deepEqual(
      attempts.map(({ key, name, task }) => ({ key, name, task })),
      [
        { key: "1.1", name: "line 1", task: "Fix the ü" },
        { key: "3.1", name: "two", task: "Two\u2028lines" },
      ],
    );
  });

  it("are read in the UTF-16 that an older PowerShell writes", async () => {
    const bytes = Buffer.from('\uFEFF{"task":"Fix the ü"}\r\n{"task":"Two"}\r\n', "utf16le");
    const attempts = await readAttempts("x", streamOf(bytes.subarray(0, 25), bytes.subarray(25)), DEFAULTS);
    assert.deepEqual(
      attempts.map(({ key, task }) => [key, task]),
      [
        ["1.1", "Fix the ü"],
        ["2.1", "Two"],
      ],
    );
  });

  it("become one attempt for each way, with the models in turn", async () => {
    const attempts = await read('{"task":"A","ways":3,"models":["one","two@x"]}\n{"task":"B"}', { models: ["three"] });
    assert.deepEqual(
      attempts.map(({ key, settings }) => [key, settings["model.smart"]]),
      [
        ["1.1", "one"],
        ["1.2", "two@x"],
        ["1.3", "one"],
        ["2.1", "three"],
      ],
    );
  });

  it("are refused as a whole, with each bad line and what is wrong with it", async () => {
    const lines = [
      '{"task":"Good"}',
      "not JSON",
      '{"task":" "}',
      '{"task":"A","folder":"x"}',
      '{"task":"A","ways":99}',
      '{"task":"A","settings":{"shell.sandbox":"off"}}',
      '{"task":"A","settings":{"no.such":1}}',
      '{"task":"A","settings":{"run.maxSteps":"many"}}',
      '{"task":"Good"}',
    ];
    const error = await read(lines.join("\n")).catch((thrown: Error) => thrown);
    const said = error instanceof Error ? error.message.split("\n") : [];
    assert.deepEqual(
      said.map((line) => line.slice(0, 42)),
      [
        "tasks.jsonl can't be used, so nothing was ",
        "  line 2: it isn't a JSON object. Write it",
        '  line 3: "task" and "name" (one line, at ',
        '  line 4: "folder" means nothing here. Kno',
        '  line 5: "task" and "name" (one line, at ',
        "  line 6: the setting shell.sandbox isn't ",
        "  line 7: there is no setting no.such.",
        "  line 8: run.maxSteps takes a whole numbe",
        "  line 9: it has the task or the name of l",
      ],
    );
  });

  it("name line 400 of 10,000, and are read quickly where all are good", async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => JSON.stringify({ task: `Task ${at}` }));
    const good = await read(lines.join("\n"));
    const bad = await read(lines.with(399, "{").join("\n")).catch((thrown: Error) => thrown);
    assert.deepEqual(
      { good: good.length, bad: bad instanceof Error ? bad.message.split("\n")[1]?.slice(0, 11) : "" },
      { good: 10_000, bad: "  line 400:" },
    );
  });

  it("are recognized as the same batch by all that is sent", async () => {
    const [one, same, other] = await Promise.all([
      read('{"task":"A"}'),
      read('{"task":"A"}\n'),
      read('{"task":"A","settings":{"run.maxSteps":4}}'),
    ]);
    assert.deepEqual(
      [hashAttempts(same) === hashAttempts(one), hashAttempts(other) === hashAttempts(one)],
      [true, false],
    );
  });
});

describe("rates of a batch", () => {
  it("are divided among the runs at once, by the provider in the name of the model", () => {
    const rates = ["60/min", "openai=30", "anthropic=90000tokens/min"].map(parseRate);
    assert.deepEqual(
      [
        createRateSettings(rates, 4, { "model.smart": "gpt-5@openai" }),
        createRateSettings(rates, 4, { "model.smart": "x@other" }),
        createRateSettings(rates, 4, {}),
      ],
      [
        { "model.requestsPerMinute": 7.5 },
        { "model.requestsPerMinute": 15 },
        { "model.requestsPerMinute": 7.5, "model.tokensPerMinute": 22_500 },
      ],
    );
  });

  it("leave smaller ones that a task has of its own", () => {
    const rates = ["60/min", "anthropic=90000tokens/min"].map(parseRate);
    assert.deepEqual(
      [{ "model.requestsPerMinute": 5 }, { "model.requestsPerMinute": 20, "model.tokensPerMinute": 0 }].map((own) =>
        createRateSettings(rates, 4, own),
      ),
      [
        { "model.requestsPerMinute": 5, "model.tokensPerMinute": 22_500 },
        { "model.requestsPerMinute": 15, "model.tokensPerMinute": 22_500 },
      ],
    );
  });

  it("are explained when they can't be read", () => {
    assert.throws(() => parseRate("fast"), /as in --rate 60\/min/);
  });
});

describe("the command for many runs", () => {
  const tempFolder = tempFolders();

  it("says what is missing or wrong before anything is sent", async () => {
    const top = await tempFolder();
    const workspace = join(top, "work");
    makeRepository(workspace, { "note.txt": "one\n" });
    await mkdir(join(top, "plain"));
    await writeFile(
      join(workspace, "tasks.jsonl"),
      '{"task":"A","repository":"../plain"}\n{"task":"B","repository":"gone"}\n',
    );
    await writeFile(join(workspace, "empty.jsonl"), "\n");
    await writeFile(join(workspace, "good.jsonl"), '{"task":"A"}\n');
    const call = async (...argv: readonly string[]): Promise<string> => {
      const { stderr } = await runProgram({ baseUrl: "", workspace, data: join(top, "data") }, "fleet", "run", ...argv);
      return stderr.split("\n\n")[0]?.trim().replaceAll(top, "TOP") ?? "";
    };
    const to = ["--on", "ssh:box", "--report", "out"];
    assert.deepEqual(
      {
        none: await call(),
        place: await call("good.jsonl"),
        report: await call("good.jsonl", "--on", "ssh:box"),
        file: await call("no.jsonl", ...to),
        empty: (await call("empty.jsonl", ...to)).slice(0, 28),
        folders: await call("tasks.jsonl", ...to),
        count: await call("good.jsonl", "--ways", "9", ...to),
        budget: await call("good.jsonl", "--budget", "much", ...to),
        consent: (await call("good.jsonl", ...to)).split("\n").at(-1),
      },
      {
        none: "Name one file with tasks: fleet run TASKS.",
        place: "Name the place for the runs: --on ssh:HOST or --on temporal://HOST:7233.",
        report: "Name a folder for the state of the batch and its report: --report DIR.",
        file: "There is no file no.jsonl that can be read.",
        empty: "empty.jsonl has no task. Wri",
        folders:
          "tasks.jsonl can't be used, so nothing was sent:\n  line 1: TOP/plain isn't in a git repository.\n  line 2: there is no folder TOP/work/gone.",
        count: '--ways takes a number from 1 to 8, not "9".',
        budget: '--budget takes dollars above 0, not "much".',
        consent: "Nothing was sent. To send it without being asked, add --yes.",
      },
    );
  });

  it("asks for each repository, although the user has agreed to send another one there", async () => {
    const top = await tempFolder();
    const [workspace, other, data] = [join(top, "work"), join(top, "other"), join(top, "data")];
    makeRepository(workspace, { "note.txt": "one\n" });
    makeRepository(other, { "private.txt": "mine\n" });
    await rememberAgreements(data, await listNotAgreed(data, [{ place: "ssh:box", folder: workspace }]));
    await writeFile(join(workspace, "tasks.jsonl"), '{"task":"A"}\n{"task":"A","repository":"../other"}\n');
    const argv = ["fleet", "run", "tasks.jsonl", "--on", "ssh:box", "--report", "out"];
    const { code, stderr } = await runProgram({ baseUrl: "", workspace, data }, ...argv);
    const said = stderr.replaceAll(top, "TOP").split("\n");
    assert.deepEqual(
      {
        code,
        folders: said.slice(2, 4),
        refused: said.includes("Nothing was sent. To send it without being asked, add --yes."),
      },
      {
        code: 4,
        folders: ["    TOP/work (2 files, 54 bytes)", "    TOP/other (1 file, 5 bytes)"],
        refused: true,
      },
    );
  });

  it("names the repository through which each folder goes to a fleet", async () => {
    const folder = await tempFolder();
    makeRepository(folder, { "note.txt": "one\n" });
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const { signal } = new AbortController();
    const around = { stdin: Object.assign(stdin, { isTTY: false }), stdout, stderr, data: await tempFolder(), signal };
    const place: OpenPlace = {
      engine: new PlayedFleet(() => ({ costs: [] })),
      target: "a fleet",
      findRepository: async () => "https://host/tool.git",
      close: async () => undefined,
    };
    const sending = { folders: [folder], runs: 1, what: "the task", isAgreed: false };
    await demandConsent(place, sending, around).catch(() => undefined);
    const said = String(stderr.read()).replaceAll(folder, "TOP").split("\n");
    assert.equal(said[2], "    TOP (1 file, 4 bytes), through https://host/tool.git");
  });

  it("takes no folder with files of its user for its state, and changes nothing there", async () => {
    const top = await tempFolder();
    const workspace = join(top, "work");
    makeRepository(workspace, { "report.md": "mine\n" });
    await writeFile(join(top, "file"), "");
    await writeFile(join(top, "tasks.jsonl"), '{"task":"A"}\n');
    const call = async (report: string): Promise<string> => {
      const argv = ["fleet", "run", "../tasks.jsonl", "--on", "ssh:box", "--report", report];
      const { stderr } = await runProgram({ baseUrl: "", workspace, data: join(top, "data") }, ...argv);
      return stderr.split("\n\n")[0]?.trim().replaceAll(top, "TOP") ?? "";
    };
    assert.deepEqual(
      { own: await call("."), empty: await call(""), file: await call("../file"), left: await readdir(workspace) },
      {
        own: "TOP/work has other files, such as .git. Name a new folder with --report, for the batch alone.",
        empty: "Name a folder for the state of the batch and its report: --report DIR.",
        file: "--report takes a folder that can be written, not TOP/file: EEXIST: file already exists, mkdir 'TOP/file'",
        left: [".git", "report.md"],
      },
    );
  });
});
