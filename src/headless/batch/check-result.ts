import { PassThrough } from "node:stream";
import { Queue } from "../../core/base/async.ts";
import type { FleetEngine } from "../../fleet/engine.ts";
import type { CheckFacts } from "../../schema/fleet/batches.ts";
import { readFlags } from "../flags.ts";
import { createRunOptions } from "../options.ts";
import { useIsolatedRun } from "../runs/isolated-commands.ts";
import { runWithSession, type Surroundings } from "../session.ts";

const CHECK_SECONDS = 600;
const NOT_ENDED = 124;

/** Checks the result of a run, on this machine. */
export type CheckResult = (engine: FleetEngine, run: string, folder: string) => Promise<CheckFacts>;

/**
 * Checks results by a command line of the user, one at a time: brings each here, as for its review, and runs the line in its copy, within the
 * sandbox that holds the run's own commands. The workspace stays as it is.
 */
export function createResultCheck(
  line: string,
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
): CheckResult {
  const turns = new Queue();
  const { signal } = around;
  const check = async (engine: FleetEngine, run: string, folder: string): Promise<CheckFacts> => {
    await engine.fetch(run, folder, signal);
    const options = createRunOptions(readFlags(["--workspace", folder]), env, "stored run");
    const silent = { ...around, stdin: new PassThrough().end() };
    return runWithSession(options, silent, (session) =>
      useIsolatedRun(session, run, async (isolation) => {
        const { code } = await isolation.runLine(line, CHECK_SECONDS, signal);
        const { changes } = await isolation.review(signal);
        const sum = (count: (change: (typeof changes)[number]) => number): number =>
          changes.reduce((all, change) => all + count(change), 0);
        const lines = { added: sum(({ added }) => added), removed: sum(({ removed }) => removed) };
        return { check: code ?? NOT_ENDED, files: changes.length, ...lines };
      }),
    );
  };
  return (...given) => turns.add(() => check(...given));
}
