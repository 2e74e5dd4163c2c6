// Runs the integration tests, each host's in a fresh VS Code. Arguments: parts of the paths of the test files to run
// (else all), and
//   --grep TEXT           only tests with that in their title
//   --host FOLDER         only that host of hosts.ts
//   --verbose             also what VS Code logs
//   --desktop EXECUTABLE  in that VS Code, not in the one from npm packages
//   --bundle              run nothing; leave what the debugger starts in test/integration/.bundle/
import { parseArgs } from "node:util";
import { bundleTests } from "./bundle.ts";
import { runSuite, testsOf } from "./host-suite.ts";
import { HOSTS, type TestHost } from "./hosts.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bundle: { type: "boolean", default: false },
    desktop: { type: "string" },
    grep: { type: "string", default: "" },
    host: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});

/** Whether the tests of a host could be bundled, ran and passed. */
async function run(host: TestHost, files: readonly string[]): Promise<boolean> {
  const name = host.folder === "." ? "main" : host.folder;
  if (values.bundle) return bundleTests(name, files).then(() => true);
  console.log(`\nExtension host: ${name}`);
  const bundle = await bundleTests(`${name}-${process.pid}`, files);
  const { desktop, ...options } = values;
  const passed = await runSuite(host, bundle.entry, { ...options, ...(desktop ? { desktop } : {}) });
  bundle.remove();
  return passed;
}

const chosen = HOSTS.filter(({ folder }) => folder === (values.host ?? folder))
  .map((host) => ({ host, files: testsOf(host, positionals) }))
  .filter(({ files }) => files.length > 0);
if (chosen.length === 0) console.error("No test file of test/integration fits these arguments.");

let passed = chosen.length > 0;
for (const { host, files } of chosen) {
  const hostPassed = await run(host, files).catch((error: unknown) => console.error(String(error)));
  passed = hostPassed === true && passed;
}
process.exitCode = passed ? 0 : 1;
