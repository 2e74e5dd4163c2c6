import assert from "node:assert/strict";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { openAiClient } from "../../../src/models/http/client.ts";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import { HELLO, reply, WITH_SCHEMA, WITH_TOOLS } from "../../support/completing.ts";
import { saying, serverForSuite } from "../../support/fake-model-server.ts";

const settings = { apiKey: "test-key", model: "my-model", contextWindow: 8_000, timeoutSeconds: 60 };

describe("the body of a request", () => {
  const server = serverForSuite();
  const sent = async (request: ModelRequest): Promise<unknown> => {
    server().plan(saying("Hi."));
    await reply(openAiModel({ ...settings, baseUrl: server().baseUrl }), request);
    return server().requests.at(-1)?.body;
  };

  it("asks for a stream with its count of tokens", async () => {
    assert.deepEqual(await sent({ ...HELLO, maxReplyTokens: 500, temperature: 0.3 }), {
      model: "my-model",
      messages: [{ role: "user", content: "Hello." }],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 500,
      temperature: 0.3,
    });
  });

  it("asks for exactly one call of the tools", async () => {
    const { tools, tool_choice, parallel_tool_calls } = Object(await sent(WITH_TOOLS));
    assert.deepEqual(
      { tools, tool_choice, parallel_tool_calls },
      {
        tools: WITH_TOOLS.tools?.map((tool) => ({ type: "function", function: tool })),
        tool_choice: "required",
        parallel_tool_calls: false,
      },
    );
  });

  it("asks for an object of the schema", async () => {
    assert.deepEqual(Object(await sent(WITH_SCHEMA)).response_format, {
      type: "json_schema",
      json_schema: WITH_SCHEMA.schema,
    });
  });

  it("expresses calls and their outcomes in the words of the API", async () => {
    const call = { id: "c1", name: "read_file", arguments: '{"filename":"a"}' };
    const { messages } = Object(
      await sent({
        messages: [
          { role: "system", content: "Be good." },
          { role: "assistant", content: "", calls: [call] },
          { role: "tool", callId: "c1", content: "done" },
          { role: "assistant", content: "Well." },
        ],
      }),
    );
    assert.deepEqual(messages, [
      { role: "system", content: "Be good." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "read_file", arguments: '{"filename":"a"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "done" },
      { role: "assistant", content: "Well." },
    ]);
  });
});

describe("the limit of a reply", () => {
  const server = serverForSuite();

  it("leaves room for what the model thinks unseen", async () => {
    server().plan(saying("Hi."));
    await reply(openAiModel({ ...settings, model: "gpt-5", baseUrl: server().baseUrl }), {
      ...HELLO,
      maxReplyTokens: 500,
    });
    assert.equal(server().requests.at(-1)?.body.max_tokens, 25_500);
  });
});

describe("the head of a request", () => {
  const server = serverForSuite();

  it("names the organization and the project to OpenAI, and to no other server", async () => {
    const account = { organization: " org-1 ", project: "proj_1" };
    const named = async (baseUrl: string, of = account) => {
      const { organization, project } = await openAiClient({ baseUrl, apiKey: "k", account: of }, "json");
      return [organization, project];
    };
    server().plan(saying("Hi."));
    await reply(openAiModel({ ...settings, baseUrl: server().baseUrl, account }));
    assert.deepEqual(
      {
        openAi: await named("https://api.openai.com/v1"),
        unset: await named("https://api.openai.com/v1", { organization: "", project: "" }),
        other: await named("https://api.openai.com.example.com/v1"),
        sent: Object.keys(server().requests.at(-1)?.headers ?? {}).filter((name) => /^openai-/.test(name)),
      },
      { openAi: ["org-1", "proj_1"], unset: [null, null], other: [null, null], sent: [] },
    );
  });

  it("sends the key, and nothing about this machine", async () => {
    server().plan(saying("Hi."));
    await reply(openAiModel({ ...settings, baseUrl: server().baseUrl }));
    const { headers, path } = server().requests.at(-1) ?? assert.fail();
    assert.deepEqual(
      {
        path,
        authorization: headers.authorization,
        telling: Object.keys(headers).filter((name) => /stainless|organization|project/.test(name)),
      },
      { path: "/v1/chat/completions", authorization: "Bearer test-key", telling: [] },
    );
  });

  it("sends no key and no header of the environment", async () => {
    server().plan(saying("Hi."));
    process.env.OPENAI_API_KEY = "from-the-environment";
    process.env.OPENAI_CUSTOM_HEADERS = "authorization: from-the-environment\nx-secret: 1";
    const sent: unknown[] = [];
    try {
      for (const apiKey of ["", "k"]) {
        await reply(openAiModel({ ...settings, baseUrl: server().baseUrl, apiKey }));
        const { authorization, "x-secret": secret } = server().requests.at(-1)?.headers ?? {};
        sent.push([authorization, secret]);
      }
    } finally {
      delete process.env.OPENAI_API_KEY;
      delete process.env.OPENAI_CUSTOM_HEADERS;
    }
    assert.deepEqual(sent, [
      [undefined, undefined],
      ["Bearer k", undefined],
    ]);
  });

  it("takes an address as people write it", async () => {
    server().plan(saying("Hi."));
    await reply(openAiModel({ ...settings, baseUrl: `127.0.0.1:${server().port}/v1/chat/completions/` }));
    assert.equal(server().requests.at(-1)?.path, "/v1/chat/completions");
  });
});
