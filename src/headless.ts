import { errorMessage } from "./core/base/errors.ts";
// The agent without an editor: `npm run -s agent -- --help`.
import { visible } from "./core/base/text.ts";
import { EXIT_CODE } from "./headless/exit-code.ts";
import { readOptions } from "./headless/options.ts";
import { runHeadless } from "./headless/run-headless.ts";
import { USAGE } from "./headless/usage.ts";
import { UsageError } from "./headless/usage-error.ts";
import { userFolder } from "./node/app-files.ts";

const stopping = new AbortController();

/** The first signal stops the run in good order, the second one at once. */
function stop(): void {
  if (stopping.signal.aborted) process.exit(EXIT_CODE.stopped);
  stopping.abort(new Error("The run was stopped."));
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === "help") {
    process.stdout.write(USAGE);
    return EXIT_CODE.finished;
  }
  const { stdin, stdout, stderr } = process;
  const end = await runHeadless(options, {
    stdin,
    stdout,
    stderr,
    data: userFolder(),
    signal: stopping.signal,
  });
  return EXIT_CODE[end.reason];
}

/** What a program that could not even begin a run says and returns. */
function failed(error: unknown): number {
  if (stopping.signal.aborted) return EXIT_CODE.stopped;
  const ours = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  const message = errorMessage(error);
  process.stderr.write(`${visible(ours && error.stack ? error.stack : message)}\n`);
  if (error instanceof UsageError) process.stderr.write(`\n${USAGE}`);
  return ours ? EXIT_CODE.crashed : EXIT_CODE.failed;
}

process.on("SIGINT", stop);
process.on("SIGTERM", stop);
process.stdout.on("error", stop);
process.exitCode = await main().catch(failed);
