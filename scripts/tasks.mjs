/** Every task of the project: the script that does it under Node 24, what it is for, and its first arguments if it has any. */
export const TASKS = {
  setup: ["scripts/tasks/setup.mjs", "install everything that building and testing need"],
  check: ["scripts/tasks/check.mjs", "format, lint, types, dead code, structure and prose"],
  generate: ["scripts/generate.mjs", "write what is derived from tables in the source (settings)"],
  build: ["esbuild.mjs", "bundle the extension into dist/ (--production: minified, without source maps)"],
  watch: ["scripts/tasks/watch.mjs", "bundle again at every change"],
  package: ["scripts/tasks/package.mjs", "make the VSIX and check what is in it"],
  "build:cli": ["scripts/tasks/build-cli.mjs", "bundle the command line into dist-cli/"],
  "build:worker": ["scripts/tasks/build-worker.mjs", "bundle the worker of a fleet into dist-worker/"],
  "package:cli": ["scripts/tasks/package-cli.mjs", "make the npm package of the command line and check that it runs"],
  "package:worker": [
    "scripts/tasks/package-worker.mjs",
    "make the npm package of the fleet's worker and check that it starts",
  ],
  "publish:dry": [
    "scripts/tasks/publish-dry.mjs",
    "publish the package to both marketplaces for practice, on this machine",
  ],
  bench: ["scripts/tasks/bench.mjs", "measure (an argument: only benchmarks with that in their name)"],
  test: ["scripts/tasks/test.mjs", "everything there is to check"],
  "test:unit": ["scripts/tasks/test-unit.mjs", "unit and contract tests in plain Node (mocha's arguments)"],
  "test:faults": [
    "scripts/tasks/test-faults.mjs",
    "killed runs, bad servers and disks, a very long run (mocha's arguments)",
  ],
  "test:fleet": [
    "scripts/tasks/test-fleet.mjs",
    "runs that move between machines whose programs are killed (--only NAME: one group, mocha's arguments)",
  ],
  "test:servers": [
    "scripts/tasks/test-servers.mjs",
    "the LiteLLM proxy and llama-cpp-python, where they are installed (mocha's arguments)",
  ],
  "test:backends": [
    "scripts/tasks/test-backends.mjs",
    "the servers that a team shares a memory through, in Python and Debian packages (mocha's arguments)",
  ],
  "test:mcp-conformance": [
    "scripts/tasks/test-mcp-conformance.mjs",
    "the conformance suites of MCP against our client (--quick: without signing in)",
  ],
  "test:integration": ["scripts/tasks/test-integration.mjs", "tests in a real extension host (--grep, --verbose)"],
  "test:e2e": ["scripts/tasks/test-e2e.mjs", "tests in the real workbench (mocha's arguments)"],
  "test:panel": ["scripts/tasks/test-panel.mjs", "tests of the panel's page in a browser (mocha's arguments)"],
  "test:desktop": ["scripts/tasks/test-desktop.mjs", "the integration tests in a downloaded desktop VS Code"],
  "test:theia": [
    "scripts/tasks/test-theia.mjs",
    "the packaged extension in Eclipse Theia, which is installed first (--no-package, mocha's arguments)",
  ],
  "test:oldest": [
    "scripts/tasks/test-oldest.mjs",
    "the main tests in the oldest VS Code that the extension is for, which is installed first (--no-package)",
  ],
  "test:windows": [
    "scripts/tasks/test-windows.mjs",
    "a part of the tests on Windows, or on Linux as root under Wine, which is installed first (names of groups)",
  ],
  "test:attacks": [
    "test/attacks/run.ts",
    "try real attacks against each mode, in throwaway places (--mode, --family, --name, --sample, --json, --docs, --fuzz)",
  ],
  "test:mutation": [
    "scripts/tasks/test-mutation.mjs",
    "break the deciding files one token at a time and count the breaks that tests notice (--file, --all)",
  ],
  pictures: [
    "scripts/tasks/pictures.mjs",
    "make the README's animated picture: the demo in the real workbench (--no-film: of the last frames)",
  ],
  replay: ["scripts/tasks/replay.mjs", "replay an exported run or a problem report (its file)"],
  start: ["scripts/tasks/start.mjs", "open VS Code with the extension (an argument: the folder to open)"],
  agent: ["src/headless.ts", "the agent without an editor"],
  eval: ["src/headless.ts", "measure a model on a suite of tasks (--help)", ["eval"]],
  "eval:small-models": [
    "scripts/tasks/eval-small-models.mjs",
    "measure the agent with three small models' real weights (--help)",
  ],
};

/** A line for each task, for people who asked for one that does not exist. */
export function listTasks() {
  return Object.entries(TASKS)
    .map(([name, [, purpose]]) => `  ${name.padEnd(18)}${purpose}`)
    .join("\n");
}
