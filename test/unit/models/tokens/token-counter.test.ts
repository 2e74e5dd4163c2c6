import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type CountTokens, estimateTokens, TokenMeter } from "../../../../src/core/context/tokens.ts";
import type { ModelRequest, ReplyFormat } from "../../../../src/core/ports/model.ts";
import { findEncoding } from "../../../../src/models/tokens/encodings.ts";
import { TokenCounter } from "../../../../src/models/tokens/token-counter.ts";
import { splitUnbrokenRuns } from "../../../../src/models/tokens/unbroken.ts";
import { calls, FakeModel, says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";
import { openAiTokens, templateTokens } from "../../../support/server-tokens.ts";

const WORKER = new URL("../../../../src/models/tokens/token-worker.ts", import.meta.url);

/** Waits until a text's tokens aren't estimated anymore. */
async function counted(count: CountTokens, text: string): Promise<void> {
  while (count(text) === estimateTokens(text)) await nextTurn();
}

describe("tokens counted in a worker", () => {
  const counters: TokenCounter[] = [];
  const counter = (worker = WORKER): TokenCounter => {
    const made = new TokenCounter({ worker });
    counters.push(made);
    return made;
  };
  afterEach(async () => {
    for (const made of counters.splice(0)) await made.close();
  });

  it("are estimated until the worker has answered, and counted from then on", async () => {
    const made = counter();
    const count = made.getCounter("gpt-5");
    const text = "The quick brown fox jumps over the lazy dog.";
    const before = count(text);
    await made.waitUntilSettled();
    assert.deepEqual([before, count(text)], [estimateTokens(text), 10]);
  });

  it("are estimated for as long as they fill less than half of the model's window", async () => {
    const made = counter();
    const count = made.getCounter("gpt-5", 60);
    const text = "The quick brown fox jumps over the lazy dog.";
    count(text);
    // A later question of another model is answered, so an earlier one would have been, too.
    await counted(made.getCounter("gpt-4"), text);
    assert.equal(count(text), estimateTokens(text));
    count("Pack my box with five dozen liquor jugs. ".repeat(2));
    await counted(count, text);
    assert.equal(count(text), 10);
  });

  it("take special tokens for text, and long runs without a break in no time", async () => {
    const made = counter();
    const count = made.getCounter("gpt-5");
    const texts = ["<|endoftext|>", "x".repeat(300_000), " ".repeat(100_000), ""];
    for (const text of texts) count(text);
    await made.waitUntilSettled();
    const [special = 0, run = 0, blank = 0, none] = texts.map(count);
    assert.deepEqual([special > 1, run > 30_000, blank > 0, none], [true, true, true, 0]);
  });

  it("are estimated for unknown models, and when the worker cannot be started", async () => {
    const made = counter(pathToFileURL("/nowhere/worker.mjs"));
    const text = "Some words of no importance.";
    const first = made.getCounter("gpt-5")(text);
    await made.waitUntilSettled();
    const estimate = estimateTokens(text);
    assert.deepEqual(
      [first, made.getCounter("gpt-5")(text), made.getCounter("phi4")(text)],
      [estimate, estimate, estimate],
    );
  });

  it("are those of each model's own encoding, or measured against one", async () => {
    const made = counter();
    const text = "Les modèles comptent 123456 jetons différemment. 記録を読む。 ".repeat(20);
    const count = async (model: string) => {
      made.getCounter(model)(text);
      await made.waitUntilSettled();
      return made.getCounter(model)(text);
    };
    const [older, newer, claude] = [await count("gpt-4"), await count("gpt-4o"), await count("claude-3-5")];
    assert.deepEqual({ older, newer, claude }, { older: 481, newer: 401, claude: Math.ceil(401 * 1.12) });
  });

  it("are chosen by a model's name", () => {
    const names = {
      cl100k_base: ["gpt-4", "gpt-4-turbo", "gpt-4-0613", "gpt-3.5-turbo-16k", "gpt-35-turbo", "openai/gpt-4"],
      o200k_base: [
        "gpt-4o-mini",
        "chatgpt-4o-latest",
        "gpt-4.1",
        "gpt-4.5-preview",
        "gpt-5",
        "gpt-41",
        "gpt-oss:20b",
        "o3",
        "codex-mini",
      ],
    };
    const factors = {
      "anthropic/claude-sonnet-5": 1.12,
      "gemini-2.5-pro": 1.19,
      "gemma3:4b": 1.19,
      "deepseek-chat": 1.05,
      "deepseek-r1-distill-llama-70b": undefined,
      "qwen3:8b": 1.02,
      "llama3.1": 1.01,
      "meta-llama/Llama-4-Scout": 1.01,
      "mixtral-8x7b": 1.25,
      llama2: 1.25,
      phi4: undefined,
    };
    assert.deepEqual(
      {
        encodings: Object.values(names).map((models) => models.map((model) => findEncoding(model)?.encoding)),
        factors: Object.fromEntries(Object.keys(factors).map((model) => [model, findEncoding(model)?.factor])),
      },
      {
        encodings: Object.entries(names).map(([encoding, models]) => models.map(() => encoding)),
        factors,
      },
    );
  });
});

describe("a text in pieces", () => {
  it("is whole where nothing in it is long, and cut where something is", () => {
    assert.deepEqual(
      [
        splitUnbrokenRuns("some words"),
        splitUnbrokenRuns(`a ${"x".repeat(600)} b`).map(({ length }) => length),
        splitUnbrokenRuns(""),
      ],
      [["some words"], [258, 256, 90], []],
    );
  });
});

describe("the count of a request", () => {
  const texts = ["Read the notes.\n", "const a = { b: [1, 2, 3] };\n", "Größe und Übermaß. ", "記録を読む。", "{}\n\n"];

  /** What was sent in a run of some steps, with texts of all kinds. */
  async function sent(format: ReplyFormat): Promise<readonly ModelRequest[]> {
    const answers = Array.from({ length: 12 }, (_, step) => {
      const title = (texts[step % texts.length] ?? "").repeat(10 + 5 * step);
      return format === "tools" ? calls("read_note", { title }) : says("read_note", { title });
    });
    const finish = format === "tools" ? calls("task_complete", { title: "." }) : says("task_complete", { title: "." });
    const model = new FakeModel([...answers, finish], [format], 128_000);
    await rehearse({ answers: [], model });
    return model.requests;
  }

  /** By how much the count of each request was off, when the server counts so. */
  async function offBy(
    requests: readonly ModelRequest[],
    server: (request: ModelRequest) => number,
    counted: "exactly" | "by estimate",
  ): Promise<readonly number[]> {
    const made = new TokenCounter({ worker: WORKER });
    const meter = new TokenMeter(made.getCounter(counted === "exactly" ? "gpt-5" : "unknown"), true);
    const off: number[] = [];
    for (const request of requests) {
      meter.predictTokens(request);
      await made.waitUntilSettled();
      off.push(Math.abs(meter.predictTokens(request) / server(request) - 1));
      meter.learn(request, server(request));
    }
    await made.close();
    return off;
  }

  for (const format of ["tools", "jsonSchema", "text"] as const) {
    it(`is within 5% of OpenAI's from the first step on, in the format ${format}`, async () => {
      const off = await offBy(await sent(format), openAiTokens, "exactly");
      assert.deepEqual(
        off.map((share) => share <= 0.05 || share),
        off.map(() => true),
      );
    });

    it(`is within 5% of any server's once it has answered, in the format ${format}`, async () => {
      const [, ...off] = await offBy(await sent(format), templateTokens, "exactly");
      assert.deepEqual(
        off.map((share) => share <= 0.05 || share),
        off.map(() => true),
      );
    });

    it(`is within a quarter of it for unknown models, in the format ${format}`, async () => {
      const [, ...off] = await offBy(await sent(format), templateTokens, "by estimate");
      assert.equal(Math.max(...off) <= 0.25, true);
    });
  }
});
