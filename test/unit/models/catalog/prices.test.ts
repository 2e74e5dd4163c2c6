import assert from "node:assert/strict";
import type { Completion, Model } from "../../../../src/core/ports/model.ts";
import type { Price } from "../../../../src/models/catalog/facts.ts";
import { FACTS } from "../../../../src/models/catalog/facts-table.ts";
import { findModelFacts } from "../../../../src/models/catalog/model-facts.ts";
import { addPrices, computeCostUsd, findPrice } from "../../../../src/models/catalog/prices.ts";
import type { Dialect } from "../../../../src/models/chat/dialect.ts";
import { findModelFamily } from "../../../../src/models/chat/families.ts";
import { getPreset } from "../../../../src/models/presets.ts";
import { PRESET_NAMES } from "../../../../src/schema/settings.ts";
import { reply } from "../../../support/completing.ts";

const OPENAI = "https://api.openai.com/v1";
const HERE = "http://127.0.0.1:11434/v1";
const MINE: Price = { input: 3, output: 7 };

describe("a model's name", () => {
  for (const name of [
    "gpt-4o",
    "GPT-4o",
    "gpt-4o-2024-08-06",
    "openai/gpt-4o",
    "gpt-4o-latest",
    "azure/gpt-4o@20240806",
  ])
    it(`"${name}" is known`, () => assert.equal(findModelFacts(name, OPENAI)?.contextWindow, 128_000));

  for (const name of ["gpt-4o-audio", "my-gpt-4o", "", "constructor", "toString", "llama3.2:3b"])
    it(`"${name}" is unknown`, () => assert.equal(findModelFacts(name, OPENAI), undefined));
});

describe("known facts", () => {
  it("of a model whose weights are open hold at its maker's own address only", () => {
    const known = (address: string) => findModelFacts("deepseek-v4-pro", address)?.contextWindow;
    assert.deepEqual(
      ["https://api.deepseek.com/v1", "https://router.huggingface.co/v1", "https://notdeepseek.com/v1", HERE].map(
        known,
      ),
      [1_000_000, undefined, undefined, undefined],
    );
  });
  it("are there for the usual models of every provider, and none of them costs more to read from the cache", () => {
    const names = PRESET_NAMES.flatMap((name) => {
      const { models = [], address } = getPreset(name);
      return models.map((model) => [model, findModelFacts(model, address)] as const);
    });
    const dear = Object.values(FACTS).filter(
      ({ input, cached = 0, written = input }) => cached > input || written < input,
    );
    assert.deepEqual(
      { unknown: names.filter(([, facts]) => !facts).map(([name]) => name), dear },
      { unknown: ["openrouter/auto", "openrouter/auto"], dear: [] },
    );
  });
  const efforts: readonly (readonly [string, Partial<Dialect["efforts"]>])[] = [
    ["gpt-6.2-sol", { none: "low", minimal: "low", xhigh: "xhigh", max: "max" }],
    ["gpt-6-luna", { none: "none", minimal: "none", max: "max" }],
    ["gpt-5", { none: "minimal", minimal: "minimal", xhigh: "high", max: "high" }],
    ["gpt-5-pro", { none: "high", low: "high", medium: "high", max: "high" }],
    ["gemini-3.8-flash", { none: "low", minimal: "low", max: "high" }],
    ["gpt-9-unheard-of", { none: "none", minimal: "none", xhigh: "high", max: "high" }],
  ];
  for (const [name, words] of efforts)
    it(`give ${name} the nearest of its efforts, or those of its family`, () => {
      const known = findModelFamily(name, OPENAI).dialect.efforts;
      assert.deepEqual({ ...known, ...words }, known);
    });
});

describe("a price", () => {
  const cases: readonly [string, readonly string[], Record<string, Price>, string, number | undefined][] = [
    ["is the user's own first", ["gpt-4o"], { "gpt-4o": MINE }, OPENAI, 3],
    ["is the user's own for the name that the server reports", ["deployment", "gpt-4o"], { "gpt-4o": MINE }, OPENAI, 3],
    ["is the known one else", ["gpt-4o"], {}, OPENAI, 2.5],
    ["is the known one of the name that the server reports", ["deployment", "gpt-4o-2024-08-06"], {}, OPENAI, 2.5],
    ["is nothing for a server of this machine", ["llama3.2:3b"], {}, HERE, 0],
    ["is the known one for a paid model behind a server of this machine", ["gpt-4o"], {}, HERE, 2.5],
    ["is unknown where no one knows it", ["mystery"], {}, OPENAI, undefined],
    ["is not found in what every object has", ["constructor"], {}, OPENAI, undefined],
  ];
  for (const [name, names, own, baseUrl, expected] of cases)
    it(name, () => assert.equal(findPrice(names, own, baseUrl)?.input, expected));
});

describe("a cost", () => {
  const million = 1_000_000;
  it("counts input and output", () => {
    assert.equal(computeCostUsd({ input: million, output: million }, MINE), 10);
  });
  it("counts cached input at its own price", () => {
    assert.equal(computeCostUsd({ input: million, output: 0, cached: million / 2 }, { ...MINE, cached: 1 }), 2);
  });
  it("counts cached input like other input where it has no price", () => {
    assert.equal(computeCostUsd({ input: million, output: 0, cached: million / 2 }, MINE), 3);
  });
  it("counts reasoning as the output it is part of", () => {
    assert.equal(computeCostUsd({ input: 0, output: million, reasoning: million }, MINE), 7);
  });
  it("never counts more cached input than input", () => {
    assert.equal(computeCostUsd({ input: million, output: 0, cached: 2 * million }, { ...MINE, cached: 1 }), 1);
  });
  it("counts long prompts dearer where they are", () => {
    const dearer = { above: 272_000, input: 2, output: 1.5 };
    assert.equal(computeCostUsd({ input: million, output: million }, { ...MINE, dearer }), 16.5);
  });
  it("counts input that is put into the cache at its own price, and for an hour at another", () => {
    const usage = { input: million, output: 0, cached: 500_000, written: 400_000, writtenForHour: 100_000 };
    const price = { ...MINE, cached: 0.3, written: 3.75, writtenForHour: 6 };
    assert.deepEqual(
      [
        computeCostUsd(usage, price),
        computeCostUsd(usage, { ...MINE, cached: 0.3, written: 3.75 }),
        computeCostUsd(usage, MINE),
      ],
      [0.15 + 1.125 + 0.6 + 0.3, 0.15 + 1.5 + 0.3, 3],
    );
  });
});

describe("a model with prices", () => {
  const priced = (answer: Partial<Completion>, price: Price = MINE): Model =>
    addPrices(
      {
        name: "fake",
        contextWindow: 1_000,
        formats: ["text"],
        complete: async () => ({ text: "", calls: [], finish: "stop", model: "fake", ...answer }),
      },
      (names) => findPrice(names, { fake: price }, OPENAI),
    );
  const usage = { input: 1_000_000, output: 0 };

  it("reports what a completion cost", async () => {
    assert.equal((await reply(priced({ usage }))).costUsd, 3);
  });
  it("leaves alone what a gateway says it cost", async () => {
    assert.equal((await reply(priced({ usage, costUsd: 0.5 }))).costUsd, 0.5);
  });
  const ratios: readonly (readonly [string, Partial<Price>, number | undefined])[] = [
    ["its price beside that of other input", { cached: 0.75 }, 0.25],
    ["hardly anything where it costs nothing, but something", { cached: 0 }, 0.01],
    ["never more than other input", { cached: 9 }, 1],
    ["unknown where it has no price", {}, undefined],
    ["unknown where all input is free", { input: 0, cached: 0 }, undefined],
  ];
  for (const [name, price, ratio] of ratios)
    it(`reports that cached input counts as ${name}`, async () => {
      const used = { ...usage, cached: 10 };
      const answer = await reply(priced({ usage: used, costUsd: 0.5 }, { ...MINE, ...price }));
      assert.equal(answer.usage?.cachedRatio, ratio);
    });
  const saved: readonly (readonly [string, Partial<Completion>, number | undefined])[] = [
    ["what cached input would have cost more", { usage: { ...usage, cached: 900_000 } }, 2.43],
    ["less than nothing while it only writes", { usage: { ...usage, written: 1_000_000 } }, -0.75],
    ["its share of a cost that a gateway reports", { usage: { ...usage, cached: 900_000 }, costUsd: 1.14 }, 4.86],
    ["nothing where nothing was cached", { usage }, undefined],
  ];
  for (const [name, answer, dollars] of saved)
    it(`reports that the cache saved ${name}`, async () => {
      const price = { ...MINE, cached: 0.3, written: 3.75 };
      const { savedUsd } = (await reply(priced(answer, price))).usage ?? {};
      assert.equal(savedUsd === undefined ? savedUsd : Number(savedUsd.toFixed(6)), dollars);
    });
  it("claims nothing where the tokens were not counted", async () => {
    assert.equal((await reply(priced({}))).costUsd, undefined);
  });
});
