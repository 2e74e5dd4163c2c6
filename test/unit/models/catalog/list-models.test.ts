import assert from "node:assert/strict";
import { ModelError } from "../../../../src/core/ports/model.ts";
import { askServedModel, guessContextWindow, listModels } from "../../../../src/models/catalog/list-models.ts";
import { byPath, type FakeModelServer, json, refusal, serverForSuite } from "../../../support/fake-model-server.ts";

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

  it("come with the windows that servers report in their own ways", async () => {
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

  it("come with the prices that are reported, known or set", async () => {
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
    const offered = await listModels(listing(server(), { prices: { mine: { input: 3, output: 7 } } }), signal);
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

  it("come with the windows that Ollama reports elsewhere", async () => {
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

  it("are not listed without the right key", async () => {
    server().plan(refusal(401, "No."));
    await assert.rejects(
      listModels(listing(server()), signal),
      (error) =>
        error instanceof ModelError && error.trouble === "setup" && error.message.includes("rejected the API key"),
    );
  });

  it("are not asked for without an address", async () => {
    await assert.rejects(listModels(listing(server(), { baseUrl: "" }), signal), { trouble: "setup" });
  });
});

describe("a context window", () => {
  const server = serverForSuite();
  const ask = async (model: string) => (await askServedModel(model, listing(server()), signal)).contextWindow;

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

  it("is not requested from OpenAI, which does not report it", async () => {
    const asked = listing(server(), { baseUrl: "https://api.openai.com/v1" });
    assert.equal((await askServedModel("gpt-99", asked, AbortSignal.abort())).contextWindow, 128_000);
  });

  it("is guessed with care where the server is dead", async () => {
    server().plan(json(500, {}));
    assert.equal(await ask("mystery"), 16_000);
  });

  it("is guessed from where the server is", () => {
    assert.deepEqual(
      ["http://localhost:1/v1", "https://models.example/v1"].map((baseUrl) => guessContextWindow("mystery", baseUrl)),
      [16_000, 128_000],
    );
  });
});

describe("the size of a model", () => {
  const server = serverForSuite();
  const ask = async (model: string) => (await askServedModel(model, listing(server()), signal)).billions;

  for (const [how, model, paths, wanted] of [
    [
      "by Ollama, with its window",
      "mine",
      {
        "/api/ps": {
          models: [{ name: "mine:latest", context_length: 4_096, details: { parameter_size: "7.6B" } }],
        },
      },
      7.6,
    ],
    [
      "by Ollama in megas",
      "mine",
      {
        "/api/ps": {
          models: [{ name: "mine", context_length: 4_096, details: { parameter_size: "494.03M" } }],
        },
      },
      0.49403,
    ],
    [
      "by an older Ollama, in numbers",
      "mine",
      {
        "/v1/models": { data: [{ id: "mine" }] },
        "/api/tags": { models: [{ name: "mine" }] },
        "/api/show": {
          details: { parameter_size: "" },
          model_info: { "general.parameter_count": 1_235_814_432 },
        },
      },
      1.235814432,
    ],
    [
      "by llama.cpp, whatever it's called",
      "default",
      { "/v1/models": { data: [{ id: "weights.gguf", meta: { n_params: 1_543_714_304, n_ctx: 8_192 } }] } },
      1.543714304,
    ],
    [
      "by the file of llama.cpp's only model",
      "default",
      { "/v1/models": { data: [{ id: "/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf" }] } },
      1.5,
    ],
    [
      "by LM Studio",
      "someone/tune",
      {
        "/v1/models": { data: [{ id: "someone/tune" }] },
        "/api/v0/models": { data: [{ id: "someone/tune", type: "llm" }] },
        "/api/v1/models": { models: [{ type: "llm", key: "someone/tune", params_string: "30B-A3B" }] },
      },
      30,
    ],
    [
      "rather by its server than by its name",
      "my-7b",
      { "/v1/models": { data: [{ id: "my-7b", meta: { n_params: 3e9 } }] } },
      3,
    ],
    [
      "by its name where its server doesn't say",
      "my-7b",
      { "/v1/models": { data: [{ id: "my-7b" }, { id: "other-3b" }] } },
      7,
    ],
    ["without a count", "mine", { "/v1/models": { data: [{ id: "mine" }] } }, undefined],
    ["by none of several others", "mine", { "/v1/models": { data: [{ id: "a-7b" }, { id: "b-3b" }] } }, undefined],
  ] as const)
    it(`is known ${how}`, async () => {
      server().plan(byPath(paths));
      assert.equal(await ask(model), wanted);
    });
});
