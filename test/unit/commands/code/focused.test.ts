import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OnlineServices } from "../../../../src/commands/web/services.ts";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { type Model, ModelError } from "../../../../src/core/ports/model.ts";
import { type Answer, FakeModel } from "../../../support/fake-model.ts";
import { type PlantedBench, plantedBenches } from "../../../support/planted-bench.ts";
import type { Tree } from "../../../support/trees.ts";

describe("commands that have a model look at code", () => {
  const planted = plantedBenches();

  async function benched(
    tree: Tree,
    answers: readonly Answer[],
    contextWindow = 32_000,
  ): Promise<PlantedBench & { readonly model: FakeModel }> {
    const model = new FakeModel(answers, ["text"], contextWindow);
    const services = { getFastModel: async (): Promise<Model> => model } as OnlineServices;
    return { ...(await planted(tree, { services })), model };
  }

  it("review a file, and count what that costs", async () => {
    const { bench, model, folder } = await benched({ "a.js": "let x = 1\n" }, [
      { text: "x is never used.", usage: { input: 50, output: 5 } },
    ]);
    const prepared = await bench.prepare("evaluate_code", { file: "a.js", focus: ["names", "speed"] });
    assert.ok(isPrepared(prepared));
    const outcome = await bench.run(prepared);
    const { effect, preview, touches } = prepared;
    assert.deepEqual(
      {
        effect,
        preview,
        touches,
        outcome,
        recorded: bench.recorded,
        asked: model.requests[0]?.messages[1]?.content,
      },
      {
        effect: "read",
        preview: {
          kind: "details",
          text: 'Have the fast model review "a.js", above all:\n- names\n- speed',
        },
        touches: [{ path: join(folder, "a.js"), how: "read" }],
        outcome: { status: "done", output: "x is never used." },
        recorded: [
          {
            type: "spent",
            on: "analyze_code",
            model: "fake",
            usage: { input: 50, output: 5 },
            costUsd: 0.001,
          },
        ],
        asked: 'This is "a.js".\n<<<CODE\nlet x = 1\n\nCODE>>>\n\nWhat is wanted:\n- names\n- speed',
      },
    );
  });

  it("show code that is given with the call whole", async () => {
    const { bench } = await benched({}, [{ text: "Fine." }]);
    const { preview, outcome } = await bench.try("analyze_code", { code: "let x" });
    assert.deepEqual(
      [preview, outcome],
      [
        { kind: "details", text: "Have the fast model review the code.\n\nlet x" },
        { status: "done", output: "Fine." },
      ],
    );
  });

  it("propose an improvement as a change that is reviewed as a diff", async () => {
    const reply = "Better names.\n```js\nlet count = 1\n```";
    const { bench, folder } = await benched({ "a.js": "let x = 1\r\n" }, [{ text: reply }]);
    const first = await bench.call("improve_code", { filename: "a.js", suggestions: "better names" });
    const { preview, outcome } = await bench.try("improve_code", { filename: "a.js", apply: 1 });
    assert.deepEqual(
      [first, preview, outcome],
      [
        {
          status: "done",
          output: `${reply}\n\n[To propose this as a change call improve_code with filename "a.js" and apply 1.]`,
        },
        {
          kind: "change",
          file: "a.js",
          target: join(folder, "a.js"),
          before: "let x = 1\r\n",
          after: "let count = 1\r\n",
        },
        { status: "done", output: 'Changed "a.js" as found in step 1.' },
      ],
    );
  });

  it("propose no improvement of a file that is another one by now", async () => {
    const { bench, folder } = await benched({ "a.js": "let x = 1\n" }, [{ text: "```\nlet y\n```" }]);
    await bench.call("improve_code", { filename: "a.js" });
    await writeFile(join(folder, "a.js"), "let z = 22\n");
    assert.deepEqual(await bench.call("improve_code", { filename: "a.js", apply: 1 }), {
      status: "failed",
      error: '"a.js" has changed since step 1 read it. Ask for the text again.',
    });
  });

  it("write tests, and propose them as a file", async () => {
    const reply = "Tests of add.\n```js\ntest('adds')\n```";
    const { bench, folder } = await benched({ "a.js": "let x = 1\n" }, [{ text: reply }]);
    await bench.call("write_tests", { code: "let x", focus: ["edges"] });
    const { preview, outcome } = await bench.try("write_tests", { target: "test/a.test.js", apply: 1 });
    assert.deepEqual(
      [preview, outcome],
      [
        {
          kind: "change",
          file: "test/a.test.js",
          target: join(folder, "test/a.test.js"),
          after: "test('adds')\n",
        },
        { status: "done", output: 'Created "test/a.test.js" as found in step 1.' },
      ],
    );
  });

  for (const [name, args, error] of [
    ["analyze_code", {}, 'Give either "filename" or "code", one of them.'],
    ["analyze_code", { code: "x", filename: "a.js" }, 'Give either "filename" or "code", one of them.'],
    ["analyze_code", { code: "  " }, "The code is empty."],
    ["analyze_code", { filename: "b.js" }, 'There is no file "b.js". Nearest: "a.js".'],
    ["analyze_code", { filename: "empty.js" }, '"empty.js" is empty.'],
    ["improve_code", { apply: 1 }, 'The argument "filename" is missing: the file to change.'],
    [
      "improve_code",
      { filename: "a.js", apply: 9 },
      "No text of step 9 is kept. Generate it again, or write it with write_to_file.",
    ],
    [
      "write_tests",
      { apply: 9 },
      '"target" and "apply" go together: the file for the tests, and the step that wrote them.',
    ],
  ] as const)
    it(`say what is wrong with ${name} ${JSON.stringify(args)}`, async () => {
      const { bench } = await benched({ "a.js": "let x\n", "empty.js": "" }, [{ text: "" }]);
      assert.deepEqual(await bench.call(name, args), { status: "failed", error });
    });

  it("say so when the model cannot answer, has nothing to say, or cannot look at so much", async () => {
    const gone = await benched({}, [new ModelError("busy", "The server is busy. Try again later.")]);
    const silent = await benched({}, [{ text: " " }]);
    const small = await benched({}, [{ text: "x" }], 100);
    const outcomes = [
      await gone.bench.call("analyze_code", { code: "x" }),
      await silent.bench.call("analyze_code", { code: "x" }),
      await small.bench.call("analyze_code", { code: "x".repeat(1000) }),
    ];
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === "failed" ? outcome.error : outcome)),
      [
        "The model could not look at the code: The server is busy. Try again later.",
        "The model had nothing to say about the code. Ask in another way.",
        "The code is longer than the model can look at in one piece. Give a part of it as code.",
      ],
    );
  });
});
