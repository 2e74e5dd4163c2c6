import assert from "node:assert/strict";
import { createOpenAiServer, ON_COMMAND_LINE } from "../../../../src/models/http/endpoint.ts";
import { createModelError } from "../../../../src/models/http/errors.ts";
import { openAiModel } from "../../../../src/models/providers/openai.ts";
import { trouble, WITH_TOOLS } from "../../../support/completing.ts";
import {
  event,
  json,
  refusal,
  type ServerAnswer,
  serverForSuite,
  stream,
  textChunks,
} from "../../../support/fake-model-server.ts";
import { freePort } from "../../../support/free-port.ts";

const KEY = "sk-proj-abcdefghijklmnop1234";
const settings = { apiKey: KEY, model: "my-model", contextWindow: 8_000, timeoutSeconds: 60 };

/** An answer, the trouble it means, and what the sentence about it must hold. */
const ANSWERS: readonly (readonly [name: string, answer: ServerAnswer, trouble: string, holds: RegExp])[] = [
  [
    "a wrong key",
    refusal(401, `Incorrect API key provided: ${KEY}.`, { code: "invalid_api_key" }),
    "setup",
    /rejected the API key.*Set API Key/,
  ],
  ...[
    [
      {
        error: {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    { code: "Client specified an invalid argument", error: "Incorrect API key provided: sk***xx." },
  ].map(
    (body) =>
      [
        `a wrong key, as if the request were wrong: ${JSON.stringify(body)}`,
        json(400, body),
        "setup",
        /rejected the API key.*Set API Key/,
      ] as const,
  ),
  ...["This organization has been disabled.", "The long context beta is not yet available for this subscription."].map(
    (words) => [words, refusal(400, words), "setup", /does not let this API key use my-model/] as const,
  ),
  ...(
    [
      [400, "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."],
      [400, "Budget has been exceeded! Current cost: 10.1, Max budget: 10.0"],
      [403, "Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys"],
      [403, "Your newly created team doesn't have any credits or licenses yet."],
      [429, "Your team has either used all available credits or reached its monthly spending limit."],
    ] as const
  ).map(([status, words]) => [words, refusal(status, words), "setup", /out of credit/] as const),
  [
    "a key that may not",
    refusal(403, "You are not allowed to sample from this model"),
    "setup",
    /does not let this API key use my-model/,
  ],
  [
    "a project without the model",
    refusal(403, "Project `proj_1` does not have access to model `my-model`", { code: "model_not_found" }),
    "setup",
    /does not let this API key use my-model/,
  ],
  [
    "an empty account",
    refusal(429, "You exceeded your current quota", {
      code: "insufficient_quota",
      type: "insufficient_quota",
    }),
    "setup",
    /out of credit/,
  ],
  ["an unpaid bill", refusal(402, "Insufficient Balance"), "setup", /out of credit/],
  [
    "an unknown model",
    refusal(404, "The model `my-model` does not exist or you do not have access to it.", {
      code: "model_not_found",
    }),
    "setup",
    /has no model "my-model".*Select Model/,
  ],
  [
    "a model that was not pulled",
    json(404, { error: { message: 'model "my-model" not found, try pulling it first', type: "api_error" } }),
    "setup",
    /has no model "my-model"/,
  ],
  ["an unknown model, refused", refusal(400, "my-model is not a valid model ID"), "setup", /has no model "my-model"/],
  [
    "no such path",
    { status: 404, headers: { "content-type": "text/plain" }, pieces: ["404 page not found"] },
    "setup",
    /no chat API \(404\).*Correct autogpt.model.baseUrl/,
  ],
  ["no such path, as FastAPI says it", json(404, { detail: "Not Found" }), "setup", /no chat API/],
  [
    "a web page",
    { headers: { "content-type": "text/html" }, pieces: ["\n<!doctype html><html>"] },
    "setup",
    /is a web page/,
  ],
  [
    "a login page in an event",
    { pieces: ["data: <!DOCTYPE html><html><form>Sign in</form></html>\n\n"] },
    "setup",
    /is a web page/,
  ],
  [
    "a login page that is called a stream of events",
    { pieces: ["<!DOCTYPE html><html><form>Sign in</form></html>"] },
    "setup",
    /is a web page/,
  ],
  [
    "a page of a captive portal with a mark and blank lines first",
    { pieces: ["\n\n", "\ufeff<html>", "<meta http-equiv=refresh>"] },
    "setup",
    /is a web page/,
  ],
  [
    "a page in XML",
    {
      headers: { "content-type": "text/event-stream; charset=utf-8" },
      pieces: ["<?xml version='1.0'?><Error/>"],
    },
    "setup",
    /is a web page/,
  ],
  [
    "a web page that is missing",
    { status: 404, headers: { "content-type": "text/html" }, pieces: ["<html>nginx</html>"] },
    "setup",
    /is a web page/,
  ],
  [
    "a redirect",
    { status: 301, headers: { location: "https://elsewhere.example/v1/chat/completions" }, pieces: [] },
    "setup",
    /redirects to https:\/\/elsewhere\.example/,
  ],
  [
    "a rate limit",
    refusal(429, "Rate limit reached for my-model", { code: "rate_limit_exceeded" }),
    "busy",
    /limiting requests right now \(429\)/,
  ],
  ["a failure without a reason", refusal(500, "Oops"), "busy", /returned an error \(500\)/],
  ["an overload", refusal(503, "The engine is currently overloaded"), "busy", /returned an error \(503\)/],
  [
    "a gateway's web page",
    { status: 502, headers: { "content-type": "text/html" }, pieces: ["<html>Bad Gateway</html>"] },
    "busy",
    /returned an error \(502\)/,
  ],
  ["a gateway that waited too long", refusal(504, "upstream timed out"), "busy", /took too long \(504\)/],
  ["a conflict", refusal(409, "Try again"), "busy", /\(409\)/],
  ["a request that took too long", refusal(408, "Request timeout"), "busy", /took too long \(408\)/],
  [
    "a content filter",
    refusal(400, "The response was filtered", { code: "content_filter" }),
    "other",
    /content filter/,
  ],
  [
    "a refusal of another kind",
    refusal(400, "messages.0: must not be empty"),
    "other",
    /did not accept the request \(400\).*messages\.0: must not be empty/,
  ],
  [
    "an error in a good answer",
    json(200, { error: { message: "Model is overloaded", type: "server_error" } }),
    "busy",
    /Model is overloaded/,
  ],
  ["an error in a good answer, as text", json(200, { error: "no model loaded" }), "other", /no model loaded/],
  [
    "an older server's error in a good answer",
    json(200, { object: "error", message: "Internal error", type: "internal_error", code: 500 }),
    "busy",
    /Internal error/,
  ],
  [
    "an error in the middle of a stream",
    stream(...textChunks("Hi"), event({ error: { message: "Rate limit exceeded", code: 429 } })),
    "busy",
    /cut off the reply.*Rate limit exceeded/,
  ],
  [
    "a wrong key in a stream, by its number",
    stream(event({ error: { code: 401, message: "No auth credentials found" } })),
    "setup",
    /rejected the API key/,
  ],
  [
    "an empty account in a stream, by its number",
    stream(event({ error: { code: 402, message: "This request requires more credits" } })),
    "setup",
    /out of credit/,
  ],
  [
    "a list of errors",
    json(400, [{ error: { code: 400, message: "Bad thing.", status: "INVALID_ARGUMENT" } }]),
    "other",
    /Bad thing"\./,
  ],
  ["an error without words", { status: 418, pieces: [] }, "other", /did not accept the request \(418\)/],
  ["a cut connection", stream(...textChunks("Hi"), "cut!"), "busy", /connection to .* was lost/],
  ["a connection cut at once", { pieces: ["cut!"] }, "busy", /connection to .* was lost/],
  ["garbage in a stream", { pieces: ["data: {nonsense\n\n"] }, "busy", /isn't part of a reply/],
  ["half a JSON answer", json(200, '{"choices": [{"mess'), "busy", /isn't part of a reply|lost/],
  ["an empty answer", { pieces: [] }, "busy", /ended its reply without any content/],
  [
    "a stream of nothing but comments",
    { pieces: [": hello\n\n", "data: [DONE]\n\n"] },
    "busy",
    /ended its reply without any content/,
  ],
];

describe("what a server answers instead of a reply", () => {
  const server = serverForSuite();

  for (const [name, answer, expected, holds] of ANSWERS) {
    it(`${name} is reported in a sentence`, async () => {
      server().plan(answer);
      const told = await trouble(openAiModel({ ...settings, baseUrl: server().baseUrl }), WITH_TOOLS);
      assert.deepEqual(
        {
          trouble: told.trouble,
          fits: holds.test(told.message),
          key: told.message.includes(KEY),
          whole: /^\S.*[.!?"]$/.test(told.message),
        },
        { trouble: expected, fits: true, key: false, whole: true },
        told.message,
      );
    });
  }

  it("an address without /v1 gets the advice to try it", async () => {
    server().plan(json(404, { detail: "Not Found" }));
    const { message } = await trouble(openAiModel({ ...settings, baseUrl: server().origin }));
    assert.match(message, new RegExp(`try ${server().origin}/v1`));
  });

  it("a server that asks for a key where none is set says so", async () => {
    server().plan(refusal(401, "Missing bearer token"));
    const { message } = await trouble(openAiModel({ ...settings, apiKey: "", baseUrl: server().baseUrl }));
    assert.match(message, /needs an API key, and none is set\. To set one, run "AutoGPT: Set API Key…"/);
  });

  it("a key that a server repeats is taken out of its words, even a strange one", async () => {
    server().plan(refusal(401, "Bad token my+secret/word= and Bearer abcdefgh12345678 and sk-other-1234567890"));
    const { message } = await trouble(
      openAiModel({ ...settings, apiKey: "my+secret/word=", baseUrl: server().baseUrl }),
    );
    assert.match(message, /It said: "Bad token \[key\] and \[key\] and \[key\]"\.$/);
  });

  it("a server's long and crooked words are cut short and put on one line", async () => {
    server().plan(refusal(400, `first\r\n\u202esecond ${"x".repeat(5_000)}`));
    const { message } = await trouble(openAiModel({ ...settings, baseUrl: server().baseUrl }));
    assert.deepEqual([message.includes('It said: "first second xxx'), message.length < 700], [true, true]);
  });
});

describe("a request that cannot be sent", () => {
  const cases: readonly [string, Partial<typeof settings> & { baseUrl: string }, RegExp][] = [
    [
      "no key for a server of the world",
      { apiKey: " ", baseUrl: "https://api.openai.com/v1" },
      /^No API key is set for https:\/\/api\.openai\.com\/v1\./,
    ],
    [
      "a key with something pasted to it",
      { apiKey: "“sk-abc”", baseUrl: "https://api.openai.com/v1" },
      /^The API key .* characters that no key has/,
    ],
    ["no address", { baseUrl: "" }, /^"" is not a web address\. Set autogpt\.model\.baseUrl/],
    ["another scheme", { baseUrl: "ftp://models.example" }, /^"ftp:\/\/models\.example" is not a web address/],
    [
      "a password in the address",
      { baseUrl: "https://me:secret@models.example/v1" },
      /contains a user name or password/,
    ],
  ];
  for (const [name, change, expected] of cases) {
    it(`${name} is reported before anything is sent`, async () => {
      const told = await trouble(openAiModel({ ...settings, ...change }));
      assert.deepEqual(
        [told.trouble, expected.test(told.message), told.message.includes("secret")],
        ["setup", true, false],
        told.message,
      );
    });
  }
});

describe("a connection that fails", () => {
  const server = createOpenAiServer("https://models.example/v1", settings);
  const caused = (code: string, message = "") =>
    new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });
  const cases: readonly [string, Error, string, RegExp][] = [
    [
      "a certificate of the company's own",
      caused("SELF_SIGNED_CERT_IN_CHAIN"),
      "setup",
      /certificate of models\.example isn't trusted.*have its root certificate installed/,
    ],
    [
      "a certificate that no authority vouches for",
      caused("UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
      "setup",
      /isn't trusted/,
    ],
    ["an old certificate", caused("CERT_HAS_EXPIRED"), "setup", /isn't trusted on this machine \(CERT_HAS_EXPIRED\)/],
    ["another's certificate", caused("ERR_TLS_CERT_ALTNAME_INVALID"), "setup", /isn't trusted/],
    ["an unknown host", caused("ENOTFOUND"), "setup", /There is no host "models\.example"/],
    [
      "a proxy that wants a name",
      caused("UND_ERR_ABORTED", "Proxy response (407) !== 200 when HTTP Tunneling"),
      "setup",
      /http\.proxy/,
    ],
    ["a name server out of reach", caused("EAI_AGAIN"), "busy", /lost \(EAI_AGAIN\)/],
    ["a reset", caused("ECONNRESET", "read ECONNRESET"), "busy", /lost \(ECONNRESET\)/],
    ["a dead network", caused("ENETUNREACH"), "busy", /Check the network/],
    [
      "several addresses, all refused",
      new TypeError("fetch failed", { cause: new AggregateError([caused("ECONNREFUSED")]) }),
      "setup",
      /Can't reach/,
    ],
    ["a socket that ended", new TypeError("terminated"), "busy", /was lost.*terminated/],
  ];
  for (const [name, error, trouble, holds] of cases) {
    it(`${name} is reported in a sentence`, () => {
      const told = createModelError(error, server, { messages: [] });
      assert.deepEqual([told.trouble, holds.test(told.message)], [trouble, true], told.message);
    });
  }
});

describe("a server that cannot be reached", () => {
  const server = serverForSuite();

  it("is dead", async () => {
    const port = await freePort();
    const dead = { ...settings, baseUrl: `http://127.0.0.1:${port}/v1` };
    const told = [await trouble(openAiModel(dead)), await trouble(openAiModel({ ...dead, steps: ON_COMMAND_LINE }))];
    assert.deepEqual(
      told,
      ["autogpt.model.baseUrl", "--base-url"].map((address) => ({
        trouble: "setup",
        message: `Can't reach http://127.0.0.1:${port}/v1. Start the server there, or correct ${address}.`,
      })),
    );
  });

  it("has no such name", async () => {
    const { trouble: kind, message } = await trouble(
      openAiModel({ ...settings, baseUrl: "http://no-such-host.invalid/v1" }),
    );
    assert.deepEqual([["setup", "busy"].includes(kind), message.includes("no-such-host.invalid")], [true, true]);
  });

  it("speaks no https", async () => {
    const { trouble: kind, message } = await trouble(
      openAiModel({ ...settings, baseUrl: `https://127.0.0.1:${server().port}/v1` }),
    );
    assert.deepEqual([kind, /doesn't speak HTTPS.*write http:\/\//.test(message)], ["setup", true], message);
  });
});
