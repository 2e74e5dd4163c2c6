import assert from "node:assert/strict";
import { askSight } from "../../../../src/models/catalog/list-models.ts";
import { canSeePicturesByName } from "../../../../src/models/catalog/model-facts.ts";
import { json, serverForSuite } from "../../../support/fake-model-server.ts";

const TAKERS =
  "gpt-5 gpt-4o-mini gpt-4.1-nano gpt-6-luna o3 o4-mini claude-haiku-4-5 anthropic/claude-sonnet-5 gemini-2.5-flash gemma-3-12b-it pixtral-12b qwen2.5-vl:7b llama3.2-vision llava:13b glm-4.5v llama-4-scout";
const NON_TAKERS =
  "gpt-3.5-turbo gpt-4 gpt-4-0613 gpt-oss:20b o3-mini o1-mini deepseek-chat deepseek-r1:14b codestral-latest qwen2.5-coder:7b qwen3-coder:30b mistral-nemo phi4 llama3.1:8b gemma-3-1b command-r-plus";
const UNKNOWN = "fake qwen3:8b llama3.2:3b kimi-k2 my-model";

const namesThat = (names: string, sees: boolean | undefined): readonly string[] =>
  names.split(" ").filter((name) => canSeePicturesByName(name) !== sees);

describe("whether a model takes pictures", () => {
  const server = serverForSuite();

  it("is known by the names of common models, and by no others", () =>
    assert.deepEqual(
      [namesThat(TAKERS, true), namesThat(NON_TAKERS, false), namesThat(UNKNOWN, undefined)],
      [[], [], []],
    ));

  it("is what OpenRouter and Mistral report, where the name doesn't show it", async () => {
    const listed = [
      { id: "seer", architecture: { input_modalities: ["text", "image"] } },
      { id: "reader", architecture: { input_modalities: ["text"] } },
      { id: "mist", capabilities: { vision: true } },
      { id: "plain" },
    ];
    server().plan(json(200, { data: listed }));
    const listing = { baseUrl: server().baseUrl, apiKey: "k", prices: {}, timeoutSeconds: 5 };
    const { signal } = new AbortController();
    const found = listed.map(async ({ id }) => [id, await askSight(id, listing, signal)] as const);
    assert.deepEqual(Object.fromEntries(await Promise.all(found)), {
      seer: true,
      reader: false,
      mist: true,
      plain: undefined,
    });
  });
});
