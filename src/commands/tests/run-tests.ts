import type { Command, PrepareContext, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Python } from "../../core/ports/programs.ts";
import type { TestReports } from "../../core/ports/tests.ts";
import {
  type Args,
  FILE_ALIASES,
  FILENAME,
  FOLDER,
  number,
  objectSchema,
  olderNames,
  text,
  texts,
} from "../arguments.ts";
import { failed } from "../outcomes.ts";
import { folderPath, missingFile } from "../places.ts";
import { type ShellDependencies, TIMEOUT_SECONDS } from "../shell/run-line.ts";
import { scriptCall, type TestRequest } from "./test-script-call.ts";
import { RUNNERS } from "./test-scripts.ts";

/** Dependencies of running a project's tests. */
export interface TestDependencies extends ShellDependencies {
  readonly python?: Python | undefined;
  readonly reports?: TestReports | undefined;
}

/** Default time limit, unless the user's for command lines is longer. */
const TESTS_SECONDS = 600;

const PARAMETERS = {
  filename: { ...FILENAME, description: "Only this test file." },
  args: { type: "array", items: { type: "string" }, description: "Further arguments of the test runner." },
  folder: FOLDER,
  timeout_seconds: TIMEOUT_SECONDS,
} as const;

/** Test frameworks and package managers, by the runner whose manifest names them. */
const RUNNER_ALIASES = olderNames({
  npm: "jest vitest mocha ava tap node node_test pnpm yarn bun package_json",
  pytest: "python py_test",
  maven: "mvn",
  rspec: "ruby",
  cargo: "rust",
  go: "golang go_test",
  auto: "default any",
});

const OFF = "Shell commands are turned off (autogpt.shell.enabled).";

/** Runs the project's tests and reads their results. */
export function runTests(parts: TestDependencies): Command {
  return {
    name: "run_tests",
    aliases: ["run_test", "test", "execute_tests"],
    category: "shell",
    effect: "run",
    description:
      "Runs the project's tests and lists the failures first, with places and messages. It finds the test command itself.",
    parameters: objectSchema({ ...PARAMETERS, runner: { type: "string", enum: ["auto", ...RUNNERS] } }),
    offered: objectSchema(PARAMETERS),
    argumentAliases: {
      ...FILE_ALIASES,
      test_file: "filename",
      arguments: "args",
      cwd: "folder",
      directory: "folder",
      framework: "runner",
      timeout: "timeout_seconds",
    },
    choiceAliases: { runner: RUNNER_ALIASES },
    withheld: () => (parts.shell && parts.reports ? undefined : OFF),
    prepare: (args, preparing) => prepare(parts, args, preparing),
  };
}

async function prepare(
  parts: TestDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const { shell, reports } = parts;
  const request = await requestOf(parts, args, signal);
  if ("status" in request) return request;
  return shell && reports ? scriptCall({ ...parts, shell, reports }, request, signal) : failed(OFF);
}

/** The tests that a call names, or the outcome when there are none such. */
async function requestOf(
  { workspace, shellTimeoutSeconds = 0 }: TestDependencies,
  args: Args,
  signal: AbortSignal,
): Promise<TestRequest | Outcome> {
  const folder = await workspace.locate(folderPath(text(args, "folder")));
  if (folder.kind !== "folder") return failed(`There is no folder "${folder.label}" to run tests in.`);
  const more = texts(args, "args");
  if (more.some((word) => word.includes("\0"))) return failed("An argument holds a NUL character.");
  const filename = text(args, "filename");
  const file = filename === undefined ? undefined : await workspace.locate(filename);
  if (file?.kind === "missing") return failed(await missingFile(workspace, file.label, signal));
  const runner = text(args, "runner");
  return {
    folder,
    ...(file ? { file } : {}),
    args: more,
    ...(runner === undefined || runner === "auto" ? {} : { runner }),
    seconds: number(args, "timeout_seconds") ?? Math.max(shellTimeoutSeconds, TESTS_SECONDS),
  };
}
