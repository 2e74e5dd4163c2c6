// Prepares a machine that works on a run of Ann's, and plays what carries the run. Arguments: a trick's name, and `answer` for the part
// that goes on while the machine works.
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { openQuestion } from "../../../src/fleet/question.ts";
import { readServedRecord } from "../../../src/headless/fleet/served-runs.ts";
import type { FleetBinding } from "../../../src/schema/fleet/decisions.ts";
import { BOX } from "../place/paths.ts";
import { openBox, orderRun, RUN, sendTask } from "./box.ts";
import { addHelper, TRICKS } from "./tricks.ts";

/** Until then, the run has asked, and an answer that counts has had its effect. */
const MOST_MS = 20_000;
const EFFECT_MS = 3_000;
const LOOK_MS = 50;

// Signing asks the agent, which is none of these tricks' business.
delete process.env.SSH_AUTH_SOCK;
const [name = "", part] = process.argv.slice(2);
const trick = TRICKS[name];
if (!trick) throw new Error(`There is no trick ${name}.`);
const box = await openBox();

if (part === undefined) {
  addHelper();
  if (trick.prepare) await trick.prepare(box);
  else {
    await sendTask(box);
    await orderRun();
  }
  spawn(process.execPath, [...process.argv.slice(1), "answer"], { detached: true, stdio: "ignore" }).unref();
} else {
  const known: FleetBinding[] = [];
  let quietMs = 0;
  for (const until = performance.now() + MOST_MS; performance.now() < until && quietMs < EFFECT_MS; ) {
    await pause(LOOK_MS);
    const asked = (await readServedRecord(BOX, RUN))?.asked;
    const binding = asked && openQuestion(box.place.key, RUN, asked)?.binding;
    if (known.length > 0) quietMs += LOOK_MS;
    if (!binding || known.some(({ id }) => id === binding.id)) continue;
    for (const request of (await trick.answer?.(box, binding, known)) ?? []) await box.request(request);
    known.push(binding);
    quietMs = 0;
  }
  await box.stop();
}
