import assert from "node:assert/strict";
import { type RunOptions, readOptions } from "../../../src/headless/options.ts";
import { UsageError } from "../../../src/headless/usage-error.ts";

const BASE = { INIT_CWD: "/home/ann" };
const NEW = ["--task", "t", "--workspace", "/w"];

function read(...argv: readonly string[]): RunOptions {
  const options = readOptions(argv, BASE);
  if (options === "help") throw new Error("Nobody asked for help.");
  return options;
}

function settingsOf(...argv: readonly string[]): RunOptions["sources"]["flags"] {
  return read(...NEW, ...argv).sources.flags;
}

describe("the command line", () => {
  it("may give everything", () => {
    const env = { ...BASE, OPENAI_API_KEY: " key\n" };
    const argv = [
      ...["--task", " Tidy. ", "--workspace", "ws", "--profile", "p.yaml", "--prompt-settings", "s.yaml"],
      ...["--base-url", "http://b/v1", "--model", "m", "--fast-model", "f", "--continuous", "5"],
      ...["--yes-to", "read_file, LIST_files", "--yes-to", "do_nothing,", "--python", "py"],
      ...["--python-docker", "--sandbox", "trusted", "--set", "web.allowHosts=localhost"],
      ...["--set", "autogpt.downloads.enabled=true", "--settings", "mine.json", "--json", "--plan"],
      ...["--draft", "--gpt4only", "--ai-name", "Ann", "--ai-role", "a tidier"],
      ...["--picture", "a.png", "--picture", "/tmp/b.gif"],
    ];
    assert.deepEqual(readOptions(argv, env), {
      task: "Tidy.",
      workspace: "/home/ann/ws",
      profile: {
        file: "/home/ann/p.yaml",
        name: "Ann",
        role: "a tidier",
        goals: [],
        reuse: false,
        draft: true,
      },
      promptSettings: "/home/ann/s.yaml",
      pictures: ["/home/ann/a.png", "/tmp/b.gif"],
      plugins: [],
      yesTo: ["read_file", "list_files", "do_nothing"],
      plan: true,
      isolated: false,
      accept: false,
      takeOver: false,
      onlyModel: "smart",
      json: true,
      speak: false,
      env,
      remarks: [],
      sources: {
        env,
        file: "/home/ann/mine.json",
        set: ["web.allowHosts=localhost", "autogpt.downloads.enabled=true"],
        flags: {
          "model.baseUrl": "http://b/v1",
          "model.smart": "m",
          "model.fast": "f",
          "shell.sandbox": "trusted",
          "python.interpreter": "py",
          "python.useDocker": true,
          "run.continuous": true,
          "run.continuousLimit": 5,
        },
      },
    });
  });

  it("may be a command of one's own, with its inputs and an agent", () => {
    const given = ["-w", "/app", "--agent", "reviewer", "--input", "module=a=b", "/fix 12", "quickly"];
    const options = readOptions(given, {});
    assert.ok(options !== "help");
    const { task, profile, inputs = [] } = options;
    assert.deepEqual(
      { task, agent: profile.agent, inputs: [...inputs] },
      { task: "/fix 12 quickly", agent: "reviewer", inputs: [["module", "a=b"]] },
    );
  });

  it("may give hardly anything", () =>
    assert.deepEqual(readOptions(["--resume", "id", "--workspace", "/w"], {}), {
      resume: "id",
      workspace: "/w",
      profile: { goals: [], reuse: false, draft: false },
      pictures: [],
      plugins: [],
      yesTo: [],
      plan: false,
      isolated: false,
      accept: false,
      takeOver: false,
      json: false,
      speak: false,
      env: {},
      remarks: [],
      sources: { env: {}, set: [], flags: {} },
    }));

  it("may ask for an isolated run, but not for one that plans first", () => {
    const { isolated, accept } = read(...NEW, "--isolated", "--accept");
    assert.deepEqual([isolated, accept], [true, true]);
    assert.throws(() => read(...NEW, "--isolated", "--plan"), /contradict/);
    assert.throws(() => read(...NEW, "--accept"), /only be used with --isolated/);
  });

  it("may ask for help", () =>
    assert.deepEqual([readOptions(["--help"], {}), readOptions(["-h"], {})], ["help", "help"]));

  it("needs no task where a profile has goals", () =>
    assert.deepEqual(
      [["-C", "p.yaml"], ["--ai-goal", "Tidy."], ["-y"]].map((argv) => read(...argv, "--workspace", "/w").task),
      [undefined, undefined, undefined],
    ));
});

describe("the flags of classic AutoGPT", () => {
  it("have their short and long names", () => {
    const options = read("-w", "ws", "-C", "p.yaml", "-P", "s.yaml", "-y", "--task", "t");
    assert.deepEqual(
      {
        workspace: options.workspace,
        file: options.profile.file,
        reuse: options.profile.reuse,
        prompt: options.promptSettings,
        long: read("--task", "t", "--workspace-directory", "x", "--ai-settings", "q.yaml").profile.file,
      },
      {
        workspace: "/home/ann/ws",
        file: "/home/ann/p.yaml",
        reuse: true,
        prompt: "/home/ann/s.yaml",
        long: "/home/ann/q.yaml",
      },
    );
  });

  it("map to settings", () => {
    assert.deepEqual(
      {
        alone: settingsOf("-c"),
        limit: settingsOf("--continuous", "--continuous-limit", "7"),
        short: settingsOf("-c", "-l", "7"),
        downloads: settingsOf("--allow-downloads"),
        browser: settingsOf("-b", "/usr/bin/chromium"),
        found: settingsOf("--browser-name", "chrome"),
        firefox: settingsOf("-b", "firefox"),
        memory: settingsOf("-m", "local"),
        noMemory: settingsOf("--use-memory", "no_memory"),
        debug: settingsOf("--debug"),
      },
      {
        alone: { "run.continuous": true },
        limit: { "run.continuous": true, "run.continuousLimit": 7 },
        short: { "run.continuous": true, "run.continuousLimit": 7 },
        downloads: { "downloads.enabled": true },
        browser: { "web.browser": "/usr/bin/chromium" },
        found: { "web.browser": "auto" },
        firefox: {},
        memory: {},
        noMemory: { "memory.enabled": false },
        debug: { "log.level": "debug" },
      },
    );
  });

  it("that have nothing to do here say what replaces them", () =>
    assert.deepEqual(
      read(...NEW, ...["--skip-news", "--install-plugin-deps", "-b", "safari", "-m", "redis"]).remarks.map(
        (remark) => remark.split(/[:.]/)[0],
      ),
      [
        "safari can't be driven",
        '--use-memory takes local or none, not "redis"',
        "--skip-news does nothing",
        "--install-plugin-deps does nothing",
      ],
    ));
});

describe("a command line that asks for nothing that can be done", () => {
  const bad: [string[], RegExp][] = [
    [[], /^Say what the agent should do with --task, or name a run/],
    [["--task", " ", "--workspace", "/w"], /^The task is empty/],
    [["--task", "t"], /^Name the folder the agent should work in with --workspace/],
    [[...NEW, "--continuous", "0"], /^--continuous takes a number of commands above 0, not "0"/],
    [[...NEW, "--continuous", "-3"], /not "-3"/],
    [[...NEW, "--continuous", "many"], /not "many"/],
    [[...NEW, "-l", "5"], /^--continuous-limit can only be used with --continuous\./],
    [[...NEW, "-c", "3", "-l", "5"], /^--continuous has a number already/],
    [[...NEW, "--gpt3only", "--gpt4only"], /contradict each other/],
    [["--resume", "id", "--workspace", "/w", "--profile", "p"], /^A stored run keeps its profile/],
    [[...NEW, "--colour"], /^There is no flag --colour\.$/],
    [[...NEW, "--continous"], /^There is no flag --continous\. Did you mean --continuous\?$/],
    [["--task"], /--task/],
    [["tidy up"], /^"tidy up" is no command\. The task follows --task/],
  ];
  for (const [argv, message] of bad) {
    it(`is refused with a sentence: ${argv.join(" ")}`, () =>
      assert.throws(
        () => readOptions(argv, {}),
        (error) => error instanceof UsageError && message.test(error.message),
      ));
  }
});
