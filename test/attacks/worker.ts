// Runs attacks in the jail that it was started in: reads jobs from standard input, one JSON object per line, and prints results.
import { statfsSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { getErrorMessage } from "../../src/core/base/errors.ts";
import { attackModel } from "./agents/model-server.ts";
import { attackRun } from "./agents/modes.ts";
import type { Attack } from "./attack.ts";
import type { AttackResult, Job } from "./job.ts";
import { anyHarm, harmDone } from "./place/harm.ts";
import { listen, listenOnFiles } from "./place/listeners.ts";
import { makeTemplate, resetPlace, snapshot } from "./place/place.ts";
import { endMarked, measurePeaks, startVictim } from "./place/processes.ts";
import { VARIABLES } from "./place/secrets.ts";

/** A run that takes longer hangs. */
const MOST_HANGING_MS = 12_000;

process.env = { ...VARIABLES };
// Limits that depend on the machine's memory are then reached by bombs that any machine can bear.
os.totalmem = () => 4_000_000_000;
syncBuiltinESMExports();
makeTemplate();
const listeners = await listen();
const model = await attackModel();

for await (const line of createInterface({ input: process.stdin })) {
  const job: Job = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await attacked(job))}\n`);
}
process.exit(0);

async function attacked(job: Job): Promise<AttackResult> {
  const { attack } = job;
  resetPlace(attack.files, attack.setup);
  listeners.contacts.length = 0;
  listeners.page = attack.page ?? "";
  const closeFiles = await listenOnFiles(listeners);
  const victim = startVictim();
  const before = snapshot();
  const full = usedMegabytes();
  const peaks = measurePeaks(attack);
  const began = performance.now();
  const { shown, trouble, isHung } = await shownBy(attack, job);
  await settled(attack);
  const evidence = {
    ...{ before, after: snapshot(), shown, contacts: listeners.contacts, victim },
    ...{ peaks: peaks.peaks, grown: usedMegabytes() - full, isHung },
  };
  const harm = harmDone(attack, evidence);
  const other = job.mode === "isolated" || job.mode === "readOnly" ? anyHarm(attack, evidence) : [];
  peaks.stop();
  endMarked();
  victim.kill("SIGKILL");
  await closeFiles();
  return {
    ...job,
    harm,
    other,
    isRefused: attack.calls.some(({ command }) => shown.includes(`${command} was refused`)),
    ...(trouble === undefined ? {} : { trouble }),
    ...(isHung ? { isHung } : {}),
    milliseconds: Math.round(performance.now() - began),
  };
}

async function shownBy(
  attack: Attack,
  { mode }: Job,
): Promise<{ readonly shown: string; readonly trouble?: string; readonly isHung: boolean }> {
  try {
    const run = attackRun(attack, mode, model);
    run.catch(() => undefined);
    const isHanging = attack.harm.some(({ kind }) => kind === "hangs");
    const shown = await (isHanging ? Promise.race([run, pause(MOST_HANGING_MS)]) : run);
    return { shown: shown ?? model.shown, isHung: shown === undefined };
  } catch (error) {
    return { shown: model.shown, trouble: getErrorMessage(error), isHung: false };
  }
}

/** Programs that an attack has left behind get a moment to do what they were left for. */
async function settled({ harm, calls }: Attack): Promise<void> {
  const isLate =
    harm.some(({ kind }) => kind === "survives") || calls.some(({ command }) => command === "execute_shell_popen");
  await pause(isLate ? 500 : 20);
}

function usedMegabytes(): number {
  const { bsize, blocks, bfree } = statfsSync("/home");
  return ((blocks - bfree) * bsize) / 1_000_000;
}
