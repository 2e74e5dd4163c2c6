import assert from "node:assert/strict";
import { readEvalOptions } from "../src/eval-options.ts";

const ENV = { INIT_CWD: "/work" };

describe("the command line of eval", () => {
  it("may give everything", () => {
    const argv = [
      ...["--suite", "small", "--model", "mine", "--base-url", "http://localhost:1/v1", "--runs", "3"],
      ...["--report", "out", "--jobs", "4", "--seed", "7", "--task", "copy", "--task", "list", "--count", "5"],
      ...["--packages", "lib", "--timeout", "60", "--keep", "--player", "oracle", "--spoil", "0.4"],
      ...["--strategy", "react"],
      ...["--set", "model.replyFormat=text"],
    ];

    assert.deepEqual(readEvalOptions(argv, ENV), {
      ...{ kind: "measure", suite: "small", only: ["copy", "list"], runs: 3, jobs: 4, seed: 7, count: 5 },
      ...{ report: "/work/out", packages: "/work/lib", timeoutSeconds: 60, keep: true },
      ...{ player: "oracle", strategy: "react", spoil: 0.4 },
      sources: {
        env: ENV,
        set: ["model.replyFormat=text"],
        flags: { "model.baseUrl": "http://localhost:1/v1", "model.smart": "mine" },
      },
    });
  });

  it("may give a suite alone", () => {
    assert.deepEqual(readEvalOptions(["--suite", "robust"], ENV), {
      ...{ kind: "measure", suite: "robust", only: [], runs: 1, jobs: 2, seed: 1 },
      ...{ timeoutSeconds: 900, keep: false, spoil: 0, sources: { env: ENV, set: [], flags: {} } },
    });
  });

  it("may have the model alone do the tasks of a suite, too", () => {
    const request = readEvalOptions(["--suite", "robust", "--compare", "alone"], ENV);

    assert.deepEqual([request.kind, "alone" in request && request.alone], ["measure", true]);
  });

  it("may ask for a list, a comparison or help", () => {
    const requests = [
      ["--list"],
      ["--compare", "a", "/b", "--report", "c"],
      ["--compare", "alone", "b"],
      ["--suite", "x", "-h"],
    ];

    assert.deepEqual(
      requests.map((argv) => readEvalOptions(argv, ENV)),
      [
        { kind: "list", seed: 1 },
        { kind: "compare", before: "/work/a", after: "/b", report: "/work/c" },
        { kind: "compare", before: "/work/alone", after: "/work/b" },
        { kind: "help" },
      ],
    );
  });

  const wrong: readonly (readonly [string, RegExp])[] = [
    ["", /Name the tasks with --suite/],
    ["--suite smal", /no suite "smal". Did you mean small\?/],
    ["--suite small --runs 0", /--runs takes a whole number from 1, not "0"/],
    ["--suite small --jobs two", /--jobs takes a whole number/],
    ["--suite small --spoil 0.4", /--spoil works with --player only/],
    ["--suite small --player oracle --spoil 1", /share from 0 to less than 1/],
    ["--suite small --player human", /--player takes oracle or obedient/],
    ["--suite small --workspace .", /--workspace has no meaning for eval/],
    ["--suite small stranger", /"stranger" belongs to no flag/],
    ["--compare a", /--compare takes two folders/],
    ["--suite small --compare a", /--compare takes two folders[\s\S]*--compare alone/],
    ["--compare alone", /Name the tasks with --suite/],
    ["--suite small --compare alone --player oracle", /measures a model. Leave out --player/],
  ];
  for (const [line, message] of wrong)
    it(`is refused with a sentence: ${line}`, () => {
      assert.throws(() => readEvalOptions(line.split(" ").filter(Boolean), ENV), message);
    });
});
