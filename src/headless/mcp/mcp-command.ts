import { printHelp } from "../exit-code.ts";
import { type FlagName, readFlags } from "../flags.ts";
import { createRunOptions, type RunOptions } from "../options.ts";
import { findOwnVersion } from "../place.ts";
import type { Subcommand } from "../session.ts";
import { UsageError } from "../usage-error.ts";

const USAGE = `Usage: autogpt mcp --workspace DIR [options]
       autogpt mcp import [FILE] [--workspace DIR] [--settings FILE]

Offers AutoGPT as an MCP server over standard input and output, with the tools run_task, run_status and
stop_run. The options are those of a run, and hold for each run: what they don't approve is put to the
user by the client, and rejected if the client can't. No tool approves. Closing the input ends all runs.

import shows the MCP servers of VS Code, Claude, Cursor, Cline and Roo, or those of FILE, as a setting of AutoGPT;
with --settings, it adds them to that file. Automatic approvals and secrets are left out, and nothing starts.
`;

/** A run's flags that the client replaces, or that need a terminal. */
const CLIENTS: readonly FlagName[] = ["task", "picture", "resume", "json", "speak"];

/** `autogpt mcp`: the agent as an MCP server. Throws `UsageError`. */
export const runMcpCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv);
  if (flags.has("help")) return printHelp(USAGE, around);
  const [stranger, file, ...more] = flags.rest;
  if (stranger === "import" && more.length === 0) {
    const { importCommand } = await import("./import-command.ts");
    return importCommand(file, flags, env, around);
  }
  if (stranger !== undefined) throw new UsageError(`"mcp" doesn't take "${stranger}".`);
  const unused = CLIENTS.find((name) => flags.has(name));
  if (unused !== undefined) throw new UsageError(`"mcp" doesn't take --${unused}.`);
  const options = createRunOptions(flags, env, "served run");
  const { serveMcp } = await import("./mcp-server.ts");
  const createOptions = (task: string): RunOptions => ({ ...options, task: task.trim() });
  await serveMcp(createOptions, around, await findOwnVersion());
  return { kind: "done" };
};
