import assert from "node:assert/strict";
import { ModelError } from "../../../../src/core/ports/model.ts";
import {
  askContextWindow,
  likelyContextWindow,
  listModels,
} from "../../../../src/models/catalog/list-models.ts";
import {
  byPath,
  type FakeModelServer,
  json,
  refusal,
  serverForSuite,
} from "../../../support/fake-model-server.ts";

const signal = new AbortController().signal;

const FREE = { input: 0, output: 0 };

function listing(server: FakeModelServer, more: object = {}) {
  return { baseUrl: server.baseUrl, apiKey: "k", prices: {}, timeoutSeconds: 60, ...more };
}

/** A list of models as OpenAI gives it. */
function data(...models: object[]) {
  return byPath({ "/v1/models": { object: "list", data: models } });
}

describe("the models that a server offers", () => {
  const server = serverForSuite();

  it("are listed by name, without those that do not chat", async () => {
    server().plan(
      data(
        { id: "model-10" },
        { id: "text-embedding-3-small" },
        { id: "model-9" },
        { id: "whisper-1" },
        { id: "" },
        {},
      ),
    );
    assert.deepEqual(await listModels(listing(server()), signal), [
      { name: "model-9", price: FREE },
      { name: "model-10", price: FREE },
    ]);
  });

  it("come with the windows that servers tell in their own ways", async () => {
    server().plan(
      data(
        { id: "a", max_model_len: 1 },
        { id: "b", context_length: 2 },
        { id: "c", context_window: 3 },
        { id: "d", max_context_length: 4 },
        { id: "e", meta: { n_ctx_train: 5 } },
        { id: "f", meta: { n_ctx: 6, n_ctx_train: 7 } },
      ),
    );
    const offered = await listModels(listing(server()), signal);
    assert.deepEqual(
      offered.map(({ contextWindow }) => contextWindow),
      [1, 2, 3, 4, 5, 6],
    );
  });

  it("come with the prices that are told, known or set", async () => {
    server().plan(
      data(
        { id: "mine", pricing: { prompt: "1", completion: "1" } },
        { id: "openai/gpt-4o" },
        {
          id: "told",
          pricing: { prompt: "0.00000025", completion: "0.000002", input_cache_read: "0.000000025" },
        },
      ),
    );
    const offered = await listModels(
      listing(server(), { prices: { mine: { input: 3, output: 7 } } }),
      signal,
    );
    assert.deepEqual(
      offered.map(({ price }) => price),
      [
        { input: 3, output: 7 },
        { input: 2.5, output: 10, cached: 1.25 },
        { input: 0.25, output: 2, cached: 0.025 },
      ],
    );
  });
});

describe("models of a server", () => {
  const server = serverForSuite();

  it("come with the windows that Ollama tells elsewhere", async () => {
    server().plan(
      byPath({
        "/v1/models": { data: [{ id: "llama3.2:3b" }] },
        "/api/tags": { models: [{ name: "llama3.2:3b" }] },
        "/api/show": { model_info: { "llama.context_length": 131072 } },
      }),
    );
    assert.deepEqual(await listModels(listing(server()), signal), [
      { name: "llama3.2:3b", contextWindow: 131_072, price: FREE },
    ]);
  });

  it("are not told without the right key", async () => {
    server().plan(refusal(401, "No."));
    await assert.rejects(
      listModels(listing(server()), signal),
      (error) =>
        error instanceof ModelError &&
        error.trouble === "setup" &&
        error.message.includes("rejected the API key"),
    );
  });

  it("are not asked for without an address", async () => {
    await assert.rejects(listModels(listing(server(), { baseUrl: "" }), signal), { trouble: "setup" });
  });
});

describe("a context window", () => {
  const server = serverForSuite();
  const ask = (model: string) =>
    askContextWindow(
      model,
      { baseUrl: server().baseUrl, apiKey: "k", prices: {}, timeoutSeconds: 60 },
      signal,
    );

  it("that is known is not asked for", async () => {
    const before = server().requests.length;
    assert.deepEqual([await ask("gpt-4o"), server().requests.length - before], [128_000, 0]);
  });

  it("is taken from the server's list", async () => {
    server().plan(byPath({ "/v1/models": { data: [{ id: "mine", max_model_len: 12_345 }] } }));
    assert.equal(await ask("mine"), 12_345);
  });

  it("of an Ollama model is the one it is really given, for which it is loaded", async () => {
    const loaded: string[] = [];
    server().plan(({ path, body }) => {
      if (path === "/api/generate") loaded.push(body.model);
      return json(200, { models: loaded.map((name) => ({ name, context_length: 4_096 })) });
    });
    assert.deepEqual([await ask("llama3.2:3b"), loaded], [4_096, ["llama3.2:3b"]]);
  });

  it("of an Ollama model without a tag is that of the latest", async () => {
    const models = [{ name: "llama3.2:latest", context_length: 8_192 }];
    server().plan(byPath({ "/api/ps": { models } }));
    assert.equal(await ask("llama3.2"), 8_192);
  });

  it("is not asked of OpenAI, which does not tell", async () => {
    const listing = { baseUrl: "https://api.openai.com/v1", apiKey: "k", prices: {}, timeoutSeconds: 60 };
    assert.equal(await askContextWindow("gpt-99", listing, AbortSignal.abort()), 128_000);
  });

  it("is guessed with care where the server is dead", async () => {
    server().plan(json(500, {}));
    assert.equal(await ask("mystery"), 16_000);
  });

  it("is guessed from where the server stands", () => {
    assert.deepEqual(
      ["http://localhost:1/v1", "https://models.example/v1"].map((baseUrl) =>
        likelyContextWindow("mystery", baseUrl),
      ),
      [16_000, 128_000],
    );
  });
});
