import { realpath } from "node:fs/promises";
import { escapeInvisible } from "../core/base/text.ts";
import { listProgramVersions } from "../node/processes/program-versions.ts";
import { createErrorEnd, getExitCode, isBug, type ProgramEnd, printHelp } from "./exit-code.ts";
import { readOptions } from "./options.ts";
import type { Subcommand, Surroundings } from "./session.ts";
import { USAGE, USAGE_LINES } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

/** Subcommands by name. */
export type Subcommands = Readonly<Record<string, Subcommand>>;

const SUBCOMMANDS: Subcommands = {
  run,
  acp: async (...call) => (await import("./acp/acp-command.ts")).runAcpCommand(...call),
  runs: async (...call) => (await import("./runs/runs-commands.ts")).runRunsCommand(...call),
  plugins: async (...call) => (await import("./plugins-commands.ts")).runPluginsCommand(...call),
  ingest: async (...call) => (await import("./memory/ingest-command.ts")).runIngestCommand(...call),
  memory: async (...call) => (await import("./memory/memory-command.ts")).runMemoryCommand(...call),
  embeddings: async (...call) => (await import("./memory/embeddings-command.ts")).runEmbeddingsCommand(...call),
  fleet: async (...call) => (await import("./fleet/fleet-command.ts")).runFleetCommand(...call),
  ci: async (...call) => (await import("./fleet/actions-command.ts")).runActionsCommand(...call),
  "serve-run": async (...call) => (await import("./fleet/serve-run.ts")).runServeCommand(...call),
  review: async (...call) => (await import("./review/review-command.ts")).runReviewCommand(...call),
  "explain-policy": async (...call) => (await import("./explain-policy.ts")).explainPolicy(...call),
  mcp: async (...call) => (await import("./mcp/mcp-command.ts")).runMcpCommand(...call),
};

/** Subcommands without a help text of their own: the program's has all their options. */
const HELPED_BY_ALL: ReadonlySet<string> = new Set(["runs", "plugins"]);

/**
 * Runs the command line, with the subcommands that an entry adds, and returns the exit code. Reports problems as sentences on standard
 * error.
 */
export async function runCommandLine(
  argv: readonly string[],
  env: Parameters<Subcommand>[1],
  around: Surroundings,
  added: Subcommands = {},
): Promise<number> {
  const [name = "", ...rest] = argv;
  const known = { ...SUBCOMMANDS, ...added };
  const subcommand = Object.hasOwn(known, name) ? known[name] : undefined;
  try {
    if (HELPED_BY_ALL.has(name) && rest.some((arg) => arg === "--help" || arg === "-h"))
      return getExitCode(await run(["--help"], env, around));
    return getExitCode(await (subcommand ? subcommand(rest, env, around) : run(argv, env, around)));
  } catch (error) {
    const ended = createErrorEnd(error, around.signal.aborted);
    if (ended.kind !== "stopped") around.stderr.write(`${escapeInvisible(describeError(error))}\n`);
    // A command that was named shows its own help, so the sentence stays in view.
    if (error instanceof UsageError)
      around.stderr.write(`\n${subcommand ? "" : USAGE_LINES}Add --help to see all options.\n`);
    return getExitCode(ended);
  }
}

async function run(...[argv, env, around]: Parameters<Subcommand>): Promise<ProgramEnd> {
  const options = readOptions(argv, env);
  if (options === "help") return printHelp(USAGE, around);
  // The first prompt waits for the answers, and loading the rest takes about as long as they do. Only programs outside
  // the folder are asked, with nothing of it.
  const folder = await realpath(options.workspace).catch(() => undefined);
  if (folder !== undefined) void listProgramVersions([folder], env);
  if (options.on) {
    const { sendRun } = await import("./fleet/send-run.ts");
    return sendRun(options, options.on, around);
  }
  const { runHeadless } = await import("./run-headless.ts");
  return { kind: "run", end: await runHeadless(options, around) };
}

function describeError(error: unknown): string {
  if (isBug(error) && error.stack) return error.stack;
  return error instanceof Error ? error.message : String(error);
}
