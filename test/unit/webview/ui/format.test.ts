import assert from "node:assert/strict";
import { formatQuantity } from "../../../../src/core/base/text.ts";
import { formatTokenCount } from "../../../../src/texts/language.ts";
import {
  createContextMeter,
  createMeters,
  listShownMeters,
  summarizeBudget,
} from "../../../../src/webview/run/run-meters.ts";
import { formatMinutes } from "../../../../src/webview/ui/format.ts";
import { countLines, cutEndExcerpt, cutExcerpt, findTextEnds } from "../../../../src/webview/ui/long-text.ts";

describe("numbers for people", () => {
  it("show tokens in three digits or so", () => {
    assert.deepEqual([0, 950, 1000, 12_345, 123_456, 999_600, 2_000_000].map(formatTokenCount), [
      "0",
      "950",
      "1k",
      "12.3k",
      "123k",
      "1M",
      "2M",
    ]);
  });

  it("show time and counts", () => {
    assert.deepEqual(
      [formatMinutes(8400), formatMinutes(61_000), formatQuantity(1, "step"), formatQuantity(2, "memory", "memories")],
      ["8 s", "1 min", "1 step", "2 memories"],
    );
  });
});

describe("the meters", () => {
  const totals = {
    steps: 11,
    missed: 2,
    replies: 12,
    input: 1000,
    output: 500,
    cached: 0,
    discounted: 0,
    usd: 0.5,
    unpriced: 0,
    activeMs: 60_000,
  };

  it("set what is spent against each limit, and warn when little is left", () => {
    const { replies: _, ...spent } = createMeters(totals, {
      ...{ steps: 10, replies: 300, tokens: 0, minutes: 60, usd: 2 },
    });
    assert.deepEqual(Object.values(spent), [
      {
        name: "Money",
        text: "$0.50 of $2.00",
        brief: "$0.50",
        label: "Money: $0.50 of $2.00",
        share: 0.25,
        low: false,
      },
      { name: "Tokens", text: "1.5k", brief: "1.5k tokens", label: "Tokens: 1.5k", low: false },
      {
        name: "Steps",
        text: "9 of 10",
        brief: "9 of 10 steps",
        label: "Steps: 9 of 10, and 2 more in which no command ran",
        share: 0.9,
        low: true,
      },
      {
        name: "Time",
        text: "1 min of 60 min",
        brief: "1 min",
        label: "Time: 1 min of 60 min",
        share: 1 / 60,
        low: false,
      },
    ]);
  });

  it("show all tokens, and hold those against the limit that count", () => {
    const used = { ...totals, input: 6_300_000, output: 20_000, cached: 6_000_000, discounted: 5_400_000 };
    const limits = { steps: 0, replies: 0, tokens: 20_000_000, minutes: 0, usd: 0 };
    const tokenMeters = [used, { ...used, discounted: 0 }, { ...used, input: 25_000_000 }].map(
      (sum) => createMeters(sum, limits).tokens,
    );
    assert.deepEqual(tokenMeters, [
      {
        name: "Tokens",
        text: "6.3M",
        brief: "6.3M tokens",
        label:
          "Tokens: 6.3M, of which 920k count toward the limit of 20M because cached input costs less. Read from the cache: 6M",
        share: 0.046,
        low: false,
      },
      {
        name: "Tokens",
        text: "6.3M of 20M",
        brief: "6.3M tokens",
        label: "Tokens: 6.3M of 20M. Read from the cache: 6M",
        share: 0.316,
        low: false,
      },
      {
        name: "Tokens",
        text: "25M",
        brief: "25M tokens",
        label:
          "Tokens: 25M, of which 19.6M count toward the limit of 20M because cached input costs less. Read from the cache: 6M",
        share: 0.981,
        low: true,
      },
    ]);
  });

  it("say what a run would have cost without the cache, once that saved anything", () => {
    const limits = { steps: 0, replies: 0, tokens: 0, minutes: 0, usd: 2 };
    const labels = [1.25, -0.1].map((savedUsd) => createMeters({ ...totals, savedUsd }, limits).money.label);
    assert.deepEqual(labels, ["Money: $0.50 of $2.00. Without the cache: $1.75", "Money: $0.50 of $2.00"]);
  });

  it("do not make up a price that is not known", () => {
    const limits = { steps: 0, replies: 0, tokens: 0, minutes: 0, usd: 0 };
    const money = [
      { ...totals, usd: 0, unpriced: 2 },
      { ...totals, unpriced: 1 },
    ].map((spent) => createMeters(spent, limits).money.text);
    assert.deepEqual(money, ["Price unknown", "$0.50 or more"]);
  });

  it("name the limit on tokens where the price is not known", () => {
    const unpriced = { ...totals, usd: 0, unpriced: 2 };
    const limits = { steps: 0, replies: 0, tokens: 200_000_000, minutes: 0, usd: 2 };
    const shown = [limits, { ...limits, tokens: 0 }].map((each) => {
      const { money, tokens } = createMeters(unpriced, each);
      return { money, tokens: tokens.brief };
    });
    const money = { name: "Money", text: "Price unknown", brief: "Price unknown", low: false };
    assert.deepEqual(shown, [
      {
        money: { ...money, label: "Price unknown: the limit is 200M tokens" },
        tokens: "1.5k of 200M tokens",
      },
      { money: { ...money, label: "Price unknown: the cost has no limit" }, tokens: "1.5k tokens" },
    ]);
  });

  it("show replies only when few are left", () => {
    const limits = { steps: 0, replies: 300, tokens: 0, minutes: 0, usd: 0 };
    const model = { smart: "m", fast: "m", contextWindow: 0 };
    const shown = [269, 270].map((replies) =>
      listShownMeters({ totals: { ...totals, replies }, limits, model }).map(({ name, text }) =>
        name === "Replies" ? text : name,
      ),
    );
    assert.deepEqual(shown, [
      ["Money", "Tokens", "Steps", "Time"],
      ["Money", "Tokens", "Steps", "270 of 300", "Time"],
    ]);
  });

  it("are summed up by the limit that is nearest, the cost and the steps", () => {
    const limits = { steps: 100, replies: 300, tokens: 2_000, minutes: 60, usd: 2 };
    const known = summarizeBudget({ totals, limits });
    const unknown = summarizeBudget({ totals: { ...totals, usd: 0, unpriced: 1 }, limits });
    assert.deepEqual(
      [known.nearest.name, known.cost, known.steps, unknown.cost],
      ["Tokens", "$0.50", "9 steps", "1.5k of 2k tokens"],
    );
  });
});

describe("the meter of the context", () => {
  const model = { smart: "m", fast: "m", contextWindow: 128_000 };
  it("is the share of the window that the last prompt took", () => {
    const meter = createContextMeter({ promptTokens: 55_000, model });
    assert.deepEqual(
      [meter?.text, meter?.brief, meter?.label, meter?.low],
      [
        "43%",
        "43%",
        "Context: 43% of the model's window (55k of 128k tokens). Older steps are summarized before it is full.",
        false,
      ],
    );
  });

  it("is never more than full, and nothing where prompt or window isn't known", () => {
    assert.deepEqual(
      [
        createContextMeter({ promptTokens: 200_000, model })?.text,
        createContextMeter({ model }),
        createContextMeter({ promptTokens: 5, model: { ...model, contextWindow: 0 } }),
      ],
      ["100%", undefined, undefined],
    );
  });
});

describe("the excerpt of a long text", () => {
  it("is the text itself when that is short", () => {
    assert.deepEqual(cutExcerpt("a\nb\n", 2, 100), { text: "a\nb", lines: 2, cut: false });
  });

  it("has so many lines and characters, and parts no character", () => {
    assert.deepEqual(
      [cutExcerpt("a\nb\nc", 2, 100), cutExcerpt("ab😀c", 2, 3)],
      [
        { text: "a\nb", lines: 3, cut: true },
        { text: "ab", lines: 1, cut: true },
      ],
    );
  });

  it("can be its end instead", () => {
    assert.deepEqual(
      [cutEndExcerpt("a\nb\nc\n", 2, 100), cutEndExcerpt("ab😀c", 2, 2), cutEndExcerpt("a\n", 2, 100)],
      [
        { text: "b\nc", lines: 3, cut: true },
        { text: "c", lines: 1, cut: true },
        { text: "a", lines: 1, cut: false },
      ],
    );
  });
});

describe("both ends of a long text", () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

  it("are its first and last lines, and nothing for one that is shown whole", () => {
    assert.deepEqual(
      [findTextEnds(lines(10)), findTextEnds(lines(15))],
      [undefined, { first: lines(3), last: "line 13\nline 14\nline 15" }],
    );
  });

  it("are its first and last characters where it has few lines", () => {
    const text = `${"a".repeat(1_300)}; rm -rf ~`;
    const ends = findTextEnds(text);
    assert.deepEqual([ends?.first.length, ends?.last.length, ends?.last.endsWith("; rm -rf ~")], [200, 240, true]);
  });

  it("count no line that a last line end would begin", () => {
    assert.deepEqual(["", "a", "a\n", "a\n\n", "a\nb"].map(countLines), [1, 1, 1, 2, 2]);
  });
});
