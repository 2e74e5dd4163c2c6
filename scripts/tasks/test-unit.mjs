// Unit and contract tests. Arguments go to mocha: patterns of test files replace ours, which run several files at a
// time; those that wait a lot are first. With --coverage the core must be covered as well, by the tests of COVERING
// alone: measuring slows all others down. What is covered of code from Node's compile cache isn't exact, so it does without. With --built, tests that start the
// command line start the built one.
import { runNode } from "../setup/node-program.mjs";
import { inRoot } from "../setup/root.mjs";

const UNIT = "test/unit";
const WAITING = "headless,plugins,safety,node";
const COVERING = ["commands", "core", "editor/{chat,panel}", "models", "runs", "runtime"];
/** Whole runs of few seconds that reach what the others don't. */
const RUNS = [
  ...["agents-loop", "browser-loop", "budgets", "fallback", "ingest", "instructions", "parallel-reads"],
  ...["shown-pictures", "traces", "whole-files"],
].join("|");
/** Tests of these folders that play so much that measuring them would take minutes. */
const PLAYING = [
  ...["long-runs", "prompt-growth", "reserved-budget", "kept-bytes", "messages-runs", "responses-runs"],
  ...["responses-trouble", "templates", "real-window", "token-counter", "silence"],
].join("|");

const COVERAGE = [
  ...["--include", "src/core/**", "--reporter", "text-summary", "--reporter", "lcovonly", "--check-coverage"],
  ...["--lines", "95", "--statements", "95", "--functions", "95", "--branches", "95"],
];

const args = process.argv.slice(2);
const forMocha = args.filter((arg) => arg !== "--coverage" && arg !== "--built");
const hasFiles = forMocha.some((arg) => arg.endsWith(".ts"));
const everything = [
  `${UNIT}/{${WAITING}}/**/*.test.ts`,
  `${UNIT}/!(${WAITING.replaceAll(",", "|")})/**/*.test.ts`,
  "packages/*/test/**/*.test.ts",
  "test/contract/**/*.test.ts",
];
const covering = [
  ...COVERING.map((folder) => `${UNIT}/${folder}/**/!(${PLAYING}).test.ts`),
  `${UNIT}/headless/@(${RUNS}).test.ts`,
];

const runs = args.includes("--coverage")
  ? [
      ["c8", ...COVERAGE, process.execPath, "node_modules/mocha/bin/mocha.js", ...mochaOf(covering)],
      ["mocha", ...mochaOf(everything, covering)],
    ]
  : [["mocha", ...mochaOf(hasFiles ? [] : everything)]];

const built = args.includes("--built") ? { AUTOGPT_PROGRAM: inRoot("dist-cli/autogpt.mjs") } : {};
let worst = 0;
for (const run of runs) {
  const uncached = run[0] === "c8" ? { NODE_DISABLE_COMPILE_CACHE: "1" } : {};
  const { code } = await runNode(run, { env: { ...built, ...uncached } });
  worst = Math.max(worst, code);
}
process.exitCode = worst;

function mochaOf(files, ignored = []) {
  return [
    ...["--reporter", "test/host/counted-spec.ts", "--fail-zero", ...forMocha],
    ...(files.length > 0 ? ["--parallel", "--jobs", "3", ...files] : []),
    ...ignored.flatMap((pattern) => ["--ignore", pattern]),
  ];
}
