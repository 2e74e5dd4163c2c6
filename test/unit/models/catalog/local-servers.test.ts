import assert from "node:assert/strict";
import { findLocalServers } from "../../../../src/models/catalog/local-servers.ts";
import {
  type Answering,
  byPath,
  type FakeModelServer,
  json,
  serverForSuite,
} from "../../../support/fake-model-server.ts";

const OLLAMA: Answering = byPath({
  "/api/tags": () => ({
    models: [{ name: "llama3.2:3b" }, { name: "qwen3:8b" }, { name: "nomic-embed-text" }, { name: "old:1b" }],
  }),
  "/api/ps": () => ({ models: [{ name: "qwen3:8b", context_length: 8192 }] }),
  "/api/show": ({ model }) =>
    ({
      "llama3.2:3b": {
        model_info: { "llama.context_length": 131072, "llama.embedding_length": 3072 },
        parameters: "stop  x\nnum_ctx                        16384",
        capabilities: ["completion", "tools", "vision"],
      },
      "qwen3:8b": { model_info: { "qwen3.context_length": 40960 }, capabilities: ["completion"] },
      "nomic-embed-text": { model_info: { "nomic-bert.context_length": 2048 }, capabilities: ["embedding"] },
      "old:1b": {},
    })[String(model)],
});

const LM_STUDIO: Answering = byPath({
  "/api/v0/models": () => ({
    data: [
      {
        id: "qwen2.5-coder-7b",
        type: "llm",
        state: "loaded",
        max_context_length: 32768,
        loaded_context_length: 4096,
      },
      { id: "gemma-3-12b", type: "vlm", state: "not-loaded", max_context_length: 131072 },
      { id: "nomic-embed", type: "embeddings", max_context_length: 2048 },
    ],
  }),
});

/** A port where nothing listens. */
const NOBODY = 1;

/** Looks at these servers instead of the usual ports. */
function look(ollama: FakeModelServer | undefined, lmStudio: FakeModelServer | undefined, limitMs?: number) {
  return findLocalServers({
    ollamaPort: ollama?.port ?? NOBODY,
    lmStudioPort: lmStudio?.port ?? NOBODY,
    ...(limitMs === undefined ? {} : { limitMs }),
  });
}

describe("the model servers of this machine", () => {
  const ollama = serverForSuite();
  const lmStudio = serverForSuite();

  it("are found with their models and the windows that they are given", async () => {
    ollama().plan(OLLAMA);
    lmStudio().plan(LM_STUDIO);
    assert.deepEqual(await look(ollama(), lmStudio()), [
      {
        name: "Ollama",
        baseUrl: `http://127.0.0.1:${ollama().port}/v1`,
        models: [
          { name: "llama3.2:3b", contextWindow: 16_384, seesPictures: true },
          { name: "qwen3:8b", contextWindow: 8_192, loadedWindow: 8_192, seesPictures: false },
          { name: "old:1b" },
        ],
      },
      {
        name: "LM Studio",
        baseUrl: `http://127.0.0.1:${lmStudio().port}/v1`,
        models: [
          { name: "qwen2.5-coder-7b", contextWindow: 4_096, loadedWindow: 4_096, seesPictures: false },
          { name: "gemma-3-12b", contextWindow: 131_072, seesPictures: true },
        ],
      },
    ]);
  });

  it("are found by an editor that is busy meanwhile", async () => {
    ollama().plan(OLLAMA);
    const found = look(ollama(), undefined);
    const free = performance.now() + 800;
    while (performance.now() < free);
    assert.deepEqual(
      (await found).map(({ name }) => name),
      ["Ollama"],
    );
  });

  it("are found when LM Studio is too old to report windows", async () => {
    lmStudio().plan(byPath({ "/v1/models": () => ({ data: [{ id: "phi-4" }] }) }));
    const found = await look(undefined, lmStudio());
    assert.deepEqual(
      found.map(({ models }) => models),
      [[{ name: "phi-4" }]],
    );
  });
});

describe("model servers of this machine", () => {
  const ollama = serverForSuite();
  const lmStudio = serverForSuite();

  it("are none where nothing listens", async () => {
    assert.deepEqual(await look(undefined, undefined), []);
  });

  it("are none where something else answers", async () => {
    ollama().plan({ headers: { "content-type": "text/html" }, pieces: ["<html>"] });
    lmStudio().plan(json(200, ["surprise"]));
    assert.deepEqual(await look(ollama(), lmStudio()), []);
  });

  it("are left out while they have no model", async () => {
    ollama().plan(byPath({ "/api/tags": () => ({ models: [] }) }));
    assert.deepEqual(await look(ollama(), undefined), []);
  });

  it("are not waited for when they do not answer", async () => {
    ollama().plan({ pieces: [], headersHang: true });
    lmStudio().plan(LM_STUDIO);
    assert.deepEqual(
      (await look(ollama(), lmStudio(), 300)).map(({ name }) => name),
      ["LM Studio"],
    );
  });

  it("are named without their windows when reporting these takes too long", async () => {
    const tags = json(200, { models: [{ name: "llama3.2:3b" }] });
    ollama().plan(({ path }) => (path === "/api/tags" ? tags : { pieces: [], headersHang: true }));
    assert.deepEqual(
      (await look(ollama(), undefined, 300)).map(({ models }) => models),
      [[{ name: "llama3.2:3b" }]],
    );
  });

  it("are not looked for once that was stopped", async () => {
    const signal = AbortSignal.abort(new Error("Enough."));
    await assert.rejects(findLocalServers({ signal, ollamaPort: NOBODY, lmStudioPort: NOBODY }), {
      message: "Enough.",
    });
  });
});
