import assert from "node:assert/strict";
import type { CatalogSources } from "../../../src/models/catalog/model-catalog.ts";
import type { ModelResolverOptions } from "../../../src/models/model-resolver.ts";
import { reply } from "../../support/completing.ts";
import { byPath, saying, serverForSuite } from "../../support/fake-model-server.ts";
import { modelResolver, providerSettings } from "../../support/provider-models.ts";

const DEFAULTS = providerSettings({});

type Options = ModelResolverOptions & Pick<CatalogSources, "findServers">;

const resolver = ({ findServers, ...changes }: Partial<Options> = {}) => modelResolver(changes, findServers);

const HOST_MODELS: NonNullable<ModelResolverOptions["listHostModels"]> = async () => [
  { id: "1", name: "One", family: "one", create: () => assert.fail("No model is made for that.") },
];
const LOCAL_SERVERS: Options["findServers"] = async () => [
  { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", models: [{ name: "llama" }] },
];

describe("where models come from by themselves", () => {
  const found = async (changes: Partial<Options>) => resolver(changes).findOrigin(DEFAULTS);

  it("is the server with a key first", async () => {
    const changes = { findKey: async () => "k", listHostModels: HOST_MODELS, findServers: LOCAL_SERVERS };
    assert.deepEqual(await found(changes), {
      provider: "openai",
      address: "https://api.openai.com/v1",
      key: "k",
    });
  });

  it("is the editor next", async () =>
    assert.deepEqual(await found({ listHostModels: HOST_MODELS, findServers: LOCAL_SERVERS }), {
      provider: "vscode",
      address: "",
      key: "",
    }));

  it("is a server on this machine last, which gets no key", async () =>
    assert.deepEqual(await found({ findServers: LOCAL_SERVERS }), {
      provider: "openai",
      address: "http://127.0.0.1:11434/v1",
      key: "",
      foundModel: "llama",
    }));

  it("is nowhere otherwise", async () => assert.equal(await found({}), undefined));

  it("is only what the user chose, once they chose", async () => {
    const options = { findKey: async () => "k", listHostModels: HOST_MODELS, findServers: LOCAL_SERVERS };
    const chosen = providerSettings({ provider: "azure" });
    assert.equal(await resolver(options).findOrigin(chosen), undefined);
  });
});

describe("a missing model", () => {
  it("is reported as such before anything was set up", () =>
    assert.rejects(resolver().demand(DEFAULTS), { name: "ModelError", message: "No model is set up yet." }));

  it("is reported with what to set for the provider that the user chose", () =>
    assert.rejects(resolver().demand(providerSettings({ provider: "azure" })), {
      name: "ModelError",
      message: "Azure OpenAI isn't set up yet: autogpt.azure.endpoint is empty.",
    }));

  it("is a model's name where a server other than OpenAI has a key", async () => {
    const settings = providerSettings({ provider: "openai", baseUrl: "http://127.0.0.1:1/v1" });
    await assert.rejects(resolver({ findKey: async () => "k" }).demand(settings), /^ModelError: Can't reach /);
  });
});

describe("the models of a resolver", () => {
  const server = serverForSuite();

  it("send a key to the address that it was stored for, and to no other", async () => {
    const asked: string[] = [];
    server().plan(saying("Hi."));
    const { baseUrl } = server();
    const keyFor = async (address: string): Promise<string> => {
      asked.push(address);
      return "stored";
    };
    const settings = providerSettings({ provider: "openai", baseUrl, smart: "m", contextWindow: 8_000 });
    await reply((await resolver({ findKey: keyFor }).createModelPair(settings)).smart);
    assert.deepEqual(
      { asked, sent: server().requests.at(-1)?.headers.authorization },
      { asked: [baseUrl], sent: "Bearer stored" },
    );
  });

  it("have the window that their server was asked for once", async () => {
    server().plan(byPath({ "/v1/models": { data: [{ id: "m", max_model_len: 4_096 }] } }));
    const models = resolver({ findKey: async () => "k" });
    const settings = providerSettings({ provider: "openai", baseUrl: server().baseUrl, smart: "m" });
    const first = await models.createModelPair(settings);
    const requests = server().requests.length;
    const second = await models.createModelPair(settings);
    assert.deepEqual(
      {
        first: first.smart.contextWindow,
        second: second.smart.contextWindow,
        requests: server().requests.length,
      },
      { first: 4_096, second: 4_096, requests },
    );
  });

  it("are made again from the new settings after trouble with the old ones", async () => {
    server().plan(byPath({ "/v1/models": { data: [] } }));
    let key = "";
    const settings = providerSettings({
      provider: "openai",
      baseUrl: server().baseUrl,
      smart: "m",
      contextWindow: 8_000,
    });
    const { smart } = await resolver({
      findKey: async () => key,
      getSettings: () => settings,
    }).createModelPair(settings);
    server().plan({ status: 401, pieces: [], headers: {} }, saying("Hi."));
    await assert.rejects(reply(smart), /ModelError/);
    key = "new";
    const { text } = await reply(smart);
    assert.deepEqual(
      { text, sent: server().requests.at(-1)?.headers.authorization },
      { text: "Hi.", sent: "Bearer new" },
    );
  });
});
