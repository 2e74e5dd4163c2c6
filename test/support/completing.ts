import assert from "node:assert/strict";
import type { Completion, CompletionOptions, Model, ModelDelta, ModelRequest } from "../../src/core/ports/model.ts";
import { ModelError } from "../../src/core/ports/model.ts";
import { openAiModel } from "../../src/models/providers/openai.ts";
import { type Sentence, writeInEnglish } from "../../src/texts/display-text.ts";

/** Keeps what a model tells while it completes. */
export class Listener implements CompletionOptions {
  readonly deltas: ModelDelta[] = [];
  readonly notices: string[] = [];
  restarts = 0;
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal = new AbortController().signal) {
    this.signal = signal;
  }

  readonly delta = (delta: ModelDelta): void => void this.deltas.push(delta);
  readonly notice = (text: Sentence): void => void this.notices.push(writeInEnglish(text));
  readonly restarted = (): void => void this.restarts++;

  /** The text of all deltas together. */
  get text(): string {
    return this.deltas.map((delta) => delta.text).join("");
  }
}

export const HELLO: ModelRequest = { messages: [{ role: "user", content: "Hello." }] };

export const WITH_TOOLS: ModelRequest = {
  ...HELLO,
  tools: [
    {
      name: "read_file",
      description: "Reads a file.",
      parameters: { type: "object", properties: { filename: { type: "string" } }, required: ["filename"] },
    },
  ],
};

export const WITH_SCHEMA: ModelRequest = { ...HELLO, schema: { name: "reply", schema: { type: "object" } } };

/** A model of a server, as plain as can be. */
export function plainModel(baseUrl: string, timeoutSeconds = 60, model = "m"): Model {
  return openAiModel({ baseUrl, apiKey: "k", model, contextWindow: 8_000, timeoutSeconds });
}

/** What a model replies. */
export async function reply(model: Model, request: ModelRequest = HELLO): Promise<Completion> {
  return model.complete(request, new Listener());
}

/** The trouble a model has with a request, and the sentence about it. */
export async function trouble(
  model: Model,
  request: ModelRequest = HELLO,
): Promise<{ readonly trouble: string; readonly message: string }> {
  try {
    await reply(model, request);
  } catch (error) {
    assert.ok(error instanceof ModelError, `A ModelError was expected, not ${String(error)}.`);
    return { trouble: error.trouble, message: error.message };
  }
  assert.fail("The model replied, but trouble was expected.");
}
