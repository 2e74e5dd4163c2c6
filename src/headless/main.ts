// The program behind `headless.ts`: signals, crashes and the exit code.
import { escapeInvisible } from "../core/base/text.ts";
import { getUserFolder } from "../node/app-files.ts";
import type { PackagedPlugins } from "../plugins/own/own-plugins.ts";
import { getExitCode } from "./exit-code.ts";
import { runCommandLine, type Subcommands } from "./program.ts";

const { stdin, stdout, stderr } = process;
const stopping = new AbortController();
/** After a bug, the run gets this long to write its end. */
const LAST_WORDS_MS = 3_000;
let hasCrashed = false;

/** The first signal stops the run cleanly, the second immediately. */
function stop(): void {
  if (stopping.signal.aborted) leave(getExitCode({ kind: "stopped" }));
  stopping.abort(new Error("The run was stopped."));
}

/** Exits once all lines so far are written. */
function leave(code: number): void {
  const exit = (): void => process.exit(code);
  setTimeout(exit, LAST_WORDS_MS).unref();
  stdout.write("", exit);
}

/** Handles a bug outside the run's own steps: stops the run, so that its log and output end with whole lines. */
function handleCrash(error: Error): void {
  stderr.write(`${escapeInvisible(error.stack ?? error.message)}\n`);
  if (hasCrashed) return;
  hasCrashed = true;
  if (!stopping.signal.aborted) stopping.abort(new Error("A bug ended the run."));
  setTimeout(() => leave(getExitCode({ kind: "bug" })), LAST_WORDS_MS).unref();
}

/** Runs the program with the subcommands and plugins that its entry adds. */
export async function runMain(added: Subcommands, packaged: PackagedPlugins): Promise<void> {
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  process.on("uncaughtException", handleCrash);
  // The other end of the pipe is closed.
  stdout.on("error", () => stopping.signal.aborted || stop());
  stderr.on("error", () => undefined);
  const around = { stdin, stdout, stderr, data: getUserFolder(), signal: stopping.signal, packaged };
  const code = await runCommandLine(process.argv.slice(2), process.env, around, added);
  process.exitCode = hasCrashed ? getExitCode({ kind: "bug" }) : code;
}
