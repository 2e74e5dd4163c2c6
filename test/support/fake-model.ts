import type {
  Completion,
  CompletionOptions,
  Model,
  ModelRequest,
  ReplyFormat,
  Usage,
} from "../../src/core/ports/model.ts";

/** What a fake model does when it is asked: complete, or throw. */
export type Answer =
  | Partial<Completion>
  | Error
  | ((request: ModelRequest, completing: CompletionOptions) => Promise<Partial<Completion>>);

/** A model that plays its answers in order, the last one again and again, and keeps what it was asked. */
export class FakeModel implements Model {
  readonly name = "fake";
  readonly contextWindow: number;
  readonly formats: readonly ReplyFormat[];
  readonly requests: ModelRequest[] = [];
  /** Set by tests of budgets. */
  costOf?: (usage: Usage) => number | undefined;
  private readonly answers: readonly Answer[];

  constructor(answers: readonly Answer[], formats: readonly ReplyFormat[] = ["text"], contextWindow = 32_000) {
    this.answers = answers;
    this.formats = formats;
    this.contextWindow = contextWindow;
  }

  async complete(request: ModelRequest, completing: CompletionOptions): Promise<Completion> {
    completing.signal.throwIfAborted();
    const answer = this.answers[Math.min(this.requests.length, this.answers.length - 1)];
    this.requests.push(request);
    if (answer instanceof Error) throw answer;
    const completion = typeof answer === "function" ? await answer(request, completing) : answer;
    return { text: "", calls: [], finish: "stop", model: "fake", costUsd: 0.001, ...completion };
  }
}

/** A completion whose text is the reply that proposes this command. */
export function says(
  name: string,
  args: object = {},
  thoughts: string | object = `I want ${name}.`,
): Partial<Completion> {
  return {
    text: JSON.stringify({
      thoughts: typeof thoughts === "string" ? { text: thoughts } : thoughts,
      command: { name, args },
    }),
    usage: { input: 100, output: 10 },
  };
}

/** The same as a tool call. */
export function calls(name: string, args: object = {}, id = "call_1"): Partial<Completion> {
  return {
    calls: [{ id, name, arguments: JSON.stringify({ thoughts: { text: `I want ${name}.` }, ...args }) }],
    finish: "tool_calls",
    usage: { input: 100, output: 10 },
  };
}
