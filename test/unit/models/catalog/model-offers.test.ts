import assert from "node:assert/strict";
import {
  addApiVersion,
  createChosenSettings,
  findAddressProblem,
  listModelOffers,
  type ModelOffer,
} from "../../../../src/models/catalog/model-offers.ts";
import { findUsualModels, isReplaceable, reportProviders } from "../../../../src/models/catalog/provider-reports.ts";
import { findNamedProvider } from "../../../../src/models/named-providers.ts";
import type { ProviderSettings } from "../../../../src/models/provider.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { byPath, refusal, serverForSuite } from "../../../support/fake-model-server.ts";
import { modelResolver, providerSettings } from "../../../support/provider-models.ts";

const signal = new AbortController().signal;

/** The offers of a resolver as lines, with a mark on the one in use. */
async function offered(
  settings: ProviderSettings,
  resolver = modelResolver({ findKey: async () => "k" }),
  role: "smart" | "fast" = "smart",
): Promise<readonly string[]> {
  const found = await reportProviders(resolver, settings, signal);
  return listModelOffers(
    { ...found, providers: found.providers.filter(({ provider }) => provider.id !== "openai") },
    role,
  ).map(({ chosen, label, provider, facts }: ModelOffer) =>
    [`${chosen ? "* " : ""}${label}`, provider, ...facts.map(writeInEnglish)].join(" | "),
  );
}

describe("the models on offer", () => {
  const [one, other] = [serverForSuite(), serverForSuite()];
  const settings = (model: Partial<ProviderSettings["model"]>) =>
    providerSettings({
      providers: { one: { address: one().baseUrl }, other: { address: other().baseUrl } },
      ...model,
    });

  it("are those of all providers, each with its provider, the one in use first", async () => {
    one().plan(byPath({ "/v1/models": { data: [{ id: "a" }, { id: "b", max_model_len: 8_000 }] } }));
    other().plan(
      byPath({ "/v1/models": { data: [{ id: "b", pricing: { prompt: 0.000001, completion: 0.000002 } }] } }),
    );
    const chosen = settings({ smart: "b@other", fast: "a@one" });
    assert.deepEqual(
      { smart: await offered(chosen), fast: (await offered(chosen, undefined, "fast"))[0] },
      {
        smart: ["* b | other | $1.00 / $2.00 per million tokens", "a | one | Free", "b | one | 8k tokens | Free"],
        fast: "* a | one | Free",
      },
    );
  });

  it("have the one in use although its server lists nothing", async () => {
    one().plan(refusal(500, "Broken"));
    other().plan(refusal(401, "No."));
    assert.deepEqual(await offered(settings({ smart: "gpt-4.1@one" })), ["* gpt-4.1 | one | Free"]);
  });

  it("have those of the base URL, whether their names have a provider or not", async () => {
    one().plan(byPath({ "/v1/models": { data: [{ id: "m" }] } }));
    const { baseUrl, port } = one();
    const lines = await Promise.all(
      ["m", "m@server"].map((smart) => offered(providerSettings({ provider: "openai", baseUrl, smart }))),
    );
    assert.deepEqual(lines, [[`* m | 127.0.0.1:${port} | Free`], [`* m | 127.0.0.1:${port} | Free`]]);
  });

  it("have deployments of Azure OpenAI and models of the editor", async () => {
    one().plan(byPath({}));
    const models = [{ id: "c1", name: "Chat", family: "c", vendor: "copilot", create: () => assert.fail() }];
    const lines = await offered(
      providerSettings(
        {
          smart: "prod@azure",
          providers: { eu: { kind: "azure", address: one().origin, models: ["spare"] } },
        },
        { endpoint: one().origin, smartDeployment: "prod" },
      ),
      modelResolver({ findKey: async () => "k", listHostModels: async () => models }),
    );
    assert.deepEqual(lines, ["* prod | Azure OpenAI | Free", "spare | eu | Free", "Chat | VS Code, copilot"]);
  });
});

describe("the state of each provider", () => {
  const [good, locked, broken, bare] = [serverForSuite(), serverForSuite(), serverForSuite(), serverForSuite()];

  it("is its own: connected, rejected, broken, without a list or not there", async () => {
    good().plan(byPath({ "/v1/models": { data: [{ id: "m" }] } }));
    locked().plan(refusal(401, "No."));
    broken().plan(refusal(500, "Oh."));
    bare().plan(byPath({}));
    const servers = { good, locked, broken, bare };
    const providers = Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [name, { address: server().baseUrl, models: ["named"] }]),
    );
    const dead = { address: "http://127.0.0.1:1/v1" };
    const found = await reportProviders(
      modelResolver({ findKey: async (address) => (address === locked().baseUrl ? "wrong" : undefined) }),
      providerSettings({ providers: { ...providers, dead } }),
      signal,
    );
    assert.deepEqual(
      found.providers.map(({ provider, state, models, hasKey }) =>
        [provider.id, state.kind, models.map(({ name }) => name).join(), ...(hasKey ? ["key"] : [])].join(" "),
      ),
      [
        "openai noKey ",
        "good connected named,m",
        "locked rejected named key",
        "broken failed named",
        "bare unlisted named",
        "dead unreachable ",
        "vscode noChatModels ",
      ],
    );
  });

  it("is reported for an added provider that doesn't work rather than for the default's missing key", async () => {
    locked().plan(refusal(401, "No."));
    const settings = providerSettings({ providers: { locked: { address: locked().baseUrl } } });
    const { source } = await reportProviders(modelResolver({}), settings, signal);
    assert.equal(source?.name, URL.parse(locked().baseUrl)?.host);
  });

  it("is reported for the model in use, wherever the base URL leads", async () => {
    const hostModels = async () => [{ id: "c1", name: "Chat", family: "c", create: () => assert.fail() }];
    const { source } = await reportProviders(
      modelResolver({ listHostModels: hostModels }),
      providerSettings({}),
      signal,
    );
    assert.deepEqual(source, { name: "VS Code", state: { kind: "connected", models: 1 } });
  });
});

describe("the usual models of a provider", () => {
  const usual = (id: string, ...names: readonly string[]) => {
    const provider = findNamedProvider(id, providerSettings({})) ?? assert.fail();
    const state = { kind: "connected", models: names.length } as const;
    return findUsualModels({ provider, state, models: names.map((name) => ({ name })), hasKey: true });
  };

  it("are a preset's if its server lists them, and otherwise the only one", () => {
    assert.deepEqual(
      {
        listed: usual("anthropic", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"),
        half: usual("anthropic", "claude-opus-5-5", "claude-sonnet-5-5"),
        only: usual("server", "llama"),
        several: usual("server", "llama", "qwen"),
        none: usual("anthropic"),
      },
      {
        listed: { smart: "claude-sonnet-5-5", fast: "claude-haiku-5-5" },
        half: { smart: "claude-sonnet-5-5", fast: "claude-sonnet-5-5" },
        only: { smart: "llama", fast: "llama" },
        several: undefined,
        none: undefined,
      },
    );
  });
});

describe("a provider that is added", () => {
  it("takes the place of a model that was only found, and of no other", () => {
    const anthropic = findNamedProvider("anthropic", providerSettings({})) ?? assert.fail();
    const replaced = (provider: string, model: Partial<ProviderSettings["model"]> = {}) =>
      isReplaceable({ model: "m", provider }, anthropic, providerSettings(model));
    assert.deepEqual(
      {
        found: replaced("vscode"),
        withKey: replaced("openai"),
        chosen: replaced("vscode", { smart: "m@vscode" }),
        set: replaced("vscode", { provider: "vscode" }),
        same: replaced("anthropic", { smart: "m@anthropic" }),
      },
      { found: true, withKey: false, chosen: false, set: false, same: true },
    );
  });
});

describe("a model that is chosen", () => {
  it("leaves the fast one as it is only where that one has a provider of its own", () => {
    const now = (fast: string) => ({ smart: "old@a", fast });
    assert.deepEqual(
      {
        same: createChosenSettings("smart", "m@b", now("")),
        own: createChosenSettings("smart", "m@b", now("f@a")),
        ofMain: createChosenSettings("smart", "m@b", now("f")),
        becomesMain: createChosenSettings("smart", "f@a", now("f@a")),
        fast: createChosenSettings("fast", "f@a", now("")),
        fastAsMain: createChosenSettings("fast", "old@a", now("f@a")),
      },
      {
        same: { "model.smart": "m@b" },
        own: { "model.smart": "m@b" },
        ofMain: { "model.smart": "m@b", "model.fast": "" },
        becomesMain: { "model.smart": "f@a", "model.fast": "" },
        fast: { "model.fast": "f@a" },
        fastAsMain: { "model.fast": "" },
      },
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
      ].map((text) => {
        const problem = findAddressProblem(text);
        return problem && writeInEnglish(problem);
      }),
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
    assert.deepEqual(["http://h", "http://h/v1", "http://h/v1beta", "http://h/api"].map(addApiVersion), [
      "http://h/v1",
      undefined,
      undefined,
      "http://h/api/v1",
    ]);
  });
});
