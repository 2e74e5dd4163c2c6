import assert from "node:assert/strict";
import type { EvalReport, EvalResult } from "../../../src/schema/eval-report.ts";
import { isEvalReport } from "../../../src/schema/host-validators.ts";
import { renderComparisonHtml, renderComparisonText } from "../src/report/comparison.ts";
import { renderReportHtml } from "../src/report/report-html.ts";
import { renderReport } from "../src/report/report-text.ts";

const PASSED: EvalResult = {
  ...{ task: "copy", run: 1, passed: true, end: "finished", steps: 3, replies: 4 },
  ...{ unreadable: 1, invalid: 0, refused: 0, input: 4_000, cached: 3_000, output: 200 },
  ...{ usd: 0.02, seconds: 2.5, log: "runs/copy-1.jsonl" },
};
const STUCK: EvalResult = {
  ...{ ...PASSED, run: 2, passed: false, end: "stuck", endDetail: "It repeats itself." },
  ...{ why: "There is no file <b.txt>.", log: "runs/copy-2.jsonl" },
};
const LIMITED: EvalResult = {
  ...{
    ...PASSED,
    task: "list",
    passed: false,
    end: "exhausted",
    endDetail: "steps",
    log: "runs/list-1.jsonl",
  },
};

const REPORT: EvalReport = {
  ...{ version: 1, suite: "small", model: "a-model", server: "http://localhost:8080", seed: 1, runs: 2 },
  ...{ settings: { "run.maxSteps": 5 }, startedAt: "2026-01-01T00:00:00.000Z", seconds: 8 },
  results: [PASSED, STUCK, LIMITED],
};

describe("the report of a measurement", () => {
  it("is a table with a row for each task and their sums", () => {
    assert.deepEqual(renderReport(REPORT).split("\n"), [
      "small: a-model at http://localhost:8080",
      "",
      "task  passed  steps  replies   input  cached  output    money   time  failures",
      "copy     1/2      6        8   8,000     75%     400  $0.0400  5.0 s  1 stuck",
      "list     0/1      3        4   4,000     75%     200  $0.0200  2.5 s  1 limit of steps",
      "all      1/3      9       12  12,000     75%     600  $0.0600  7.5 s  1 stuck, 1 limit of steps",
      "",
      "Of 12 replies 3 were unreadable, 0 had an invalid call and 0 were refused: 1.33 replies per step.",
      "copy 2: It repeats itself. · There is no file <b.txt>.",
      "list 1: limit of steps",
    ]);
  });

  it("has no price where a call has none", () => {
    const { usd: _usd, ...unpriced } = PASSED;

    assert.match(renderReport({ ...REPORT, results: [unpriced] }), /copy .* no price/);
  });

  it("is a page that loads and runs nothing, with a link to each log", () => {
    const page = renderReportHtml(REPORT);

    assert.deepEqual(
      {
        scripts: /<script|javascript:|\son\w+=/i.test(page),
        loaded: /(?:src|href)="(?:https?:)?\/\//.test(page),
        links: [...page.matchAll(/href="([^"]+)"/g)].map(([, path]) => path),
        escaped: page.includes("There is no file &lt;b.txt&gt;."),
        policy: page.includes("default-src 'none'"),
      },
      {
        ...{ scripts: false, loaded: false, escaped: true, policy: true },
        links: ["runs/copy-1.jsonl", "runs/copy-2.jsonl", "runs/list-1.jsonl"],
      },
    );
  });

  it("names the tasks that can't be run here", () => {
    const report = { ...REPORT, skipped: [{ task: "c-1", why: "There is no gcc." }] };

    assert.match(renderReport(report), /^c-1 was skipped: There is no gcc\.$/m);
    assert.match(renderReportHtml(report), /<h2>Skipped<\/h2>[\s\S]*There is no gcc\./);
  });

  it("is read again only if it is one", () => {
    assert.deepEqual(
      [REPORT, { ...REPORT, version: 2 }, { ...REPORT, results: [{ task: "copy" }] }, null].map(isEvalReport),
      [true, false, false, false],
    );
  });
});

describe("the comparison of two reports", () => {
  const AFTER: EvalReport = {
    ...REPORT,
    model: "another",
    results: [PASSED, { ...STUCK, passed: true, steps: 5, seconds: 1.5 }, { ...PASSED, task: "new" }],
  };

  it("shows what changed for each task per run, and sums only over tasks of both", () => {
    const lines = renderComparisonText(REPORT, AFTER).split("\n").slice(3, -2);

    assert.deepEqual(
      lines.map((line) => line.split(/ {2,}/).filter((_, column) => column === 0 || column < 3)),
      [
        ["task", "passed", "steps"],
        ["copy", "50% → 100%", "3.0 → 4.0"],
        ["list", "0% → –", "3.0 → –"],
        ["new", "– → 100%", "– → 3.0"],
        ["all in both", "50% → 100%", "3.0 → 4.0"],
      ],
    );
  });

  it("is a page, too", () => {
    const page = renderComparisonHtml(REPORT, AFTER);

    assert.match(page, /<span class="good">50% → 100%<\/span>/);
    assert.doesNotMatch(page, /<script/);
  });
});
