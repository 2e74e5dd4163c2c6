import assert from "node:assert/strict";
import { parseComplaint } from "../../../../src/models/http/error-response.ts";

const CASES: readonly [string, string, object][] = [
  [
    "OpenAI's shape",
    '{"error":{"message":"No.","type":"t","code":"c","param":"p"}}',
    { message: "No.", type: "t", code: "c", param: "p" },
  ],
  [
    "a number for a code",
    '{"error":{"message":"No.","code":400,"status":"INVALID"}}',
    { message: "No.", code: "INVALID", status: 400 },
  ],
  ["a text alone", '{"error":"No."}', { message: "No." }],
  ["a bare message", '{"object":"error","message":"No.","type":"t"}', { message: "No.", type: "t" }],
  ["a detail", '{"detail":"No."}', { message: "No." }],
  [
    "details of a validator",
    '{"detail":[{"loc":["body","tools"],"msg":"extra"},{"msg":"also"}]}',
    { message: "body.tools: extra; also" },
  ],
  ["a message that is an object", '{"error":{"message":{"a":1}}}', { message: '{"a":1}' }],
  ["a list", '[{"error":{"message":"No."}}]', { message: "No." }],
  [
    "OpenRouter's, with the provider's own",
    '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\\"error\\":{\\"message\\":\\"No.\\",\\"type\\":\\"t\\",\\"param\\":\\"p\\"}}","provider_name":"OpenAI"}}}',
    { message: "Provider returned error: No.", type: "t", param: "p", status: 400 },
  ],
  [
    "OpenRouter's, with the provider's words as text",
    '{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"No."}}}',
    { message: "Provider returned error: No.", status: 429 },
  ],
  ["a JSON string", '"No."', { message: "No." }],
  ["plain text", " No.\n", { message: "No." }],
  ["a web page", " <html>", { code: "web_page" }],
  ["nothing", "", {}],
  ["null", "null", {}],
];

describe("a complaint", () => {
  for (const [name, body, expected] of CASES) {
    it(`is read from ${name}`, () => {
      assert.deepEqual(parseComplaint(body), { message: "", code: "", type: "", param: "", ...expected });
    });
  }
});
