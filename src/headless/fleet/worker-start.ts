import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseEnv } from "node:util";
import { readLinkedText } from "../../disk/plain-file.ts";
import { loadFleetKey } from "../../fleet/key.ts";
import { selectDefinedVariables } from "../../node/processes/shell-environment.ts";
import { fail } from "../../texts/display-text.ts";
import { demandServedRecord, getServedHome, isWorkedOn, writeServedRecord } from "./served-runs.ts";

/** How long a worker may take to make itself known. */
const START_MS = 60_000;
const LOOK_MS = 50;

/** Starts the process that works on a run, in a session of its own, so that it goes on when the connection ends. */
export async function startWorker(data: string, run: string): Promise<void> {
  const key = (await loadFleetKey(data)) ?? fail("fleet.noKey");
  const { failed: _failed, ...record } = await demandServedRecord(data, run);
  await writeServedRecord(data, record);
  const output = await open(join(getServedHome(data, run), "worker.log"), "a", 0o600);
  try {
    const [program = ""] = process.argv.slice(1);
    const child = spawn(process.execPath, [...process.execArgv, program, "serve-run", "work", run], {
      cwd: homedir(),
      detached: true,
      env: { ...(await readOwnEnvironment(data)), ...process.env },
      stdio: ["ignore", output.fd, output.fd],
    });
    let hasEnded = false;
    child.on("error", () => {
      hasEnded = true;
    });
    child.on("exit", () => {
      hasEnded = true;
    });
    child.unref();
    for (const until = performance.now() + START_MS; performance.now() < until && !hasEnded; ) {
      if (await isWorkedOn(data, run, key)) return;
      await wait(LOOK_MS);
    }
  } finally {
    await output.close();
  }
  const { failed } = await demandServedRecord(data, run);
  if (failed !== undefined) throw new Error(failed);
}

/** The variables that the user wrote down for runs of other machines, such as keys of models. A shell by ssh often has none. */
async function readOwnEnvironment(data: string): Promise<Readonly<Record<string, string>>> {
  const text = await readLinkedText(join(data, "fleet", "environment")).catch(() => "");
  return selectDefinedVariables(parseEnv(text));
}
