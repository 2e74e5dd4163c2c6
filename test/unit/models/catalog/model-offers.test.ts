import assert from "node:assert/strict";
import { askSource } from "../../../../src/models/catalog/ask-source.ts";
import {
  addressProblem,
  type FoundModels,
  offersOf,
  waysOf,
  withVersion,
} from "../../../../src/models/catalog/model-offers.ts";
import { DEFAULT_SETTINGS } from "../../../../src/schema/read-settings.ts";
import type { Settings } from "../../../../src/schema/settings.ts";
import { byPath, refusal, serverForSuite } from "../../../support/fake-model-server.ts";

const signal = new AbortController().signal;

const AZURE: Settings["azure"] = { endpoint: "", apiVersion: "", smartDeployment: "", fastDeployment: "" };

function settings(model: Partial<Settings["model"]>, azure = AZURE): Pick<Settings, "model" | "azure"> {
  return {
    model: { ...DEFAULT_SETTINGS.model, baseUrl: "", ...model },
    azure,
  };
}

const NOTHING: FoundModels = { chat: [], local: [] };

describe("the models on offer", () => {
  const server = serverForSuite();
  const asked = async (): Promise<FoundModels> => {
    const { baseUrl } = server();
    const found = await askSource({ baseUrl, apiKey: "k", prices: {}, timeoutSeconds: 10 }, signal);
    return {
      ...NOTHING,
      origin: { provider: "openai", address: baseUrl, key: "" },
      asked: found,
      source: { name: found.name, state: found.state },
    };
  };

  it("have the configured one although its server lists nothing", async () => {
    server().plan(refusal(500, "Broken"));
    const { baseUrl, port } = server();
    assert.deepEqual(offersOf(await asked(), settings({ baseUrl, smart: "gpt-4.1" })), [
      {
        id: `${baseUrl}:gpt-4.1`,
        label: "gpt-4.1",
        detail: `127.0.0.1:${port}`,
        chosen: true,
        settings: { "model.provider": "openai", "model.baseUrl": baseUrl, "model.smart": "gpt-4.1" },
      },
    ]);
  });

  it("have the configured one first and once", async () => {
    server().plan(byPath({ "/v1/models": { data: [{ id: "a" }, { id: "b" }] } }));
    const { baseUrl } = server();
    const offers = offersOf(await asked(), settings({ baseUrl, smart: "b" }));
    assert.deepEqual(
      offers.map(({ label, chosen }) => [label, chosen]),
      [
        ["b", true],
        ["a", false],
      ],
    );
  });

  it("are none where the server rejects the key and no model is configured", async () => {
    server().plan(refusal(401, "No."));
    assert.deepEqual(offersOf(await asked(), settings({ baseUrl: server().baseUrl })), []);
  });

  it("have OpenAI's usual one before any is chosen", () => {
    const baseUrl = "https://api.openai.com/v1";
    const found: FoundModels = {
      ...NOTHING,
      origin: { provider: "openai", address: baseUrl, key: "" },
      asked: {
        address: baseUrl,
        name: "api.openai.com",
        state: { kind: "silent", seconds: 4 },
        models: [],
      },
    };
    assert.deepEqual(
      offersOf(found, settings({ baseUrl })).map(({ label, chosen }) => [label, chosen]),
      [["gpt-5", true]],
    );
  });

  it("have the deployment of Azure OpenAI", () => {
    const azure = { ...AZURE, endpoint: "https://me.openai.azure.com", smartDeployment: "prod" };
    assert.deepEqual(
      offersOf(
        { ...NOTHING, origin: { provider: "azure", address: azure.endpoint, key: "k" } },
        settings({ provider: "azure" }, azure),
      ),
      [
        {
          id: "azure:prod",
          label: "prod",
          detail: "Azure OpenAI, me.openai.azure.com",
          chosen: true,
          settings: { "model.provider": "azure" },
        },
      ],
    );
  });
});

describe("the ways to a model", () => {
  it("begin with the key where the server rejects it", () => {
    const source = { name: "HOST", state: { kind: "rejected", status: 401, said: "" } } as const;
    const found: FoundModels = {
      ...NOTHING,
      source,
      chat: [{ id: "c", name: "C", vendor: "v", maxInputTokens: 1 }],
    };
    assert.deepEqual(
      waysOf(found, true).map(({ label, detail }) => `${label} | ${detail}`),
      [
        "Change Key… | HOST · Key rejected (401)",
        "OpenAI… | With an API key",
        "Another OpenAI-compatible server… | OpenRouter, Anthropic, Gemini, LiteLLM, vLLM, or your own",
        "Ollama or LM Studio | Not running on this machine",
        "Azure OpenAI… | With an endpoint, a deployment and a key",
        "GitHub Copilot and other VS Code models | 1 model",
        "Try the Demo | No key, no network",
      ],
    );
  });

  it("have no key to change where none is stored or needed", () => {
    const source = { name: "HOST", state: { kind: "connected", models: 2 } } as const;
    assert.deepEqual(
      waysOf({ ...NOTHING, source }, false).map(({ id }) => id),
      ["openai", "server", "local", "azure", "vscode", "demo"],
    );
  });
});

describe("an address that is entered", () => {
  it("is checked before it is used", () => {
    assert.deepEqual(
      [
        "localhost:8000/v1",
        " https://openrouter.ai/api/v1/ ",
        "",
        "ftp://models.example",
        "https://me:pw@models.example",
      ].map(addressProblem),
      [
        undefined,
        undefined,
        "Enter an address such as https://openrouter.ai/api/v1 or localhost:8000/v1.",
        '"ftp://models.example" is not a web address. Enter one like https://api.openai.com/v1.',
        "The address contains a user name or password. Remove it: the key is asked for next.",
      ],
    );
  });

  it("is tried with a version where it has none", () => {
    assert.deepEqual(["http://h", "http://h/v1", "http://h/v1beta", "http://h/api"].map(withVersion), [
      "http://h/v1",
      undefined,
      undefined,
      "http://h/api/v1",
    ]);
  });
});
