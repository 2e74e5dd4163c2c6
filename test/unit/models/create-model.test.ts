import assert from "node:assert/strict";
import { createModel, type ModelSettings } from "../../../src/models/providers.ts";
import { HELLO, reply, trouble } from "../../support/completing.ts";
import { saying, serverForSuite } from "../../support/fake-model-server.ts";

const settings: ModelSettings = {
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  apiKey: "k",
  model: "gpt-4o",
  timeoutSeconds: 60,
  prices: {},
};

describe("a model made from settings", () => {
  const server = serverForSuite();

  it("has the window that is set, known, or guessed", () => {
    const windows = [
      { contextWindow: 5_000 },
      { contextWindow: 0 },
      { model: "mystery" },
      { model: "mystery", baseUrl: "localhost:1/v1" },
    ].map((change) => createModel({ ...settings, ...change }).contextWindow);
    assert.deepEqual(windows, [5_000, 128_000, 128_000, 16_000]);
  });

  it("tells what a completion cost", async () => {
    server().plan(saying("Hi."));
    const { costUsd } = await reply(
      createModel({
        ...settings,
        baseUrl: server().baseUrl,
        prices: { "gpt-4o": { input: 1_000_000, output: 0 } },
      }),
    );
    assert.equal(costUsd, 12);
  });

  it("uses its temperature where a request has none", async () => {
    const before = server().requests.length;
    server().plan(saying("Hi."));
    const model = createModel({ ...settings, baseUrl: server().baseUrl, temperature: 0.25 });
    await reply(model);
    await reply(model, { ...HELLO, temperature: 1 });
    assert.deepEqual(
      server()
        .requests.slice(before)
        .map(({ body }) => body.temperature),
      [0.25, 1],
    );
  });

  it("may be of Azure", async () => {
    server().plan(saying("Hi."));
    const azure = { endpoint: server().origin, apiVersion: "2024-10-21", deployment: "mine" };
    await reply(createModel({ ...settings, provider: "azure", azure }));
    assert.match(server().requests.at(-1)?.path ?? "", /^\/openai\/deployments\/mine\/chat\/completions/);
  });

  it("says what is missing when it is first used, not before", async () => {
    const kinds = await Promise.all(
      [{ apiKey: "" }, { baseUrl: "" }, { provider: "azure" as const }].map(
        async (change) => (await trouble(createModel({ ...settings, ...change }))).trouble,
      ),
    );
    assert.deepEqual(kinds, ["setup", "setup", "setup"]);
  });
});
