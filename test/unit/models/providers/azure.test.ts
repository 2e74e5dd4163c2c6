import assert from "node:assert/strict";
import { createAzureModel } from "../../../../src/models/providers/azure.ts";
import { reply, trouble } from "../../../support/completing.ts";
import { json, refusal, saying, serverForSuite } from "../../../support/fake-model-server.ts";

function options(endpoint: string, more: object = {}) {
  return {
    endpoint,
    apiVersion: "2024-10-21",
    deployment: "my-gpt",
    apiKey: "azure-key-123",
    model: "gpt-4o",
    contextWindow: 128_000,
    timeoutSeconds: 60,
    ...more,
  };
}

describe("a model in Azure", () => {
  const server = serverForSuite();

  for (const path of ["", "/", "/openai/deployments/other/chat/completions?api-version=2023-05-15"]) {
    it(`is asked at its deployment, with its key, when the endpoint is given as "${path}"`, async () => {
      server().plan(saying("Hi."));
      await reply(createAzureModel(options(server().origin + path)));
      const { path: asked, headers } = server().requests.at(-1) ?? assert.fail();
      assert.deepEqual(
        [asked, headers["api-key"], headers.authorization],
        ["/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21", "azure-key-123", undefined],
      );
    });
  }
});

describe("a model that reasons, in Azure", () => {
  const server = serverForSuite();
  const answer = json(200, {
    ...{ object: "response", status: "completed", model: "gpt-5.6-terra" },
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] }],
  });

  for (const [apiVersion, path] of [
    ["2024-10-21", "/openai/v1/responses"],
    ["2025-04-01-preview", "/openai/responses?api-version=2025-04-01-preview"],
  ] as const)
    it(`is asked over Responses with its deployment and its key, with version ${apiVersion}`, async () => {
      server().plan(answer);
      const { text } = await reply(createAzureModel(options(server().origin, { model: "gpt-5.6-terra", apiVersion })));
      const { path: asked, headers, body } = server().requests.at(-1) ?? assert.fail();
      assert.deepEqual(
        [text, asked, headers["api-key"], headers.authorization, body.model],
        ["Hi.", path, "azure-key-123", undefined, "my-gpt"],
      );
    });
});

describe("Azure", () => {
  const server = serverForSuite();

  const missing: readonly [string, object, RegExp][] = [
    ["an endpoint", { endpoint: "" }, /Set autogpt\.azure\.endpoint to one like https:\/\/NAME\.openai\.azure\.com/],
    ["a deployment", { deployment: "" }, /autogpt\.azure\.smartDeployment/],
    ["an API version", { apiVersion: "" }, /autogpt\.azure\.apiVersion/],
    ["a key", { apiKey: "" }, /No API key is set for http/],
  ];
  for (const [name, change, expected] of missing) {
    it(`says what to do without ${name}`, async () => {
      const told = await trouble(createAzureModel(options(server().origin, change)));
      assert.deepEqual([told.trouble, expected.test(told.message)], ["setup", true], told.message);
    });
  }

  it("says what to do about a deployment that is not there", async () => {
    server().plan(refusal(404, "The API deployment for this resource does not exist.", { code: "DeploymentNotFound" }));
    assert.match(
      (await trouble(createAzureModel(options(server().origin)))).message,
      /has no model "my-gpt".*autogpt\.azure\.smartDeployment/,
    );
  });

  it("asks an older version in the older words", async () => {
    const before = server().requests.length;
    server().plan(refusal(400, "Unrecognized request argument supplied: max_completion_tokens"), saying("Hi."));
    await reply(createAzureModel(options(server().origin)), { messages: [], maxReplyTokens: 7 });
    const limits = server()
      .requests.slice(before)
      .map(({ body }) => [body.max_completion_tokens, body.max_tokens]);
    assert.deepEqual(limits, [
      [7, undefined],
      [undefined, 7],
    ]);
  });
});
