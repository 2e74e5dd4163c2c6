import assert from "node:assert/strict";
import { type FixtureFileResponse, LLMock } from "@copilotkit/aimock";
import { listModels } from "../../../src/models/catalog/list-models.ts";
import { createAzureModel } from "../../../src/models/providers/azure.ts";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import { HELLO, reply, trouble, WITH_SCHEMA, WITH_TOOLS } from "../../support/completing.ts";

const settings = { apiKey: "test-key", model: "gpt-4o", contextWindow: 8_000, timeoutSeconds: 60 };
const mock = new LLMock({ port: 0, logLevel: "silent" });
const model = () => openAiModel({ ...settings, baseUrl: `${mock.url}/v1` });

/** What the mock replies to everything. */
function replies(response: FixtureFileResponse, options: object = {}): void {
  mock.clearFixtures();
  mock.on({ userMessage: "Hello." }, response, options);
}

/** Refusals of a server that others wrote, and the trouble they mean. */
const REFUSALS: readonly [
  string,
  { status: number; error: { message: string; type?: string; code?: string } },
  string,
][] = [
  ["a rate limit", { status: 429, error: { message: "Rate limit reached", type: "rate_limit_error" } }, "busy"],
  [
    "an empty account",
    {
      status: 429,
      error: {
        message: "You exceeded your current quota",
        type: "insufficient_quota",
        code: "insufficient_quota",
      },
    },
    "setup",
  ],
  ["an overload", { status: 503, error: { message: "Overloaded" } }, "busy"],
  ["a wrong key", { status: 401, error: { message: "Incorrect API key provided", code: "invalid_api_key" } }, "setup"],
  [
    "a long prompt",
    {
      status: 400,
      error: {
        message: "This model's maximum context length is 8192 tokens.",
        code: "context_length_exceeded",
      },
    },
    "context",
  ],
];

describe("a server that others wrote", () => {
  before(async () => void (await mock.start()));
  after(() => mock.stop());

  for (const [name, refused, expected] of REFUSALS) {
    it(`reports ${name}`, async () => {
      replies(refused);
      assert.equal((await trouble(model())).trouble, expected);
    });
  }

  it("calls several tools at once", async () => {
    replies({
      toolCalls: ["a", "b"].map((filename) => ({
        name: "read_file",
        arguments: JSON.stringify({ filename }),
      })),
    });
    const { calls } = await reply(model(), WITH_TOOLS);
    assert.deepEqual(
      calls.map((call) => call.arguments),
      ['{"filename":"a"}', '{"filename":"b"}'],
    );
  });

  it("hands on arguments that are no JSON", async () => {
    replies({ toolCalls: [{ name: "read_file", arguments: '{"filename": "a' }] });
    assert.equal((await reply(model(), WITH_TOOLS)).calls[0]?.arguments, '{"filename": "a');
  });

  it("answers by a schema", async () => {
    replies({ content: '{"fine":true}' });
    assert.equal((await reply(model(), WITH_SCHEMA)).text, '{"fine":true}');
  });

  it("breaks off a reply", async () => {
    replies({ content: "A reply that is cut somewhere in its middle." }, { chunkSize: 5, truncateAfterChunks: 3 });
    assert.equal((await trouble(model(), HELLO)).trouble, "busy");
  });

  it("says that a reply was too long", async () => {
    replies({ content: "And so on and", finishReason: "length" });
    assert.equal((await reply(model())).finish, "length");
  });
});

describe("the other doors of a server that others wrote", () => {
  before(async () => void (await mock.start()));
  after(() => mock.stop());

  it("open to Azure's client", async () => {
    replies({ content: "Hi from Azure." });
    const azure = createAzureModel({
      ...settings,
      endpoint: mock.url,
      apiVersion: "2024-10-21",
      deployment: "gpt-4o",
    });
    assert.equal((await reply(azure)).text, "Hi from Azure.");
  });

  it("list models", async () => {
    replies({ content: "Hi." });
    const listing = { baseUrl: `${mock.url}/v1`, apiKey: "k", prices: {}, timeoutSeconds: 60 };
    const offered = await listModels(listing, new AbortController().signal);
    assert.equal(
      offered.some(({ name }) => name.startsWith("gpt-4")),
      true,
    );
  });
});
