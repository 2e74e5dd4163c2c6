import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isEvalReport } from "../../../src/schema/host-validators.ts";
import { fakeModelServer, refusal, saying } from "../../../test/support/fake-model-server.ts";
import { calling, type ProgramRun, runProgram } from "../../../test/support/headless.ts";
import { tempFolders } from "../../../test/support/temp-folders.ts";

describe("autogpt eval", function () {
  this.timeout(90_000);
  const newFolder = tempFolders();
  let place: string;

  beforeEach(async () => {
    place = await newFolder();
  });

  async function evaluate(line: string, signal?: AbortSignal): Promise<ProgramRun> {
    const setting = { baseUrl: "http://127.0.0.1:1/v1", workspace: place, data: join(place, "data") };
    return runProgram({ ...setting, ...(signal ? { signal } : {}) }, "eval", ...line.split(" "));
  }

  async function report(folder: string) {
    const read: unknown = JSON.parse(await readFile(join(place, folder, "results.json"), "utf8"));
    assert.ok(isEvalReport(read));
    return read;
  }

  it("has five tasks done by the oracle, and writes a report with their logs", async () => {
    const { code, stdout } = await evaluate("--suite small --player oracle --count 5 --report out");

    const { results } = await report("out");
    const logs = await readdir(join(place, "out", "runs"));
    assert.deepEqual(
      {
        code,
        passed: results.filter(({ passed }) => passed).length,
        logs: logs.sort(),
        table: /^all +5\/5 /m.test(stdout),
        page: (await readFile(join(place, "out", "index.html"), "utf8")).includes("5 of 5 runs"),
      },
      { code: 0, passed: 5, logs: results.map(({ log }) => log.slice(5)).sort(), table: true, page: true },
    );
  });

  for (const format of ["tools", "jsonSchema", "text"])
    it(`has five tasks done although 40% of the replies are spoiled: ${format}`, async () => {
      const { code } = await evaluate(
        `--suite robust --player oracle --spoil 0.4 --count 5 --report out --set model.replyFormat=${format}`,
      );

      const { results } = await report("out");
      const [replies, steps] = (["replies", "steps"] as const).map((name) =>
        results.reduce((sum, result) => sum + result[name], 0),
      );
      assert.deepEqual(
        { code, passed: results.map(({ passed }) => passed), steps, wasSpoiled: (replies ?? 0) > 26 },
        { code: 0, passed: [true, true, true, true, true], steps: 26, wasSpoiled: true },
      );
    });

  for (const strategy of ["react", "tasks"])
    it(`has five tasks done although 40% of the replies are spoiled, by another strategy: ${strategy}`, async () => {
      const { code } = await evaluate(
        `--suite robust --player oracle --spoil 0.4 --count 5 --report out --strategy ${strategy}`,
      );

      const written = await report("out");
      const plans = await Promise.all(written.results.map(({ log }) => readFile(join(place, "out", log), "utf8")));
      assert.deepEqual(
        {
          code,
          strategy: written.strategy,
          passed: written.results.filter(({ passed }) => passed).length,
          steps: written.results.reduce((sum, { steps }) => sum + steps, 0),
          planned: plans.filter((log) => log.includes('"byPlanner":true')).length,
        },
        { code: 0, strategy, passed: 5, steps: 26, planned: strategy === "tasks" ? 5 : 0 },
      );
    });

  it("keeps a player that obeys injections from all that they ask for", async () => {
    const { code } = await evaluate(
      "--suite safety --player obedient --task page-secret --task page-hook --task file-secret --report out",
    );

    const { results } = await report("out");
    assert.deepEqual(
      { code, results: results.map(({ passed, refused }) => [passed, refused > 0]) },
      { code: 0, results: Array.from({ length: 3 }, () => [true, true]) },
    );
  });

  it("says that runs failed with its exit code", async () => {
    const { code, stdout } = await evaluate("--suite small --player oracle --task sum --set run.maxSteps=1");

    assert.deepEqual([code, /1 limit of steps/.test(stdout)], [2, true]);
  });

  it("gives up when no reply comes, and keeps the report", async () => {
    const server = await fakeModelServer(refusal(401, "That key is wrong."));

    const { code, stderr } = await evaluate(
      `--suite small --report out --model m --base-url ${server.baseUrl} --set model.contextWindow=16000`,
    );

    await server.close();
    const { results, isPartial } = await report("out");
    assert.deepEqual(
      {
        code,
        isPartial,
        some: results.length >= 3 && results.length < 6,
        said: /No reply came in the first/.test(stderr),
      },
      { code: 4, isPartial: true, some: true, said: true },
    );
  });

  it("stops runs that take too long, and measures the others all the same", async () => {
    const server = await fakeModelServer({ pieces: [], headersHang: true });

    const { code } = await evaluate(
      `--suite small --count 4 --timeout 1 --report out --model m --base-url ${server.baseUrl} --set model.contextWindow=16000`,
    );

    await server.close();
    const { results } = await report("out");
    assert.deepEqual([code, results.map(({ end }) => end)], [2, Array.from({ length: 4 }, () => "timedOut")]);
  });

  it("stops in good order and reports what was done until then", async () => {
    const stopping = new AbortController();
    const ended = evaluate("--suite small --player oracle --jobs 1 --report out", stopping.signal);
    const logs = join(place, "out", "runs");
    while ((await readdir(logs).catch(() => [])).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));

    stopping.abort();

    const { code } = await ended;
    const { results, isPartial } = await report("out");
    assert.deepEqual(
      { code, isPartial, some: results.length >= 2 && results.length < 25 },
      { code: 130, isPartial: true, some: true },
    );
  });

  it("lists suites and tasks", async () => {
    const { code, stdout } = await evaluate("--list --suite small");

    assert.deepEqual(
      [code, stdout.split("\n").slice(0, 3)],
      [
        0,
        [
          "small: 25 tiny tasks of one to three steps, which a very small model could do",
          "  create",
          "  create-number",
        ],
      ],
    );
  });

  it("compares two reports", async () => {
    await evaluate("--suite small --player oracle --task sum --report one");
    await evaluate("--suite small --player oracle --task sum --report two --set run.maxSteps=1");

    const { code, stdout } = await evaluate("--compare one two --report both");

    assert.deepEqual(
      [code, /^sum +100% → 0%/m.test(stdout), await readdir(join(place, "both"))],
      [0, true, ["index.html"]],
    );

    const again = await evaluate("--compare one two --report one");

    assert.deepEqual([again.code, /has a report already/.test(again.stderr)], [4, true]);
  });

  it("puts the model alone beside the agent, in all forms of the report", async () => {
    const server = await fakeModelServer(({ body }) =>
      body.tools
        ? calling("task_complete", { reason: "Done." })
        : saying("File: answer.txt\n```\n42\n```\n\nFile: hello.txt\n```\nHello, world!\n```\n"),
    );

    const { code, stdout } = await evaluate(
      `--suite small --task create --task create-number --compare alone --report out --model m --base-url ${server.baseUrl} --set model.contextWindow=16000`,
    );

    await server.close();
    const { results, alone = [] } = await report("out");
    const page = await readFile(join(place, "out", "index.html"), "utf8");
    const [first] = alone;
    assert.deepEqual(
      {
        code,
        ours: results.map(({ passed }) => passed),
        alone: alone.map(({ passed, end, log }) => [passed, end, log]),
        tokens: [first?.input, first?.output, (first?.firstTextSeconds ?? 0) > 0],
        table: /^the model alone +2 of 2 +2 .* 15 /m.test(stdout) && /^the agent +0 of 2 +2 /m.test(stdout),
        tasks: /^create +100% → 0%/m.test(stdout),
        page: ["Beside the model alone", "2 of 2", "runs/create-1-alone.jsonl"].filter((text) => page.includes(text))
          .length,
      },
      {
        ...{ code: 2, ours: [false, false], table: true, tasks: true, page: 3 },
        alone: [
          [true, "finished", "runs/create-1-alone.jsonl"],
          [true, "finished", "runs/create-number-1-alone.jsonl"],
        ],
        tokens: [12, 3, true],
      },
    );
  });

  const problems: readonly (readonly [string, RegExp])[] = [
    ["--suite small --player oracle --task nope", /no task "nope"/],
    ["--suite small --player oracle --report used", /has a report already/],
    ["--suite small --player oracle --report site", /has index\.html, which a report would overwrite/],
    ["--compare nowhere used", /There is no report in .*nowhere/],
    ["--compare used used", /isn't a report of this version/],
    ["--suite nope", /There is no suite "nope"[\s\S]*--help/],
  ];
  for (const [line, message] of problems)
    it(`says what is wrong with ${line}`, async () => {
      await mkdir(join(place, "used"));
      await writeFile(join(place, "used", "results.json"), "{}");
      await mkdir(join(place, "site"));
      await writeFile(join(place, "site", "index.html"), "mine");

      const { code, stderr } = await evaluate(line);

      assert.equal(code, 4);
      assert.match(stderr, message);
    });
});
