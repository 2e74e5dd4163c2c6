import type { ResolvedPath } from "./workspace.ts";

/** A test that failed. */
export interface FailedTest {
  /** Its name after those of its suites, joined by " › ". */
  readonly name: string;
  /** Its file, with line and column where known, as its runner reports it. */
  readonly location?: string;
  /** Message, difference and stack trace; "" if there are none. */
  readonly message: string;
}

/** Results of a test run, as its runner reports them. */
export interface TestReport {
  /** Name of the format that was read. */
  readonly format: string;
  /** Undefined if the report names only failures. */
  readonly passed?: number;
  readonly failed: number;
  /** Tests that were skipped, or that are only planned. */
  readonly skipped?: number;
  /** The failures that were read; `failed` counts all. */
  readonly failures: readonly FailedTest[];
}

/** The editor's own list of tests, which extensions fill. It reports failures, but not which tests passed. */
export interface TestExplorer {
  /** Names of the extensions' controllers that have tests, in a file or anywhere. Empty where failures can't be read. */
  listControllers(file?: ResolvedPath): Promise<readonly string[]>;
  /** Runs the tests of a file or all of them. */
  run(options: {
    readonly file?: ResolvedPath | undefined;
    readonly timeoutSeconds: number;
    readonly signal: AbortSignal;
  }): Promise<TestExplorerResult>;
}

/** The end of a run in the test explorer; `failures` has the editor's messages about failed tests. */
export interface TestExplorerResult {
  readonly ended: "exit" | "timeout" | "stopped";
  readonly failures: string;
  /** The editor reported the same result before. */
  readonly isSame: boolean;
}

/** Reads what test runners print and write. */
export interface TestReports {
  /** Notes which report files a folder, by its real path, already has; called before the tests run. */
  expect(folder: string): Promise<ExpectedReports>;
  /** Reads the failed tests in an output, as far as its format is known. */
  readFailures(output: string): Promise<readonly FailedTest[]>;
}

/** The reports of a run that was started. */
interface ExpectedReports {
  /** Reads report files that the run has written, otherwise its output. Undefined if neither is in a known format. */
  read(output: string): Promise<TestReport | undefined>;
}
