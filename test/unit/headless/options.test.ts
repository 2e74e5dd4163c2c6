import assert from "node:assert/strict";
import { readOptions } from "../../../src/headless/options.ts";
import { UsageError } from "../../../src/headless/usage-error.ts";
import { readRecallSettings } from "../../../src/memory/recall/recall-settings.ts";
import { readAwaySettings } from "../../../src/services/settings.ts";

const BASE = { INIT_CWD: "/home/ann" };
const SETTINGS = {
  ...readAwaySettings((_name, fallback) => fallback),
  model: { contextWindow: 0 },
  agents: { max: 3 },
  memory: readRecallSettings((_name, fallback) => fallback),
};

describe("the command line", () => {
  it("may give everything", () => {
    const argv = [
      "--task",
      " Tidy. ",
      "--workspace",
      "ws",
      "--profile",
      "p.yaml",
      "--base-url",
      "http://b/v1",
      "--model",
      "m",
      "--fast-model",
      "f",
      "--continuous",
      "5",
      "--yes-to",
      "read_file, LIST_files",
      "--yes-to",
      "do_nothing,",
      "--python",
      "py",
      "--python-docker",
      "--sandbox",
      "trusted",
      "--set",
      "web.allowHosts=localhost,127.0.0.1",
      "--set",
      "autogpt.downloads.enabled=true",
      "--json",
    ];
    assert.deepEqual(
      readOptions(argv, {
        ...BASE,
        OPENAI_API_KEY: " key\n",
        OPENAI_BASE_URL: "http://other",
        GOOGLE_API_KEY: "g",
      }),
      {
        task: "Tidy.",
        workspace: "/home/ann/ws",
        profile: "/home/ann/p.yaml",
        baseUrl: "http://b/v1",
        apiKey: "key",
        model: "m",
        fastModel: "f",
        continuous: 5,
        yesTo: ["read_file", "list_files", "do_nothing"],
        json: true,
        sandbox: "trusted",
        python: { interpreter: "py", useDocker: true },
        settings: {
          ...SETTINGS,
          web: { ...SETTINGS.web, allowHosts: ["localhost", "127.0.0.1"] },
          downloads: { enabled: true },
        },
        keys: [{ address: "https://www.googleapis.com/customsearch/v1", key: "g" }],
      },
    );
  });

  it("may give hardly anything", () => {
    assert.deepEqual(readOptions(["--resume", "id", "--workspace", "/w"], {}), {
      resume: "id",
      workspace: "/w",
      baseUrl: "https://api.openai.com/v1",
      apiKey: "",
      continuous: 0,
      yesTo: [],
      json: false,
      sandbox: "off",
      python: { interpreter: "", useDocker: false },
      settings: SETTINGS,
      keys: [],
    });
  });
});

describe("what the command line leaves out", () => {
  it("may be an address from the environment", () => {
    const options = readOptions(["--task", "t", "--workspace", "/w"], { OPENAI_BASE_URL: " http://env/v1 " });
    assert.equal(options !== "help" && options.baseUrl, "http://env/v1");
  });

  it("may be everything but a cry for help", () => assert.equal(readOptions(["--help"], {}), "help"));
});

describe("a command line that asks for nothing that can be done", () => {
  const bad: [string[], RegExp][] = [
    [[], /^Say what the agent shall do with --task, or name a run/],
    [["--task", " ", "--workspace", "/w"], /^The task is empty/],
    [["--task", "t"], /^Name the folder the agent shall work in with --workspace/],
    [
      ["--task", "t", "--workspace", "/w", "--continuous", "0"],
      /^--continuous takes a number of commands above 0, not "0"/,
    ],
    [["--task", "t", "--workspace", "/w", "--continuous", "many"], /not "many"/],
    [
      ["--task", "t", "--workspace", "/w", "--sandbox", "strict"],
      /^--sandbox takes off, confined, trusted, not "strict"/,
    ],
    [["--resume", "id", "--workspace", "/w", "--profile", "p"], /^A stored run keeps its profile/],
    [["--task", "t", "--workspace", "/w", "--colour"], /--colour/],
    [["--task"], /--task/],
    [["tidy up"], /tidy up/],
  ];
  for (const [argv, message] of bad) {
    it(`is refused with a sentence: ${argv.join(" ")}`, () =>
      assert.throws(
        () => readOptions(argv, {}),
        (error) => error instanceof UsageError && message.test(error.message),
      ));
  }
});
