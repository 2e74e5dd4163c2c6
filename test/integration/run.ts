// Runs the integration tests, each host's in a fresh VS Code.
// Arguments: --grep TEXT, --host FOLDER (only that one of hosts.ts), --verbose (what VS Code logs as well),
// --desktop EXECUTABLE (that VS Code, instead of the one from npm packages in a browser).
import path from "node:path";
import { parseArgs } from "node:util";
import { runInDesktop } from "../host/desktop.ts";
import { runInExtensionHost } from "../host/extension-host.ts";
import type { HostRun } from "../host/host-run.ts";
import { openOutputLine } from "../host/output-line.ts";
import { ROOT } from "../host/places.ts";
import { openCounts } from "../host/test-counts.ts";
import { copyWorkspace } from "../host/workspace.ts";
import { bundleTests, testsOf } from "./bundle.ts";
import { HOSTS, type TestHost } from "./hosts.ts";

const { values: options } = parseArgs({
  options: {
    desktop: { type: "string" },
    grep: { type: "string" },
    host: { type: "string" },
    verbose: { type: "boolean" },
  },
});

const SILENCE_SECONDS = 120;

const { desktop } = options;
const runInVsCode = desktop ? (run: HostRun) => runInDesktop(desktop, run) : runInExtensionHost;

/** Whether a host's tests ran and all passed. */
async function runHost(host: TestHost): Promise<boolean> {
  const tests = await bundleTests(host);
  const counts = openCounts();
  const workspace = host.workspace ? copyWorkspace(host.workspace) : undefined;
  const silence = Promise.withResolvers<void>();
  const timer = setTimeout(silence.resolve, SILENCE_SECONDS * 1000);
  const output = await openOutputLine((text) => {
    timer.refresh();
    process.stdout.write(text);
  });
  try {
    const end = await runInVsCode({
      ...host,
      ...(workspace ? { workspace: workspace.folder } : {}),
      extensions: [ROOT, ...(host.extensions ?? [])],
      env: { ...host.env, ...forTests(output.port), TEST_COUNTS: counts.file },
      tests,
      silence: silence.promise,
      picture: path.join(ROOT, "test/shots", `integration-${path.basename(tests, ".cjs")}.png`),
      ...(options.verbose ? { onLog: (line: string) => console.error(line) } : {}),
    });
    if ("trouble" in end) console.error(end.trouble);
    const { passes, failures } = counts.read();
    if (passes + failures === 0) console.error("No test ran to its end in this extension host.");
    return passes > 0 && failures === 0;
  } finally {
    counts.close();
    clearTimeout(timer);
    output.close();
    workspace?.remove();
  }
}

function forTests(port: number): Record<string, string> {
  return {
    TEST_OUTPUT_PORT: String(port),
    TEST_COLOUR: process.stdout.isTTY ? "1" : "0",
    TEST_GREP: options.grep ?? "",
  };
}

const chosen = HOSTS.filter(
  (host) => testsOf(host).length > 0 && (options.host ?? host.folder) === host.folder,
);
let passed = chosen.length > 0;
for (const host of chosen) {
  console.log(`\nExtension host: ${host.folder === "." ? "workspace" : host.folder}`);
  passed = (await runHost(host)) && passed;
}
process.exitCode = passed ? 0 : 1;
