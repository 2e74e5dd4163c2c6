import assert from "node:assert/strict";
import type { Completion, Model } from "../../../../src/core/ports/model.ts";
import { modelFacts } from "../../../../src/models/catalog/model-facts.ts";
import { costUsd, type Price, priceOf, withPrices } from "../../../../src/models/catalog/prices.ts";
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
    it(`"${name}" is known`, () => assert.equal(modelFacts(name)?.contextWindow, 128_000));

  for (const name of ["gpt-4o-audio", "my-gpt-4o", "", "constructor", "toString", "llama3.2:3b"])
    it(`"${name}" is unknown`, () => assert.equal(modelFacts(name), undefined));
});

describe("a price", () => {
  const cases: readonly [string, readonly string[], Record<string, Price>, string, number | undefined][] = [
    ["is the user's own first", ["gpt-4o"], { "gpt-4o": MINE }, OPENAI, 3],
    [
      "is the user's own for the name that the server tells",
      ["deployment", "gpt-4o"],
      { "gpt-4o": MINE },
      OPENAI,
      3,
    ],
    ["is the known one else", ["gpt-4o"], {}, OPENAI, 2.5],
    [
      "is the known one of the name that the server tells",
      ["deployment", "gpt-4o-2024-08-06"],
      {},
      OPENAI,
      2.5,
    ],
    ["is nothing for a server of this machine", ["llama3.2:3b"], {}, HERE, 0],
    ["is the known one for a paid model behind a server of this machine", ["gpt-4o"], {}, HERE, 2.5],
    ["is unknown where nobody knows", ["mystery"], {}, OPENAI, undefined],
    ["is not found in what every object has", ["constructor"], {}, OPENAI, undefined],
  ];
  for (const [name, names, own, baseUrl, expected] of cases)
    it(name, () => assert.equal(priceOf(names, own, baseUrl)?.input, expected));
});

describe("a cost", () => {
  const million = 1_000_000;
  it("counts input and output", () => {
    assert.equal(costUsd({ input: million, output: million }, MINE), 10);
  });
  it("counts cached input at its own price", () => {
    assert.equal(costUsd({ input: million, output: 0, cached: million / 2 }, { ...MINE, cached: 1 }), 2);
  });
  it("counts cached input like other input where it has no price", () => {
    assert.equal(costUsd({ input: million, output: 0, cached: million / 2 }, MINE), 3);
  });
  it("counts reasoning as the output it is part of", () => {
    assert.equal(costUsd({ input: 0, output: million, reasoning: million }, MINE), 7);
  });
  it("never counts more cached input than input", () => {
    assert.equal(costUsd({ input: million, output: 0, cached: 2 * million }, { ...MINE, cached: 1 }), 1);
  });
  it("counts long prompts dearer where they are", () => {
    assert.equal(costUsd({ input: million, output: million }, { ...MINE, dearerAbove: 272_000 }), 16.5);
  });
});

describe("a model with prices", () => {
  const priced = (answer: Partial<Completion>, price: Price = MINE): Model =>
    withPrices(
      {
        name: "fake",
        contextWindow: 1_000,
        formats: ["text"],
        complete: async () => ({ text: "", calls: [], finish: "stop", model: "fake", ...answer }),
      },
      (names) => priceOf(names, { fake: price }, OPENAI),
    );
  const usage = { input: 1_000_000, output: 0 };

  it("tells what a completion cost", async () => {
    assert.equal((await reply(priced({ usage }))).costUsd, 3);
  });
  it("leaves alone what a gateway says it cost", async () => {
    assert.equal((await reply(priced({ usage, costUsd: 0.5 }))).costUsd, 0.5);
  });
  const ratios: readonly (readonly [string, Partial<Price>, number | undefined])[] = [
    ["its price beside that of other input", { cached: 0.75 }, 0.25],
    ["hardly anything where it costs nothing, but something", { cached: 0 }, 0.01],
    ["never more than other input", { cached: 9 }, 1],
    ["nobody knows what where it has no price", {}, undefined],
    ["nobody knows what where all input is free", { input: 0, cached: 0 }, undefined],
  ];
  for (const [name, price, ratio] of ratios)
    it(`tells that cached input counts as ${name}`, async () => {
      const used = { ...usage, cached: 10 };
      const answer = await reply(priced({ usage: used, costUsd: 0.5 }, { ...MINE, ...price }));
      assert.deepEqual(answer.usage, ratio === undefined ? used : { ...used, cachedRatio: ratio });
    });
  it("claims nothing where the tokens were not counted", async () => {
    assert.equal((await reply(priced({}))).costUsd, undefined);
  });
});
