import assert from "node:assert/strict";
import { findNamedProvider } from "../../../src/models/named-providers.ts";
import { findPresetByKey } from "../../../src/models/presets.ts";
import type { ProviderSettings } from "../../../src/models/provider.ts";
import {
  type AddedProvider,
  addAzure,
  addPreset,
  addServer,
  changeAddress,
  isEditable,
  removeProvider,
} from "../../../src/models/provider-settings.ts";
import { providerSettings } from "../../support/provider-models.ts";

const EMPTY = providerSettings({});
const shown = ({ provider, changes }: AddedProvider) => [provider.id, provider.address, changes];
const named = (id: string, settings: ProviderSettings) => findNamedProvider(id, settings) ?? assert.fail(id);

describe("a provider that is added", () => {
  it("is a preset under its own name, with an address only if that is another one", () => {
    const box = "http://box:4000/v1";
    assert.deepEqual(
      [
        addPreset("openrouter", "https://openrouter.ai/api/v1", EMPTY),
        addPreset("litellm", box, EMPTY),
        addPreset("openai", "https://api.openai.com/v1", EMPTY),
      ].map(shown),
      [
        ["openrouter", "https://openrouter.ai/api/v1", { "model.providers": { openrouter: { preset: "openrouter" } } }],
        ["litellm", box, { "model.providers": { litellm: { preset: "litellm", address: box } } }],
        ["openai", "https://api.openai.com/v1", {}],
      ],
    );
  });

  it("is a server under the name of its host, a free one", () => {
    const before = providerSettings({ providers: { "box-8000": { address: "http://box:8000/v1" } } });
    assert.deepEqual(shown(addServer("http://box:8000/other/v1", before)), [
      "box-8000-2",
      "http://box:8000/other/v1",
      {
        "model.providers": {
          "box-8000": { address: "http://box:8000/v1" },
          "box-8000-2": { address: "http://box:8000/other/v1" },
        },
      },
    ]);
  });

  it("is the one that is there already where the address is known", () => {
    const settings = providerSettings({
      baseUrl: "http://old:1/v1",
      providers: { box: { address: "http://box:8000/v1" } },
    });
    const ids = ["box:8000/v1", "http://old:1/v1", "https://api.openai.com/v1/", "https://api.mistral.ai/v1"].map(
      (address) => {
        const { provider, changes } = addServer(address, settings);
        return [provider.id, Object.keys(changes).length];
      },
    );
    assert.deepEqual(ids, [
      ["box", 0],
      ["server", 0],
      ["openai", 0],
      ["mistral", 1],
    ]);
  });

  it("is Azure's own place in the settings first, then one of the list", () => {
    const first = addAzure({ endpoint: "https://eu.example", deployment: "d" }, EMPTY);
    const used = providerSettings({}, { endpoint: "https://us.example" });
    const second = addAzure({ endpoint: "https://eu.example", deployment: "d" }, used);
    assert.deepEqual([first, second].map(shown), [
      ["azure", "https://eu.example", { "azure.endpoint": "https://eu.example", "azure.smartDeployment": "d" }],
      [
        "eu.example",
        "https://eu.example",
        {
          "model.providers": {
            "eu.example": { kind: "azure", address: "https://eu.example", models: ["d"] },
          },
        },
      ],
    ]);
  });
});

describe("a provider that is there", () => {
  const providers = {
    box: { address: "http://box:1/v1", contextWindow: 8_000 },
    other: { preset: "mistral" },
  } as const;
  const settings = providerSettings({
    baseUrl: "http://old:1/v1",
    smart: "m@box",
    fast: "f@other",
    providers,
  });

  it("gets another address and keeps the rest", () => {
    assert.deepEqual(
      ["box", "server", "azure"].map((id) => changeAddress(named(id, settings), "new:2/v1", settings)),
      [
        {
          "model.providers": {
            box: { address: "http://new:2/v1", contextWindow: 8_000 },
            other: { preset: "mistral" },
          },
        },
        { "model.baseUrl": "http://new:2/v1" },
        { "azure.endpoint": "http://new:2/v1" },
      ],
    );
  });

  it("is removed with the models that come from it, and with no others", () => {
    assert.deepEqual(
      ["box", "server"].map((id) => removeProvider(named(id, settings), settings)),
      [
        { "model.providers": { other: { preset: "mistral" } }, "model.smart": undefined },
        { "model.baseUrl": undefined },
      ],
    );
  });

  it("can be edited where settings hold its address", () => {
    const ids = ["box", "server", "azure", "openai", "vscode", "ollama"];
    assert.deepEqual(
      ids.filter((id) => isEditable(named(id, settings))),
      ["box", "server", "azure"],
    );
  });
});

describe("a key by its beginning", () => {
  it("shows its provider where that is certain", () => {
    assert.deepEqual(
      ["sk-ant-api03-x", "sk-or-v1-x", "AIzaSy", "hf_x", "sk-proj-x", "sk-x", "x"].map(findPresetByKey),
      ["anthropic", "openrouter", "gemini", "huggingface", "openai", undefined, undefined],
    );
  });
});
