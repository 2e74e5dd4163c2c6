import assert from "node:assert/strict";
import type { ModelPair } from "../../../src/core/events/run.ts";
import { createHeadlessModels, restrictToModel } from "../../../src/headless/models.ts";
import { readOptions } from "../../../src/headless/options.ts";
import { collectServiceKeys, createKeyLookup } from "../../../src/headless/service-keys.ts";
import { loadSettings } from "../../../src/headless/settings.ts";
import { byPath, json, serverForSuite } from "../../support/fake-model-server.ts";

const server = serverForSuite();

async function chosen(...argv: readonly string[]): Promise<readonly string[]> {
  const { smart, fast } = await models(...argv);
  return [smart.name, fast.name];
}

async function models(...argv: readonly string[]): Promise<ModelPair> {
  const env = { OPENAI_API_KEY: "a-test-key", AZURE_OPENAI_API_KEY: "an-azure-key" };
  const options = readOptions(["--task", "t", "--workspace", "/w", ...argv], env);
  if (options === "help") throw new Error("No test asks for help here.");
  const { settings } = await loadSettings("/nowhere", options.sources);
  const keyFor = createKeyLookup(collectServiceKeys(settings, env));
  return restrictToModel(await createHeadlessModels(settings, keyFor).createModelPair(settings), options.onlyModel);
}

describe("the models of a run without an editor", () => {
  it("are OpenAI's usual ones when nothing is said", async () =>
    assert.deepEqual(await chosen(), ["gpt-6.2-sol", "gpt-6-luna"]));

  it("are the one that is named, for everything", async () =>
    assert.deepEqual(await chosen("--model", "m"), ["m", "m"]));

  it("are the two that are named", async () =>
    assert.deepEqual(await chosen("--model", "m", "--fast-model", "f"), ["m", "f"]));

  it("are one for everything with the classic flags", async () =>
    assert.deepEqual(
      {
        gpt3only: await chosen("--model", "m", "--fast-model", "f", "--gpt3only"),
        gpt4only: await chosen("--model", "m", "--fast-model", "f", "--gpt4only"),
      },
      { gpt3only: ["f", "f"], gpt4only: ["m", "m"] },
    ));

  it("are Azure's deployments when the provider is Azure", async () => {
    const azure = ["model.provider=azure", "azure.endpoint=https://a.openai.azure.com"];
    const set = (...settings: readonly string[]) => settings.flatMap((setting) => ["--set", setting]);
    assert.deepEqual(
      {
        both: await chosen(...set(...azure, "azure.smartDeployment=big", "azure.fastDeployment=small")),
        one: await chosen(...set(...azure, "azure.smartDeployment=big")),
        none: await chosen(...set(...azure)).catch(String),
      },
      {
        both: ["big", "small"],
        one: ["big", "big"],
        none: "ModelError: Azure OpenAI isn't set up yet: autogpt.azure.smartDeployment is empty.",
      },
    );
  });

  it("can't be those of VS Code", async () =>
    assert.match(
      String(await chosen("--set", "model.provider=vscode").catch(String)),
      /^ModelError: The models of VS Code exist only in the editor\./,
    ));

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
    await assert.rejects(chosen("--base-url", server().baseUrl), /lists no models\. Choose a model with --model\.$/);
  });
});
