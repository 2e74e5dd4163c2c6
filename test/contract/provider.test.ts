import assert from "node:assert/strict";
import type {
  HostModel,
  ModelOrigin,
  Provider,
  ProviderContext,
  ProviderName,
  ProviderSettings,
} from "../../src/models/provider.ts";
import { getProvider, isProviderSetting, PROVIDERS } from "../../src/models/providers.ts";
import { addRetries } from "../../src/models/retries.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";
import { HELLO, Listener, plainModel } from "../support/completing.ts";
import { type FakeModelServer, fakeModelServer, refusal, saying } from "../support/fake-model-server.ts";
import { providerContext, providerSettings } from "../support/provider-models.ts";
import { modelContract } from "./model.contract.ts";
import { answerOf } from "./planned-reply.ts";

/** A provider that is set up at a server of our own, and the same provider with something missing. */
interface Fixture {
  settings(server: FakeModelServer): ProviderSettings;
  context?(server: FakeModelServer): Partial<ProviderContext>;
  readonly takesKey: boolean;
  readonly incomplete: { readonly settings: ProviderSettings; readonly context: Partial<ProviderContext> };
}

const hostModel = (server: FakeModelServer): HostModel => ({
  id: "m",
  name: "The model",
  family: "models",
  create: () => addRetries(plainModel(server.baseUrl)),
});

/** A provider without a fixture doesn't compile, so every row is held to the contract. */
const FIXTURES: Readonly<Record<ProviderName, Fixture>> = {
  openai: {
    settings: (server) => providerSettings({ provider: "openai", baseUrl: server.baseUrl, smart: "m" }),
    takesKey: true,
    incomplete: {
      settings: providerSettings({ provider: "openai" }),
      context: { findKey: async () => undefined },
    },
  },
  azure: {
    settings: (server) => providerSettings({ provider: "azure" }, { endpoint: server.origin, smartDeployment: "m" }),
    takesKey: true,
    incomplete: { settings: providerSettings({ provider: "azure" }), context: {} },
  },
  vscode: {
    settings: () => providerSettings({ provider: "vscode", smart: "m" }),
    context: (server) => ({ listHostModels: async () => [hostModel(server)] }),
    takesKey: false,
    incomplete: {
      settings: providerSettings({ provider: "vscode" }),
      context: { listHostModels: async () => [] },
    },
  },
};

describe("the table of providers", () => {
  it("has a row for each name, or doesn't compile", () => {
    const { azure: _, ...others } = PROVIDERS;
    // @ts-expect-error A name has no row.
    const incomplete: Readonly<Record<ProviderName, Provider>> = others;
    assert.ok(!("azure" in incomplete));
  });

  it("knows the values of the setting", () => {
    assert.deepEqual(["auto", "openai", "azure", "vscode", "toString", undefined].filter(isProviderSetting), [
      "auto",
      "openai",
      "azure",
      "vscode",
    ]);
  });

  it("takes OpenAI's row where the user hasn't chosen a provider", () =>
    assert.equal(getProvider(DEFAULT_SETTINGS), PROVIDERS.openai));
});

for (const [name, fixture] of Object.entries(FIXTURES)) {
  const provider = getProvider({ model: fixture.incomplete.settings.model });

  describe(`provider: ${name}`, () => {
    let server: FakeModelServer;
    const settings = (): ProviderSettings => fixture.settings(server);
    const context = (changes: Partial<ProviderContext> = {}): ProviderContext =>
      providerContext({ ...fixture.context?.(server), ...changes });

    beforeEach(async () => {
      server = await fakeModelServer();
    });
    afterEach(() => server.close());

    it("names itself and its place once it is set up", async () => {
      const origin = await provider.findOrigin(settings(), context(), false);
      assert.deepEqual(
        { named: provider.label !== "", origin },
        {
          named: true,
          origin: {
            provider: name,
            address: provider.getKey(settings())?.address ?? "",
            key: fixture.takesKey ? "test-key" : "",
          },
        },
      );
    });

    it("asks for the key of its own address alone", async () => {
      const asked: string[] = [];
      const keyFor = async (address: string): Promise<undefined> => void asked.push(address);
      await provider.findOrigin(settings(), context({ findKey: keyFor }), false);
      assert.deepEqual(asked, fixture.takesKey ? [provider.getKey(settings())?.address] : []);
    });

    it("has no place, and says why, while something is missing", async () => {
      const { incomplete } = fixture;
      const missing = providerContext(incomplete.context);
      const source = await provider.findSource(
        incomplete.settings,
        missing,
        async () => ({ address: "", name: "HOST", state: { kind: "noKey" }, models: [] }),
        new AbortController().signal,
      );
      assert.deepEqual(
        {
          origin: await provider.findOrigin(incomplete.settings, missing, false),
          connected: source?.state.kind === "connected",
        },
        { origin: undefined, connected: false },
      );
    });

    it("uses one model for everything where only one is named", async () => {
      const origin = await setUp(provider, settings(), context());
      assert.deepEqual(await provider.choose(settings(), origin, context()), { smart: "m", fast: "m" });
    });

    it("tries again when its server is busy", async () => {
      server.plan({ ...refusal(503, "Busy"), headers: { "retry-after": "0" } }, saying("Hi."));
      const model = await provider.create("m", settings(), await setUp(provider, settings(), context()), context());
      const { text } = await model.complete(HELLO, new Listener());
      assert.equal(text, "Hi.");
    });
  });

  modelContract(`a model of the provider ${name}`, async () => {
    const server = await fakeModelServer();
    const settings = fixture.settings(server);
    const context = providerContext(fixture.context?.(server));
    const origin = await setUp(provider, settings, context);
    const model = await provider.create("m", settings, origin, context);
    return {
      countsTokens: true,
      model(reply) {
        server.plan(answerOf(reply));
        return model;
      },
      close: () => server.close(),
    };
  });
}

async function setUp(provider: Provider, settings: ProviderSettings, context: ProviderContext): Promise<ModelOrigin> {
  const origin = await provider.findOrigin(settings, context, false);
  if (!origin) throw new Error("The provider should be set up.");
  return origin;
}
