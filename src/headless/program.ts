import { realpath } from "node:fs/promises";
import { escapeInvisible } from "../core/base/text.ts";
import { listProgramVersions } from "../node/processes/program-versions.ts";
import { createErrorEnd, getExitCode, isBug, type ProgramEnd } from "./exit-code.ts";
import { readOptions } from "./options.ts";
import type { Surroundings } from "./session.ts";
import { USAGE, USAGE_LINES } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;
/** A subcommand: takes the arguments behind its name. */
type Subcommand = (argv: readonly string[], env: Environment, around: Surroundings) => Promise<ProgramEnd>;

/** Subcommands by name. */
export type Subcommands = Readonly<Record<string, Subcommand>>;

const SUBCOMMANDS: Subcommands = {
  run,
  acp: async (argv, env, around) => {
    const { runAcpCommand } = await import("./acp/acp-command.ts");
    return runAcpCommand(argv, env, around);
  },
  runs: async (argv, env, around) => {
    const { runRunsCommand } = await import("./runs/runs-commands.ts");
    return runRunsCommand(argv, env, around);
  },
  plugins: async (argv, env, around) => {
    const { runPluginsCommand } = await import("./plugins-commands.ts");
    return runPluginsCommand(argv, env, around);
  },
  ingest: async (argv, env, around) => {
    const { runIngestCommand } = await import("./memory/ingest-command.ts");
    return runIngestCommand(argv, env, around);
  },
  memory: async (argv, env, around) => {
    const { runMemoryCommand } = await import("./memory/memory-command.ts");
    return runMemoryCommand(argv, env, around);
  },
  embeddings: async (argv, env, around) => {
    const { runEmbeddingsCommand } = await import("./memory/embeddings-command.ts");
    return runEmbeddingsCommand(argv, env, around);
  },
  fleet: async (argv, env, around) => {
    const { runFleetCommand } = await import("./fleet/fleet-command.ts");
    return runFleetCommand(argv, env, around);
  },
  ci: async (argv, env, around) => {
    const { runActionsCommand } = await import("./fleet/actions-command.ts");
    return runActionsCommand(argv, env, around);
  },
  "serve-run": async (argv, env, around) => {
    const { runServeCommand } = await import("./fleet/serve-run.ts");
    return runServeCommand(argv, env, around);
  },
  review: async (argv, env, around) => {
    const { runReviewCommand } = await import("./review/review-command.ts");
    return runReviewCommand(argv, env, around);
  },
  "explain-policy": async (argv, env, around) => {
    const { explainPolicy } = await import("./explain-policy.ts");
    return explainPolicy(argv, env, around);
  },
  mcp: async (argv, env, around) => {
    const { runMcpCommand } = await import("./mcp/mcp-command.ts");
    return runMcpCommand(argv, env, around);
  },
};

/** Subcommands without a help text of their own: the program's has all their options. */
const HELPED_BY_ALL: ReadonlySet<string> = new Set(["runs", "plugins"]);

/**
 * Runs the command line, with the subcommands that an entry adds, and returns the exit code. Reports problems as sentences on standard
 * error.
 */
export async function runCommandLine(
  argv: readonly string[],
  env: Environment,
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

async function run(argv: readonly string[], env: Environment, around: Surroundings): Promise<ProgramEnd> {
  const options = readOptions(argv, env);
  if (options === "help") {
    around.stdout.write(USAGE);
    return { kind: "done" };
  }
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
