import assert from "node:assert/strict";
import type { ModelPair } from "../../../src/core/events/run.ts";
import { chooseModels } from "../../../src/headless/models.ts";
import { readOptions } from "../../../src/headless/options.ts";
import { byPath, json, serverForSuite } from "../../support/fake-model-server.ts";

const server = serverForSuite();

async function chosen(...argv: readonly string[]): Promise<readonly string[]> {
  const { smart, fast } = await models(...argv);
  return [smart.name, fast.name];
}

async function models(...argv: readonly string[]): Promise<ModelPair> {
  const options = readOptions(["--task", "t", "--workspace", "/w", ...argv], {
    OPENAI_API_KEY: "a-test-key",
  });
  if (options === "help") throw new Error("No test asks for help here.");
  return chooseModels(options);
}

describe("the models of a run without an editor", () => {
  it("are OpenAI's usual ones when nothing is said", async () =>
    assert.deepEqual(await chosen(), ["gpt-5", "gpt-5-mini"]));

  it("are the one that is named, for everything", async () =>
    assert.deepEqual(await chosen("--model", "m"), ["m", "m"]));

  it("are the two that are named", async () =>
    assert.deepEqual(await chosen("--model", "m", "--fast-model", "f"), ["m", "f"]));

  it("are the first that another server offers", async () => {
    server().plan(
      json(200, {
        object: "list",
        data: [
          { id: "b", object: "model" },
          { id: "a", object: "model" },
        ],
      }),
    );
    assert.deepEqual(await chosen("--base-url", server().baseUrl), ["a", "a"]);
  });

  it("have the window that their server gives them, or the one that is set", async () => {
    server().plan(byPath({ "/v1/models": { data: [{ id: "m", max_model_len: 4_096 }] } }));
    const argv = ["--base-url", server().baseUrl, "--model", "m"];
    const [asked, set] = [await models(...argv), await models(...argv, "--set", "model.contextWindow=9000")];
    assert.deepEqual([asked.smart.contextWindow, set.smart.contextWindow], [4_096, 9_000]);
  });

  it("are none when another server offers none", async () => {
    server().plan(json(200, { object: "list", data: [] }));
    await assert.rejects(
      chosen("--base-url", server().baseUrl),
      /lists no models\. Choose a model with --model\.$/,
    );
  });
});
