import assert from "node:assert/strict";
import type { ChatMessage, ModelRequest } from "../../../../src/core/ports/model.ts";
import { adaptDialect } from "../../../../src/models/chat/dialect.ts";
import { findModelFamily } from "../../../../src/models/chat/families.ts";
import { createChatRequest } from "../../../../src/models/wire/chat-completions.ts";
import { createResponsesRequest } from "../../../../src/models/wire/responses.ts";

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
  createResponsesRequest(model, requestAfter(steps), findModelFamily(model, OPENAI).createDialectFor("responses"));

/** Texts that end at a mark. */
function marked(model: string, steps: number): readonly string[] {
  const { input } = body(model, steps);
  const parts = JSON.stringify(input).match(/"text":"[^"]*","prompt_cache_breakpoint":\{"mode":"explicit"\}/g) ?? [];
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
    const dialect = findModelFamily("gpt-6.2-sol", OPENAI).createDialectFor("responses");
    const complaint = {
      message: "Unknown parameter: 'prompt_cache_options'.",
      code: "",
      type: "",
      param: "",
    };
    const adapted = adaptDialect(dialect, { status: 400, complaint, retryAfterMs: undefined }, requestAfter(1));
    assert.deepEqual(
      [body("gpt-6.2-sol", 1).prompt_cache_options, adapted?.cachePoints, adapted?.cacheKey],
      [{ mode: "explicit" }, false, true],
    );
  });
});

describe("few words", () => {
  /** The parameter for them and the key for the cache, over each API that OpenAI has. */
  const sent = (model: string, address = OPENAI): readonly unknown[] => {
    const family = findModelFamily(model, address);
    const request: ModelRequest = { ...requestAfter(1), isBrief: true };
    const over = createResponsesRequest(model, request, family.createDialectFor("responses"));
    const chat = createChatRequest(model, request, family.createDialectFor("chat"));
    return [over.text?.verbosity, over.prompt_cache_key, chat.verbosity, chat.prompt_cache_key];
  };

  it("are asked only of models that know them, and a key is given only to services that take it", () => {
    assert.deepEqual(
      {
        newest: sent("gpt-6.2-sol"),
        first: sent("gpt-5-mini"),
        code: sent("gpt-5.1-codex-max"),
        o: sent("o4-mini"),
        plain: sent("gpt-4.1"),
        azure: sent("gpt-5.1", "https://mine.openai.azure.com"),
        gateway: sent("openai/gpt-5.1", "http://127.0.0.1:4000/v1"),
        other: sent("qwen3:8b", "http://127.0.0.1:11434/v1"),
      },
      {
        newest: ["low", "run", "low", "run"],
        first: ["low", "run", "low", "run"],
        code: [undefined, "run", undefined, "run"],
        o: [undefined, "run", undefined, "run"],
        plain: [undefined, "run", undefined, "run"],
        azure: ["low", "run", undefined, undefined],
        gateway: [undefined, undefined, undefined, undefined],
        other: [undefined, undefined, undefined, undefined],
      },
    );
  });

  it("are asked where thoughts are short, and never elsewhere", () => {
    const full = createResponsesRequest(
      "gpt-6.2-sol",
      requestAfter(1),
      findModelFamily("gpt-6.2-sol", OPENAI, "auto", "auto").dialect,
    );
    assert.equal(full.text, undefined);
  });
});
