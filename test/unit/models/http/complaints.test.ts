import assert from "node:assert/strict";
import { isTooLongComplaint, readTokenSizes } from "../../../../src/models/http/complaints.ts";
import { parseComplaint, type ServerTrouble } from "../../../../src/models/http/error-response.ts";

const TOO_LONG: readonly [string, number, string][] = [
  [
    "OpenAI",
    400,
    `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.","code":"context_length_exceeded"}}`,
  ],
  [
    "OpenAI's newer models",
    400,
    `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","code":"context_length_exceeded"}}`,
  ],
  [
    "OpenAI, of a whole minute's tokens",
    429,
    `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.","code":"rate_limit_exceeded"}}`,
  ],
  [
    "Azure",
    400,
    `{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}`,
  ],
  [
    "vLLM",
    400,
    `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, 2000 in the completion).","type":"BadRequestError","code":400}`,
  ],
  [
    "vLLM, of the reply's length",
    400,
    `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 tokens and your request has 2000 input tokens."}}`,
  ],
  [
    "vLLM, of a prompt",
    400,
    `{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096."}}`,
  ],
  [
    "llama.cpp",
    400,
    `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`,
  ],
  [
    "llama.cpp's newer versions",
    400,
    `{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}`,
  ],
  [
    "llama.cpp's Python server",
    400,
    `{"error":{"message":"This model's maximum context length is 512 tokens","code":"context_length_exceeded"}}`,
  ],
  ["Ollama", 400, `{"error":{"message":"the input length exceeds the context length","type":"invalid_request_error"}}`],
  ["Ollama, of a cloud model", 400, `{"error":"prompt too long; exceeded max context length by 100 tokens"}`],
  [
    "LM Studio",
    400,
    `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`,
  ],
  [
    "LM Studio, of the first tokens",
    400,
    `{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}`,
  ],
  ["Anthropic", 400, `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`],
  [
    "Google",
    400,
    `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
  ],
  ["Mistral", 400, `{"message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}`],
  [
    "Groq",
    400,
    `{"error":{"message":"Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}`,
  ],
  ["a gateway that counts bytes", 413, "Payload Too Large"],
];

const OTHERS: readonly [string, number, string][] = [
  ["a limit of tokens a minute", 429, `{"message":"Too many tokens, please wait before trying again."}`],
  [
    "a rate limit",
    429,
    `{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.","code":"rate_limit_exceeded"}}`,
  ],
  [
    "a reply's length alone",
    400,
    `{"error":{"message":"max_tokens is too large: 32000. This model supports at most 16384 completion tokens.","param":"max_tokens"}}`,
  ],
  ["a missing model", 404, `{"error":{"message":"model not found"}}`],
  ["an overload", 503, `{"error":{"message":"The server is overloaded, try again later."}}`],
];

const troubleOf = (status: number, body: string): ServerTrouble => ({
  status,
  complaint: parseComplaint(body),
  retryAfterMs: undefined,
});

describe("a prompt that is too long", () => {
  for (const [name, status, body] of TOO_LONG)
    it(`is known by the words of ${name}`, () => assert.equal(isTooLongComplaint(troubleOf(status, body)), true));

  for (const [name, status, body] of OTHERS)
    it(`is not what ${name} is about`, () => assert.equal(isTooLongComplaint(troubleOf(status, body)), false));
});

describe("the sizes in a complaint about length", () => {
  const sizes = Object.fromEntries(
    TOO_LONG.map(([name, status, body]) => {
      const { window, promptTokens } = readTokenSizes(troubleOf(status, body));
      return [name, [window, promptTokens]];
    }),
  );

  it("are read in the words of every server that reports them", () =>
    assert.deepEqual(sizes, {
      OpenAI: [8192, 9001],
      "OpenAI's newer models": [undefined, undefined],
      "OpenAI, of a whole minute's tokens": [undefined, undefined],
      Azure: [128000, undefined],
      vLLM: [4096, 3000],
      "vLLM, of the reply's length": [4096, 2000],
      "vLLM, of a prompt": [4096, undefined],
      "llama.cpp": [4096, undefined],
      "llama.cpp's newer versions": [4096, 5000],
      "llama.cpp's Python server": [512, undefined],
      Ollama: [undefined, undefined],
      "Ollama, of a cloud model": [undefined, undefined],
      "LM Studio": [4096, undefined],
      "LM Studio, of the first tokens": [undefined, undefined],
      Anthropic: [200000, 210000],
      Google: [1048576, 1200000],
      Mistral: [32768, 40000],
      Groq: [undefined, undefined],
      "a gateway that counts bytes": [undefined, undefined],
    }));
});
