import assert from "node:assert/strict";
import { createModelsPage, createUnansweredPage } from "../../../../src/models/catalog/models-page.ts";
import { reportProviders } from "../../../../src/models/catalog/provider-reports.ts";
import type { ModelsPage } from "../../../../src/schema/panel-values.ts";
import { byPath, serverForSuite } from "../../../support/fake-model-server.ts";
import { modelResolver, providerSettings } from "../../../support/provider-models.ts";

const signal = new AbortController().signal;

describe("the contents of the Models page", () => {
  const server = serverForSuite();
  const settings = () =>
    providerSettings({
      smart: "m@box",
      fast: "llama@ollama",
      providers: { box: { address: server().baseUrl }, anthropic: { preset: "anthropic" } },
    });
  const resolver = () =>
    modelResolver({ findKey: async (address) => (address.includes("openai.com") ? "k" : undefined) }, async () => [
      { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", models: [{ name: "llama" }] },
    ]);

  it("are the models in use and every provider, with what can be changed about it", async () => {
    server().plan(byPath({ "/v1/models": { data: [{ id: "m" }] } }));
    const all = await reportProviders(resolver(), settings(), signal);
    const found = { ...all, providers: all.providers.filter(({ provider }) => provider.id !== "openai") };
    const { smart, fast, providers, presets } = createModelsPage(found, settings());
    assert.deepEqual(
      {
        smart,
        fast,
        rows: providers.map(({ id, source, hasKey, takesKey, editable, main }) =>
          [
            id,
            source?.state.kind,
            ...Object.entries({ hasKey, takesKey, editable, main }).flatMap(([name, is]) => (is ? name : [])),
          ].join(" "),
        ),
        presets: presets.map(({ id }) => id),
      },
      {
        smart: { label: "m", provider: "box" },
        fast: { label: "llama", provider: "Ollama" },
        rows: [
          "box connected takesKey editable main",
          "anthropic noKey takesKey editable",
          "ollama connected takesKey",
          "vscode noChatModels",
        ],
        presets: [
          "openai",
          "openrouter",
          "gemini",
          "mistral",
          "deepseek",
          "huggingface",
          "litellm",
          "vllm",
          "lmstudio",
        ],
      },
    );
  });

  it("are the same providers without states before they have answered", () => {
    const { looking, providers } = createUnansweredPage(settings());
    assert.deepEqual(
      { looking, ids: providers.map(({ id, source }) => [id, source]) },
      {
        looking: true,
        ids: [
          ["openai", undefined],
          ["box", undefined],
          ["anthropic", undefined],
          ["ollama", undefined],
          ["vscode", undefined],
        ],
      },
    );
  });

  it("keep what is known while they are asked again, but not of an address that has changed", async () => {
    server().plan(byPath({ "/v1/models": { data: [{ id: "m" }] } }));
    const { providers: answered, inUse } = await reportProviders(resolver(), settings(), signal);
    const moved = providerSettings({ providers: { box: { address: "http://127.0.0.1:1/v1" } } });
    const states = ({ providers }: ModelsPage) =>
      Object.fromEntries(providers.map(({ id, source }) => [id, source?.state.kind]));
    const again = createUnansweredPage(settings(), answered, inUse);

    assert.deepEqual(
      { ...again, providers: [] },
      {
        ...createModelsPage({ providers: answered, ...(inUse ? { inUse } : {}) }, settings()),
        looking: true,
        providers: [],
      },
    );
    assert.deepEqual([states(again).box, states(createUnansweredPage(moved, answered)).box], ["connected", undefined]);
  });
});
