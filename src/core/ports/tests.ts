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
  /** Undefined where the report names only failures. */
  readonly passed?: number;
  readonly failed: number;
  /** Tests that were skipped, or that are only planned. */
  readonly skipped?: number;
  /** As many as were read; `failed` counts all. */
  readonly failures: readonly FailedTest[];
}

/** Reads what test runners print and write. */
export interface TestReports {
  /** Notes which report files a folder, by its real path, has already; called before the tests run. */
  expect(folder: string): Promise<ExpectedReports>;
}

/** The reports of a run that was started. */
interface ExpectedReports {
  /** Reads report files that the run has written, otherwise its output. Undefined if neither is in a known format. */
  read(output: string): Promise<TestReport | undefined>;
}
