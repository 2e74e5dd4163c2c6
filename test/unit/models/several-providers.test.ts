import assert from "node:assert/strict";
import { listProviders, parseModelReference, selectMainSettings } from "../../../src/models/named-providers.ts";
import type { ProviderSettings } from "../../../src/models/provider.ts";
import { reply } from "../../support/completing.ts";
import { refusal, saying, serverForSuite } from "../../support/fake-model-server.ts";
import { modelResolver, providerSettings } from "../../support/provider-models.ts";

describe("a model's name in settings", () => {
  const settings = providerSettings({
    providers: { gpu: { address: "gpu:8000/v1" }, mistral: { address: "http://own/v1" } },
  });
  const read = (text: string) => {
    const { model, provider } = parseModelReference(text, settings);
    return [model, provider?.kind, provider?.address];
  };

  it("has its provider after the last @: the user's own, a built-in one or a preset", () => {
    assert.deepEqual(
      ["llama3:8b@gpu", "m@mistral", "gpt-5@openai", "claude-sonnet-5@anthropic", "d@azure", "c@vscode"].map(read),
      [
        ["llama3:8b", "openai", "http://gpu:8000/v1"],
        ["m", "openai", "http://own/v1"],
        ["gpt-5", "openai", "https://api.openai.com/v1"],
        ["claude-sonnet-5", "openai", "https://api.anthropic.com/v1"],
        ["d", "azure", ""],
        ["c", "vscode", ""],
      ],
    );
  });

  it("has none where nothing after an @ names one, so that old names mean what they meant", () => {
    const names = ["gpt-5", "openai/gpt-4o", "mistral:7b", "@cf/meta/llama", "claude@20250514", "@gpu"];
    assert.deepEqual(
      names.map(read),
      names.map((name) => [name, undefined, undefined]),
    );
  });
});

describe("models of several providers", () => {
  const [one, other] = [serverForSuite(), serverForSuite()];
  const keyFor = async (address: string): Promise<string> => `key of ${new URL(address).port}`.replaceAll(" ", "-");
  const settings = (model: Partial<ProviderSettings["model"]>) =>
    providerSettings({
      contextWindow: 8_000,
      providers: { one: { address: one().baseUrl }, other: { address: other().baseUrl } },
      ...model,
    });
  const sent = (server: typeof one) => {
    const { headers, body } = server().requests.at(-1) ?? assert.fail("Nothing was sent.");
    return [headers.authorization, body.model];
  };

  it("are asked at their own servers, each with its own key and price", async () => {
    one().plan(saying("Hi."));
    other().plan(saying("Hi."));
    const prices = {
      m: { input: 1, output: 0 },
      "m@other": { input: 1_000_000, output: 0 },
    };
    const pair = await modelResolver({ findKey: keyFor }).createModelPair(
      settings({ smart: "m@one", fast: "m@other", prices }),
    );
    const [smart, fast] = [await reply(pair.smart), await reply(pair.fast)];
    assert.deepEqual(
      { smart: [...sent(one), smart.costUsd], fast: [...sent(other), fast.costUsd] },
      {
        smart: [`Bearer key-of-${one().port}`, "m", 0.000012],
        fast: [`Bearer key-of-${other().port}`, "m", 12],
      },
    );
  });

  it("have a fast one from the main model's provider where its name has none", async () => {
    one().plan(saying("Hi."));
    const { smart, fast } = await modelResolver({ findKey: keyFor }).createModelPair(
      settings({ smart: "m@one", fast: "f" }),
    );
    await reply(fast);
    assert.deepEqual([smart.name, ...sent(one)], ["m", `Bearer key-of-${one().port}`, "f"]);
  });

  it("are one where the fast one is the main one", async () => {
    const { smart, fast } = await modelResolver({ findKey: keyFor }).createModelPair(
      settings({ smart: "m@one", fast: "m@one" }),
    );
    assert.equal(smart, fast);
  });

  it("can come from a server of the settings and another one", async () => {
    other().plan(saying("Hi."));
    const { fast } = await modelResolver({ findKey: keyFor }).createModelPair(
      settings({ provider: "openai", baseUrl: one().baseUrl, smart: "m", fast: "f@other" }),
    );
    await reply(fast);
    assert.deepEqual(sent(other), [`Bearer key-of-${other().port}`, "f"]);
  });

  it("are in use under the names of their providers", async () => {
    const inUse = (model: Partial<ProviderSettings["model"]>) =>
      modelResolver({ findKey: keyFor }).findModelsInUse(settings(model));
    assert.deepEqual(
      {
        named: await inUse({ smart: "m@one", fast: "f@other" }),
        old: await inUse({ provider: "openai", baseUrl: "http://127.0.0.1:1/v1", smart: "m" }),
        usual: await inUse({}),
        fastWithoutKey: await modelResolver({
          findKey: async (address) => (address === one().baseUrl ? "k" : undefined),
        }).findModelsInUse(settings({ smart: "m@one", fast: "gpt-5-mini@openai" })),
      },
      {
        named: { smart: { model: "m", provider: "one" }, fast: { model: "f", provider: "other" } },
        old: { smart: { model: "m", provider: "server" }, fast: { model: "m", provider: "server" } },
        usual: {
          smart: { model: "gpt-6.2-sol", provider: "openai" },
          fast: { model: "gpt-6-luna", provider: "openai" },
        },
        fastWithoutKey: {
          smart: { model: "m", provider: "one" },
          fast: { model: "gpt-5-mini", provider: "openai" },
        },
      },
    );
  });

  it("come from the user's own provider without a choice where nothing else has a key", async () => {
    const only = async (address: string) => (address.includes("anthropic") ? "k" : undefined);
    const providers = { anthropic: { preset: "anthropic" } } as const;
    const resolver = modelResolver({ findKey: only });
    assert.deepEqual((await resolver.findModelsInUse(providerSettings({ providers })))?.smart, {
      model: "claude-sonnet-5-5",
      provider: "anthropic",
    });
  });

  it("fail with advice about a provider's own option where that demands the API", async () => {
    one().plan(refusal(404, "This model is only supported in v1/chat/completions."));
    const providers = { one: { address: one().baseUrl, api: "responses" } } as const;
    const { smart } = await modelResolver({ findKey: keyFor }).createModelPair(settings({ smart: "m@one", providers }));
    await assert.rejects(
      reply(smart),
      /over chat completions\. Set the api of one in autogpt\.model\.providers to "chat" or "auto"\./,
    );
  });

  it("that can't be used are reported with their own provider's trouble", async () => {
    await assert.rejects(
      modelResolver({}).demand(providerSettings({ smart: "claude-sonnet-5@anthropic" })),
      /^ModelError: api\.anthropic\.com needs an API key, and none is set\./,
    );
  });
});

describe("the settings of the main model alone", () => {
  it("have its provider's address, context window and deployment", () => {
    const providers = {
      gpu: { address: "http://gpu:8000/v1", contextWindow: 32_000 },
      eu: { kind: "azure", address: "https://eu.example", apiVersion: "2025-01-01" },
    } as const;
    const gpu = selectMainSettings(providerSettings({ smart: "m@gpu", providers }));
    const eu = selectMainSettings(providerSettings({ smart: "d@eu", providers }));
    assert.deepEqual(
      {
        gpu: [gpu.model.provider, gpu.model.baseUrl, gpu.model.smart, gpu.model.contextWindow],
        eu: [eu.model.provider, eu.azure],
      },
      {
        gpu: ["openai", "http://gpu:8000/v1", "m", 32_000],
        eu: [
          "azure",
          {
            endpoint: "https://eu.example",
            apiVersion: "2025-01-01",
            smartDeployment: "d",
            fastDeployment: "",
          },
        ],
      },
    );
  });
});

describe("the providers that settings list", () => {
  const listed = (model: Partial<ProviderSettings["model"]>, azure: Partial<ProviderSettings["azure"]> = {}) =>
    listProviders(providerSettings(model, azure)).map(({ id }) => id);

  it("are OpenAI, the user's own and the editor's, and each that a model's name mentions", () => {
    const box = { box: { address: "http://box:1/v1" } };
    assert.deepEqual(
      {
        fresh: listed({}),
        own: listed({ providers: box, smart: "m@box" }),
        named: listed({
          smart: "claude-sonnet-5@anthropic",
          fast: "claude-haiku-4-5@anthropic",
          providers: box,
        }),
        server: listed({ baseUrl: "http://old:1/v1" }, { endpoint: "https://a.example" }),
        ownServer: listed({ baseUrl: "http://box:1/v1", providers: box }),
      },
      {
        fresh: ["openai", "vscode"],
        own: ["openai", "box", "vscode"],
        named: ["openai", "box", "anthropic", "vscode"],
        server: ["openai", "server", "azure", "vscode"],
        ownServer: ["openai", "box", "vscode"],
      },
    );
  });
});

describe("the model that a profile names", () => {
  const [main, other] = [serverForSuite(), serverForSuite()];
  const settings = (model: Partial<ProviderSettings["model"]> = {}) =>
    providerSettings({
      contextWindow: 8_000,
      providers: { main: { address: main().baseUrl }, other: { address: other().baseUrl } },
      ...{ smart: "usual@main", fast: "quick" },
      ...model,
    });
  /** Which server gets which model's name, for the smart and the fast one. */
  const asked = async (name: string, given: ProviderSettings) => {
    main().plan(saying("Hi."));
    other().plan(saying("Hi."));
    const servers = { main, other };
    const { smart, fast } = await modelResolver({ findKey: async () => "k" }).createModelPair(given, name);
    const places: string[] = [];
    for (const model of [smart, fast]) {
      const before = Object.values(servers).map((server) => server().requests.length);
      await reply(model);
      const at = Object.values(servers).findIndex((server, index) => server().requests.length !== before[index]);
      places.push(`${model.name}@${Object.keys(servers)[at]}`);
    }
    return places;
  };

  it("comes from the provider of the settings' own model, or from another that the user has set up", async () => {
    assert.deepEqual(
      [
        await asked("big", settings()),
        await asked("big@other", settings()),
        await asked("big@nobody", settings()),
        await asked("big@main", settings({ smart: "usual@other", fast: "" })),
      ],
      [
        ["big@main", "quick@main"],
        ["big@other", "quick@main"],
        ["big@nobody@main", "quick@main"],
        ["big@main", "big@main"],
      ],
    );
  });

  it("never comes from a provider that the user hasn't set up", async () => {
    await assert.rejects(modelResolver({}).createModelPair(settings(), "gpt-5@openai"), {
      name: "ModelError",
      trouble: "setup",
      message:
        "The profile names the model gpt-5@openai, but OpenAI isn't set up. Set it up on the Models page, or take the model out of the profile.",
    });
  });
});
