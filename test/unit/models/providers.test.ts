import assert from "node:assert/strict";
import type { Model } from "../../../src/core/ports/model.ts";
import type { ProviderContext, ProviderSettings } from "../../../src/models/provider.ts";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import { getProvider, PROVIDERS } from "../../../src/models/providers.ts";
import { HELLO, reply, trouble } from "../../support/completing.ts";
import { json, saying, serverForSuite } from "../../support/fake-model-server.ts";
import { providerContext, providerSettings } from "../../support/provider-models.ts";

/** A model of the provider that settings name, at an address. */
function modelOf(
  settings: ProviderSettings,
  { key = "k", context = providerContext() }: { key?: string; context?: ProviderContext } = {},
): Promise<Model> {
  const provider = getProvider(settings);
  const address = provider.getKey(settings)?.address ?? "";
  return provider.create("gpt-4o", settings, { provider: "openai", address, key }, context);
}

describe("a model of a provider", () => {
  const server = serverForSuite();

  it("has the window that is set, else the one that its server gives it", async () => {
    const given = await modelOf(providerSettings({ provider: "openai" }));
    const set = await modelOf(providerSettings({ provider: "openai", contextWindow: 5_000 }));
    assert.deepEqual({ given: given.contextWindow, set: set.contextWindow }, { given: 8_000, set: 5_000 });
  });

  it("has the known window of its name at Azure, which reports none", async () => {
    const model = await modelOf(providerSettings({ provider: "azure" }, { endpoint: "https://a.example" }));
    assert.equal(model.contextWindow, 128_000);
  });

  it("reports the cost of a completion", async () => {
    server().plan(saying("Hi."));
    const prices = { "gpt-4o": { input: 1_000_000, output: 0 } };
    const model = await modelOf(providerSettings({ provider: "openai", baseUrl: server().baseUrl, prices }));
    assert.equal((await reply(model)).costUsd, 12);
  });

  it("uses its temperature where a request has none", async () => {
    const before = server().requests.length;
    server().plan(saying("Hi."));
    const model = openAiModel({
      baseUrl: server().baseUrl,
      apiKey: "k",
      model: "gpt-4o",
      contextWindow: 8_000,
      timeoutSeconds: 60,
      temperature: 0.25,
    });
    await reply(model);
    await reply(model, { ...HELLO, temperature: 1 });
    assert.deepEqual(
      server()
        .requests.slice(before)
        .map(({ body }) => body.temperature),
      [0.25, 1],
    );
  });

  it("reports what is wrong with the settings when it is first used, not before", async () => {
    const noKey = await modelOf(providerSettings({ provider: "openai" }), { key: "" });
    const noAddress = await modelOf(providerSettings({ provider: "openai", baseUrl: "" }));
    const noEndpoint = await modelOf(providerSettings({ provider: "azure" }));
    assert.deepEqual(
      {
        noKey: (await trouble(noKey)).trouble,
        noAddress: (await trouble(noAddress)).trouble,
        noEndpoint: (await trouble(noEndpoint)).trouble,
      },
      { noKey: "setup", noAddress: "setup", noEndpoint: "setup" },
    );
  });
});

describe("the models to use", () => {
  const server = serverForSuite();
  const choose = (model: Partial<ProviderSettings["model"]>, context = providerContext()) => {
    const settings = providerSettings({ provider: "openai", ...model });
    const origin = { provider: "openai", address: settings.model.baseUrl, key: "k" } as const;
    return PROVIDERS.openai.choose(settings, origin, context);
  };

  it("are OpenAI's usual ones at OpenAI, unless one is named", async () => {
    assert.deepEqual(
      { usual: await choose({}), named: await choose({ smart: "m" }) },
      { usual: { smart: "gpt-6.2-sol", fast: "gpt-6-luna" }, named: { smart: "m", fast: "m" } },
    );
  });

  it("have to be named for another server, except where the first one will do", async () => {
    server().plan(json(200, { object: "list", data: [{ id: "b" }, { id: "a" }] }));
    const { baseUrl } = server();
    assert.deepEqual(
      {
        editor: await choose({ baseUrl }),
        commandLine: await choose({ baseUrl }, providerContext({ picksFirstModel: true })),
      },
      { editor: undefined, commandLine: { smart: "a", fast: "a" } },
    );
  });

  it("are those of the host where it has the named ones, else its first", async () => {
    const create = (): never => assert.fail("No model is made for that.");
    const models = [
      { id: "1", name: "One", family: "odd", create },
      { id: "2", name: "Two", family: "even", create },
    ];
    const context = providerContext({ listHostModels: async () => models });
    const origin = { provider: "vscode", address: "", key: "" } as const;
    const chosen = (smart: string, fast: string) =>
      PROVIDERS.vscode.choose(providerSettings({ provider: "vscode", smart, fast }), origin, context);
    assert.deepEqual(
      { byFamily: await chosen("even", "One"), unknown: await chosen("none", "none") },
      { byFamily: { smart: "2", fast: "1" }, unknown: { smart: "1", fast: "1" } },
    );
  });
});

describe("the place of OpenAI's models", () => {
  const noKey = providerContext({ findKey: async () => undefined });
  const at = async (baseUrl: string, isAuto: boolean): Promise<boolean> =>
    (await PROVIDERS.openai.findOrigin(providerSettings({ baseUrl }), noKey, isAuto)) !== undefined;

  it("needs no key on this machine, and elsewhere only if the user chose a server other than OpenAI", async () => {
    assert.deepEqual(
      {
        local: await at("http://localhost:1/v1", true),
        otherFound: await at("https://api.example.com/v1", true),
        otherChosen: await at("https://api.example.com/v1", false),
        openAi: await at("https://api.openai.com/v1", false),
      },
      { local: true, otherFound: false, otherChosen: true, openAi: false },
    );
  });

  it("is refused for VS Code's models where there is no editor", () =>
    assert.rejects(
      PROVIDERS.vscode.findOrigin(providerSettings({ provider: "vscode" }), providerContext(), false),
      /^ModelError: The models of VS Code exist only in the editor\./,
    ));
});
