// Unit and contract tests. Arguments go to mocha: patterns of test files replace ours, which run several files at a
// time. With --coverage the core must be covered as well.
import { runNode } from "../setup/node-program.mjs";

const args = process.argv.slice(2);
const covered = args.includes("--coverage");
const forMocha = args.filter((arg) => arg !== "--coverage");
const all = ["--parallel", "--jobs", "3", "test/unit/**/*.test.ts", "test/contract/**/*.test.ts"];
const files = forMocha.some((arg) => arg.endsWith(".ts")) ? [] : all;
const mocha = ["--reporter", "test/host/counted-spec.ts", "--fail-zero", ...forMocha, ...files];

const COVERAGE = [
  ...["--include", "src/core/**", "--reporter", "text-summary", "--reporter", "lcovonly", "--check-coverage"],
  ...["--lines", "95", "--statements", "95", "--functions", "95", "--branches", "95"],
];

const { code } = await runNode(
  covered
    ? ["c8", ...COVERAGE, process.execPath, "node_modules/mocha/bin/mocha.js", ...mocha]
    : ["mocha", ...mocha],
);
process.exitCode = code;
