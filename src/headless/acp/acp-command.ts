import { resolve } from "node:path";
import { printHelp } from "../exit-code.ts";
import { type FlagName, readFlags } from "../flags.ts";
import { createRunOptions, getBaseFolder } from "../options.ts";
import { findOwnVersion, resolveWorkspaceFolder } from "../place.ts";
import type { Subcommand } from "../session.ts";
import { UsageError } from "../usage-error.ts";

const USAGE = `Usage: autogpt acp [--workspace DIR] [options]

Offers AutoGPT to editors as an agent of the Agent Client Protocol, over standard input and output. The
editor starts it, and names the folder of each session; --workspace DIR serves only sessions in DIR or
below it. The options are those of a run, and hold for each session: --plan or --isolated choose the mode
in which sessions begin. What they don't approve is put to you in the editor. Closing the input stops the
runs, which can be loaded again.
`;

/** A run's flags that the editor replaces, or that need a terminal. */
const EDITORS: readonly FlagName[] = ["task", "picture", "resume", "take-over", "json", "speak"];

/** `autogpt acp`: the agent in editors that speak the Agent Client Protocol. Throws `UsageError`. */
export const runAcpCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv);
  if (flags.has("help")) return printHelp(USAGE, around);
  const [stranger] = flags.rest;
  if (stranger !== undefined) throw new UsageError(`"acp" doesn't take "${stranger}".`);
  const unused = EDITORS.find((name) => flags.has(name));
  if (unused !== undefined) throw new UsageError(`"acp" doesn't take --${unused}.`);
  const options = createRunOptions(flags, env, "session");
  const named = flags.findValue("workspace");
  const limit = named === undefined ? undefined : await resolveWorkspaceFolder(resolve(getBaseFolder(env), named));
  const { serveAcp } = await import("./acp-server.ts");
  await serveAcp({ options, limit, version: await findOwnVersion() }, around);
  return { kind: "done" };
};
