import { omitUndefined } from "../../core/base/objects.ts";
import type { Command, PrepareContext, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Python } from "../../core/ports/programs.ts";
import type { EditorTask } from "../../core/ports/tasks.ts";
import type { TestExplorer, TestReports } from "../../core/ports/tests.ts";
import {
  type Args,
  createObjectSchema,
  createOlderNameTable,
  FILE_ALIASES,
  FILENAME,
  FOLDER,
  getNumberArgument,
  getTextArgument,
  listTextArguments,
} from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { describeMissingFile, getFolderPath } from "../places.ts";
import { TIMEOUT_SECONDS } from "../shell/run-line.ts";
import { prepareTaskCall, type ReadyTasks, type TaskDependencies } from "../tasks/run-task.ts";
import { prepareExplorerCall } from "./explorer-call.ts";
import { createTestResultReader, prepareScriptCall, type TestRequest } from "./test-script-call.ts";
import { RUNNERS } from "./test-scripts.ts";

/** Dependencies of running a project's tests. */
export interface TestDependencies extends TaskDependencies {
  readonly python?: Python | undefined;
  readonly reports?: TestReports | undefined;
  readonly testExplorer?: TestExplorer | undefined;
  /** True while calls are approved in advance, so that a call that needs a person's approval would wait. */
  isUnattended?(): boolean;
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
const RUNNER_ALIASES = createOlderNameTable({
  npm: "jest vitest mocha ava tap node node_test pnpm yarn bun package_json",
  pytest: "python py_test",
  maven: "mvn",
  rspec: "ruby",
  cargo: "rust",
  go: "golang go_test",
  auto: "default any",
  explorer: "test_explorer vscode",
});

const OFF = "Shell commands are turned off (autogpt.shell.enabled).";

/** Runs the project's tests and reads their results. */
export function runTests(parts: TestDependencies): Command {
  return {
    name: "run_tests",
    aliases: ["run_test", "test", "execute_tests"],
    category: "shell",
    effect: "run",
    traits: {
      titles: [{ code: "RunFileTests", file: "filename" }, { code: "RunTests" }],
      question: { code: "runTests" },
      role: "tests",
      rank: 40,
      keepsOutput: true,
      mayRunExtensions: true,
      runsTypedLine: true,
    },
    description:
      "Runs the project's tests and lists the failures first, with places and messages. It finds the test command itself.",
    parameters: createObjectSchema({
      ...PARAMETERS,
      runner: { type: "string", enum: ["auto", "explorer", "task", "script", ...RUNNERS] },
    }),
    offered: createObjectSchema(PARAMETERS),
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
  if (!shell || !reports) return createFailure(OFF);
  const request = await readTestRequest(parts, args, signal);
  if ("status" in request) return request;
  const { runner } = request;
  const explored = await prepareExplorerTests(parts, request);
  if (explored) return explored;
  if (runner === "explorer")
    return createFailure('The Test Explorer has no such tests. Call run_tests with runner "script".');
  const task = runner === undefined || runner === "task" ? await findTestTask(parts, request) : undefined;
  if (task && parts.tasks) return prepareTestTaskCall({ ...parts, shell, reports, tasks: parts.tasks }, task, request);
  if (runner === "task") return createFailure('There is no task for tests. Call run_tests with runner "script".');
  const { runner: _, ...anyScript } = request;
  return prepareScriptCall({ ...parts, shell, reports }, runner === "script" ? anyScript : request, signal);
}

/** Prepares a call of the Test Explorer, unless it has no such tests or no one can approve it. */
async function prepareExplorerTests(
  { testExplorer, sandboxed = false, isUnattended }: TestDependencies,
  request: TestRequest,
): Promise<PreparedCall | undefined> {
  const { runner, args, isInFolder, file } = request;
  const isWanted = runner === "explorer";
  const isPossible = runner === undefined && args.length === 0 && !isInFolder && !isUnattended?.();
  if (!testExplorer || sandboxed || !(isWanted || isPossible)) return undefined;
  const controllers = await testExplorer.listControllers(file);
  return controllers.length === 0 ? undefined : prepareExplorerCall(testExplorer, controllers, request);
}

/** The task that the user has defined for tests: their default one, or the only one. */
async function findTestTask(
  { tasks, sandboxed = false, isUnattended }: TestDependencies,
  { runner, args, isInFolder, file }: TestRequest,
): Promise<EditorTask | undefined> {
  if (!tasks || args.length > 0 || file || isInFolder) return undefined;
  // Tasks of other sources are found by the same manifests as test scripts.
  const known = await tasks.list().catch(() => []);
  const all = known.filter(({ tests, source }) => tests !== undefined && source === "Workspace");
  const chosen = all.find(({ tests }) => tests === "default") ?? (all.length === 1 ? all[0] : undefined);
  if (!chosen || chosen.isBackground) return undefined;
  const needsPerson = "why" in chosen.runs && (sandboxed || isUnattended?.() === true);
  return needsPerson && runner === undefined ? undefined : chosen;
}

/** Prepares a call of a test task; its results are read like a script's. */
function prepareTestTaskCall(
  parts: ReadyTasks & { readonly reports: TestReports },
  task: EditorTask,
  { seconds }: TestRequest,
): Promise<PreparedCall | Outcome> {
  return prepareTaskCall(parts, task, seconds, (cwd) => createTestResultReader(parts.reports, cwd));
}

/** Reads the tests that a call names, or returns an outcome if there are none. */
async function readTestRequest(
  { workspace, shellTimeoutSeconds = 0 }: TestDependencies,
  args: Args,
  signal: AbortSignal,
): Promise<TestRequest | Outcome> {
  const folder = await workspace.locate(getFolderPath(getTextArgument(args, "folder")));
  if (folder.kind !== "folder") return createFailure(`There is no folder "${folder.label}" to run tests in.`);
  const more = listTextArguments(args, "args");
  if (more.some((word) => word.includes("\0"))) return createFailure("An argument contains a NUL character.");
  const filename = getTextArgument(args, "filename");
  const file = filename === undefined ? undefined : await workspace.locate(filename);
  if (file?.kind === "missing") return createFailure(await describeMissingFile(workspace, file.label, signal));
  const runner = getTextArgument(args, "runner");
  return {
    folder,
    isInFolder: getFolderPath(getTextArgument(args, "folder")) !== ".",
    ...omitUndefined({ file }),
    args: more,
    ...(runner === undefined || runner === "auto" ? {} : { runner }),
    seconds: getNumberArgument(args, "timeout_seconds") ?? Math.max(shellTimeoutSeconds, TESTS_SECONDS),
  };
}
