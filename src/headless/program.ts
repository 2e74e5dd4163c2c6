import { realpath } from "node:fs/promises";
import { visible } from "../core/base/text.ts";
import { programVersions } from "../node/processes/program-versions.ts";
import { endOfError, exitCode, isBug, type ProgramEnd } from "./exit-code.ts";
import { readOptions } from "./options.ts";
import type { Surroundings } from "./session.ts";
import { USAGE, USAGE_LINES } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Subcommand = (argv: readonly string[], env: Environment, around: Surroundings) => Promise<ProgramEnd>;

/** The subcommands of the program. */
const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  run,
  runs: async (argv, env, around) => {
    const { runsCommand } = await import("./runs/runs-commands.ts");
    return runsCommand(argv, env, around);
  },
  plugins: async (argv, env, around) => {
    const { pluginsCommand } = await import("./plugins-commands.ts");
    return pluginsCommand(argv, env, around);
  },
  ingest: async (argv, env, around) => {
    const { ingestCommand } = await import("./memory/ingest-command.ts");
    return ingestCommand(argv, env, around);
  },
  memory: async (argv, env, around) => {
    const { memoryCommand } = await import("./memory/memory-command.ts");
    return memoryCommand(argv, env, around);
  },
  embeddings: async (argv, env, around) => {
    const { embeddingsCommand } = await import("./memory/embeddings-command.ts");
    return embeddingsCommand(argv, env, around);
  },
  "explain-policy": async (argv, env, around) => {
    const { explainPolicy } = await import("./explain-policy.ts");
    return explainPolicy(argv, env, around);
  },
  mcp: async (argv, env, around) => {
    const { mcpCommand } = await import("./mcp/mcp-command.ts");
    return mcpCommand(argv, env, around);
  },
  eval: async (argv, env, around) => {
    const { evalCommand } = await import("../evals/eval-command.ts");
    return evalCommand(argv, env, around);
  },
};

/** Subcommands without a help text of their own: the program's has all their options. */
const HELPED_BY_ALL: ReadonlySet<string> = new Set(["runs", "plugins"]);

/** Does what the command line asks for, and returns the exit code. What goes wrong is a sentence on standard error. */
export async function program(
  argv: readonly string[],
  env: Environment,
  around: Surroundings,
): Promise<number> {
  const [name = "", ...rest] = argv;
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  try {
    if (HELPED_BY_ALL.has(name) && rest.some((arg) => arg === "--help" || arg === "-h"))
      return exitCode(await run(["--help"], env, around));
    return exitCode(await (subcommand ? subcommand(rest, env, around) : run(argv, env, around)));
  } catch (error) {
    const ended = endOfError(error, around.signal.aborted);
    if (ended.kind !== "stopped") around.stderr.write(`${visible(textOf(error))}\n`);
    if (error instanceof UsageError) around.stderr.write(`\n${USAGE_LINES}Add --help to see all options.\n`);
    return exitCode(ended);
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
  if (folder !== undefined) void programVersions([folder], env);
  const { runHeadless } = await import("./run-headless.ts");
  return { kind: "run", end: await runHeadless(options, around) };
}

function textOf(error: unknown): string {
  if (isBug(error) && error.stack) return error.stack;
  return error instanceof Error ? error.message : String(error);
}
