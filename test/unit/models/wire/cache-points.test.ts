import assert from "node:assert/strict";
import type { ChatMessage, ModelRequest } from "../../../../src/core/ports/model.ts";
import { adaptedDialect } from "../../../../src/models/chat/dialect.ts";
import { familyOf } from "../../../../src/models/chat/families.ts";
import { responsesRequest } from "../../../../src/models/wire/responses.ts";

const OPENAI = "https://api.openai.com/v1";

function step(at: number): readonly ChatMessage[] {
  const id = `call_${at}`;
  return [
    { role: "assistant", content: "", calls: [{ id, name: "read_file", arguments: "{}" }] },
    { role: "tool", callId: id, content: `Outcome ${at}.` },
  ];
}

/** The request after so many steps, whose tail is new each time. */
function requestAfter(steps: number): ModelRequest {
  const kept: readonly ChatMessage[] = [
    { role: "system", content: "You are AutoGPT." },
    { role: "user", content: "Fix it." },
    ...Array.from({ length: steps }, (_, at) => step(at)).flat(),
  ];
  const tail: ChatMessage = { role: "user", content: `Now: ${steps}.` };
  return { messages: [...kept, tail], cached: { key: "run", messages: kept.length } };
}

const body = (model: string, steps: number) =>
  responsesRequest(model, requestAfter(steps), familyOf(model, OPENAI).over("responses"));

/** Texts that end at a mark. */
function marked(model: string, steps: number): readonly string[] {
  const { input } = body(model, steps);
  const parts =
    JSON.stringify(input).match(/"text":"[^"]*","prompt_cache_breakpoint":\{"mode":"explicit"\}/g) ?? [];
  return parts.map((part) => part.split('"')[3] ?? "");
}

describe("what OpenAI is to keep of a prompt", () => {
  it("is marked from GPT-5.6 on, where nothing else is kept, and never the tail", () => {
    assert.deepEqual(
      { newest: marked("gpt-6.2-sol", 2), first: marked("gpt-5.6-luna", 0), old: marked("gpt-5.4", 2) },
      {
        newest: ["You are AutoGPT.", "Fix it.", "Outcome 0.", "Outcome 1."],
        first: ["You are AutoGPT.", "Fix it."],
        old: [],
      },
    );
  });

  it("ends at a mark that the next request has, too", () => {
    for (const steps of [1, 2, 7])
      assert.ok(marked("gpt-6.2-sol", steps + 1).includes(marked("gpt-6.2-sol", steps).at(-1) ?? "?"));
  });

  it("is asked for without marks after a server refuses them, and still with its key", () => {
    const dialect = familyOf("gpt-6.2-sol", OPENAI).over("responses");
    const complaint = {
      message: "Unknown parameter: 'prompt_cache_options'.",
      code: "",
      type: "",
      param: "",
    };
    const adapted = adaptedDialect(
      dialect,
      { status: 400, complaint, retryAfterMs: undefined },
      requestAfter(1),
    );
    assert.deepEqual(
      [body("gpt-6.2-sol", 1).prompt_cache_options, adapted?.cachePoints, adapted?.cacheKey],
      [{ mode: "explicit" }, false, true],
    );
  });
});
