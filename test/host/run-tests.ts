// Runs VS Code's own test runner with the options in the first argument, in a process that can be ended from outside.
import { runTests, TestRunFailedError } from "@vscode/test-electron";

try {
  process.exitCode = await runTests(JSON.parse(process.argv[2] ?? ""));
} catch (error) {
  if (!(error instanceof TestRunFailedError)) console.error(String(error));
  process.exitCode = (error instanceof TestRunFailedError && error.code) || 1;
}
