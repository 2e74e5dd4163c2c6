import assert from "node:assert/strict";
import { collectServiceKeys, createKeyLookup } from "../../../src/headless/service-keys.ts";
import { DEFAULT_SETTINGS } from "../../../src/schema/read-settings.ts";

const AZURE = "https://me.openai.azure.com";
const settings = { ...DEFAULT_SETTINGS, azure: { ...DEFAULT_SETTINGS.azure, endpoint: AZURE } };

describe("the keys of a command line", () => {
  const keysIn = async (env: Readonly<Record<string, string>>) => {
    const keyFor = createKeyLookup(collectServiceKeys(settings, env));
    return {
      openAi: await keyFor("https://api.openai.com/v1/models"),
      azure: await keyFor(AZURE),
      other: await keyFor("https://api.example.com/v1"),
    };
  };

  it("are those of each provider's own variable, for its own origin alone", async () =>
    assert.deepEqual(await keysIn({ OPENAI_API_KEY: "o", AZURE_OPENAI_API_KEY: "a" }), {
      openAi: "o",
      azure: "a",
      other: undefined,
    }));

  it("are those of the presets and of the user's own providers, under their names", async () => {
    const providers = { "my-gpu": { address: "https://gpu.example/v1" } };
    const own = { ...settings, model: { ...settings.model, providers } };
    const keyFor = createKeyLookup(
      collectServiceKeys(own, { ANTHROPIC_API_KEY: "a", MY_GPU_API_KEY: "g", HF_TOKEN: "h" }),
    );
    const addresses = [
      "https://api.anthropic.com/v1",
      "https://gpu.example/v1",
      "https://router.huggingface.co/v1",
      "https://api.mistral.ai/v1",
    ];
    assert.deepEqual(await Promise.all(addresses.map(keyFor)), ["a", "g", "h", undefined]);
  });

  it("are OpenAI's at Azure where it has none of its own", async () =>
    assert.deepEqual(await keysIn({ OPENAI_API_KEY: "o" }), { openAi: "o", azure: "o", other: undefined }));
});
