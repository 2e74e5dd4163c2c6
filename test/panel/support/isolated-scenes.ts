import type { StartedBody } from "../../../src/core/events/run.ts";
import type { PanelUpdate } from "../../../src/schema/panel-messages.ts";
import type { ReviewPage, ReviewRow, WaysPage } from "../../../src/schema/review-page.ts";
import { displayText } from "../../../src/texts/display-text.ts";
import type { StagedRun } from "./staged-run.ts";

/** The copy of an isolated run. */
export const ISOLATED: Pick<StartedBody, "mode" | "isolated"> = {
  mode: "isolated",
  isolated: {
    home: "/home/ann/.config/Code/User/globalStorage/autogpt/copies/20260102_090000_fixer_0a1b",
    engine: "bubblewrap",
    folders: [{ name: "shop", path: "/copies/r/shop", origin: "/home/ann/shop" }],
  },
};

const SANDBOX = { limits: ["memory", "processes", "disk"] as const };

const ROWS: readonly ReviewRow[] = [
  { file: "src/cart.ts", kind: "edited", added: 4, removed: 1, own: ["conflict"], settle: "merge" },
  { file: ".vscode/tasks.json", kind: "created", added: 12, removed: 0, own: ["protected"] },
  {
    ...{ file: "package.json", kind: "edited", added: 1, removed: 1 },
    own: ["installs"],
    lines: ['"postinstall": "node setup.js"'],
  },
  { file: "run.sh", kind: "created", added: 2, removed: 0, own: ["executable"] },
  { file: "assets/logo.png", kind: "edited", added: 0, removed: 0, own: ["binary", "mode"] },
  { file: "src/parser.ts", kind: "edited", added: 3, removed: 6, merged: true },
  { file: "test/parser.test.ts", kind: "created", added: 20, removed: 0 },
  { file: "src/old.ts", kind: "deleted", added: 0, removed: 31 },
];

export const REVIEW: ReviewPage = {
  version: "v1",
  rows: [...ROWS],
  count: ROWS.length,
  notes: [displayText("approval.moreFiles", { count: 2 })],
  lines: [
    { line: "npm test", code: 1 },
    { line: "npm test -- --grep parser", code: 0 },
  ],
  lineCount: 2,
};

/** An isolated run that has finished, with its review. */
export function isolatedReview(run: StagedRun, review = REVIEW): readonly PanelUpdate[] {
  run.add({ type: "over", end: { reason: "finished", summary: "The parser keeps the minus sign now." } });
  const check = displayText("timeline.didRunCommand", { command: "npm test" });
  return [
    ...run.opening({ running: false, sandbox: { limits: [...SANDBOX.limits] } }),
    { type: "changes", run: run.id, files: [], count: 0, checks: [{ title: check, passed: true }] },
    { type: "review", run: run.id, review },
  ];
}

/** A comparison in which two ways are done and one works. */
export const WAYS: WaysPage = {
  task: "Find out why the tests of the parser fail and fix it.",
  check: "npm test",
  ways: [
    {
      ...{ run: "r-1", label: "gpt-large", state: "done", check: 0, usd: 0.21, unpriced: 0, steps: 14 },
      minutes: 3.2,
      summary: "The sign stays: parse() no longer removes it.",
      changes: { files: 2, added: 9, removed: 3 },
    },
    {
      ...{ run: "r-2", label: "qwen3-coder:30b", state: "done", check: 1, usd: 0, unpriced: 31, steps: 31 },
      output: "1 failing",
      summary: "Rewrote the parser with a table of tokens.",
      minutes: 12,
      changes: { files: 5, added: 80, removed: 41 },
    },
    {
      ...{ run: "r-3", label: "Without new dependencies", state: "running", usd: 0.02, unpriced: 0 },
      steps: 3,
      minutes: 0.4,
    },
    {
      label: "llama",
      state: "failed",
      problem: "The disk is full.",
      usd: 0,
      unpriced: 0,
      steps: 0,
      minutes: 0,
    },
  ],
};
