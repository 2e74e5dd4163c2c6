import fs from "node:fs";
import path from "node:path";
import { runInDesktop } from "../host/desktop.ts";
import { runInExtensionHost } from "../host/extension-host.ts";
import type { HostRun } from "../host/host-run.ts";
import { openOutputLine } from "../host/output-line.ts";
import { ROOT } from "../host/places.ts";
import { openCounts } from "../host/test-counts.ts";
import { copyWorkspace } from "../host/workspace.ts";
import { HOSTS, type TestHost } from "./hosts.ts";

/** How a person wants the tests of a host to run. */
export interface SuiteOptions {
  readonly grep: string;
  /** The executable of a desktop VS Code, to be used instead of the one from npm packages. */
  readonly desktop?: string;
  readonly verbose: boolean;
}

const SILENCE_SECONDS = 120;

/** The test files that belong to a host and have one of the parts in their path, sorted; without parts, all. */
export function testsOf(host: TestHost, parts: readonly string[]): readonly string[] {
  const here = import.meta.dirname;
  const others = HOSTS.filter((other) => other.folder !== host.folder && other.folder !== ".");
  return fs
    .globSync("**/*.test.ts", { cwd: path.join(here, host.folder) })
    .map((file) => path.join(here, host.folder, file))
    .filter((file) => !others.some((other) => file.startsWith(path.join(here, other.folder) + path.sep)))
    .filter((file) => parts.length === 0 || parts.some((part) => path.relative(ROOT, file).includes(part)))
    .sort();
}

/** Runs a bundle of tests in a fresh VS Code, and prints as they go. Whether tests ran and all passed. */
export async function runSuite(host: TestHost, tests: string, options: SuiteOptions): Promise<boolean> {
  const counts = openCounts();
  const workspace = host.workspace ? copyWorkspace(host.workspace) : undefined;
  const silence = Promise.withResolvers<void>();
  const timer = setTimeout(silence.resolve, SILENCE_SECONDS * 1000);
  const output = await openOutputLine((text) => {
    timer.refresh();
    process.stdout.write(text);
  });
  const run: HostRun = {
    ...host,
    ...(workspace ? { workspace: path.join(workspace.folder, host.workspaceFile ?? "") } : {}),
    extensions: [ROOT, ...(host.extensions ?? [])],
    env: { ...host.env, ...forTests(output.port, counts.file, options) },
    tests,
    silence: silence.promise,
    picture: path.join(ROOT, "test/shots", `integration-${host.folder.replace(".", "main")}.png`),
    ...(options.verbose ? { onLog: (line: string) => console.error(line) } : {}),
  };
  try {
    const end = await (options.desktop ? runInDesktop(options.desktop, run) : runInExtensionHost(run));
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

function forTests(port: number, countsFile: string, { grep }: SuiteOptions): Record<string, string> {
  const colour = process.stdout.isTTY ? "1" : "0";
  return { TEST_OUTPUT_PORT: String(port), TEST_COUNTS: countsFile, TEST_COLOUR: colour, TEST_GREP: grep };
}
