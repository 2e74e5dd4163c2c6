import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { exportFleetKey, importFleetKey } from "../../src/fleet/key.ts";
import type { BatchReport } from "../../src/schema/fleet/batches.ts";
import {
  type Answering,
  callChunk,
  DONE,
  finish,
  json,
  type ServerAnswer,
  stream,
  usage,
} from "../support/fake-model-server.ts";
import { explainNoWalls, skipIfLacking } from "../support/fleet-needs.ts";
import { buildWorker, startTemporalFleet, type TemporalFleet } from "../support/temporal-fleet.ts";
import { explainNoTemporal } from "../support/temporal-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = join(ROOT, "dist-cli/autogpt.mjs");
/** BATCH_RUNS says how many tasks there are. */
const RUNS = Number(process.env.BATCH_RUNS ?? 8);
const WORKERS = RUNS >= 100 ? 4 : 2;
const AT_ONCE = Math.max(4, Math.ceil(RUNS / 10));
const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Each check brings a result here, so many take long. */
const IS_CHECKED = RUNS < 50;

/** Dollars of each reply, at a dollar per million tokens. */
const REPLY_USD = 0.0043;
/** Enough for three quarters of the tasks. */
const BUDGET_USD = RUNS * 2 * REPLY_USD * 0.75;

function callCostly(name: string, args: object): ServerAnswer {
  const thoughts = { text: `I use ${name}.`, reasoning: "", plan: "", criticism: "", speak: "" };
  const call = { index: 0, id: "call_1", name, arguments: JSON.stringify({ thoughts, ...args }) };
  return stream(callChunk(call), finish("tool_calls"), usage(4_000, 300), DONE);
}

/** A provider that refuses more requests than its limit within any minute. */
class LimitedProvider {
  readonly times: number[] = [];
  refused = 0;
  replies = 0;
  private readonly asked = new Map<string, number>();

  readonly answer: Answering = (request) => {
    const now = performance.now();
    this.times.push(now);
    if (this.times.filter((time) => time > now - MINUTE_MS).length > PER_MINUTE) {
      this.refused += 1;
      return json(429, { error: { message: "Too many requests." } });
    }
    this.replies += 1;
    const [, task = ""] = /number (\d+) of the batch/.exec(JSON.stringify(request.body)) ?? [];
    const count = (this.asked.get(task) ?? 0) + 1;
    this.asked.set(task, count);
    return count === 1
      ? callCostly("write_to_file", { filename: `note-${task}.txt`, contents: `${task}\n` })
      : callCostly("task_complete", { reason: "Done." });
  };
}

describe("many tasks with one command", function () {
  this.timeout(3_600_000);
  let fleet: TemporalFleet | undefined;

  before(async function () {
    skipIfLacking(this, explainNoTemporal(), await explainNoWalls());
    const built = spawnSync(process.execPath, [join(ROOT, "scripts/tasks/build-cli.mjs")]);
    assert.equal(built.status, 0, String(built.stderr));
    buildWorker();
    fleet = await startTemporalFleet();
  });
  after(() => fleet?.stop());

  it("keep to one budget and one rate, and are each done by one run although the command is killed", async () => {
    assert.ok(fleet);
    const { top, workspace, origin, server, models } = fleet;
    const provider = new LimitedProvider();
    models.plan(provider.answer);
    const home = join(top, "person");
    await mkdir(join(home, "autogpt"), { recursive: true });
    await importFleetKey(join(home, "autogpt"), await exportFleetKey(fleet.data));
    const tasks = Array.from({ length: RUNS }, (_, at) =>
      JSON.stringify({ task: `Do number ${at + 1} of the batch.` }),
    );
    await writeFile(join(top, "tasks.jsonl"), `${tasks.join("\n")}\n`);
    const out = join(top, "out");
    for (let at = 0; at < WORKERS; at++) await fleet.startWorker({ runs: Math.ceil(AT_ONCE / WORKERS) });
    const words = [
      ...["fleet", "run", join(top, "tasks.jsonl"), "--on", server.place, "--repository", origin, "--yes"],
      ...["--workspace", workspace, "--report", out, "--budget", String(BUDGET_USD)],
      ...["--at-once", String(AT_ONCE), "--rate", `${PER_MINUTE}/min`],
      ...(IS_CHECKED ? ["--check", "grep -q . note-*.txt"] : []),
    ];
    const start = () => {
      const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
      return spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
    };
    const began = performance.now();
    const first = start();
    let ends = 0;
    first.stdout.setEncoding("utf8").on("data", (said: string) => {
      ends += said.split("finished").length - 1;
      if (ends >= RUNS / 4) first.kill("SIGKILL");
    });
    await once(first, "close");
    const second = start();
    const [said, problems] = [text(second.stdout), text(second.stderr)];
    const [code] = await once(second, "close");
    if (process.env.FLEET_VERBOSE) process.stderr.write(`${await said}\n${await problems}\n`);
    const report: BatchReport = JSON.parse(await readFile(join(out, "report.json"), "utf8"));
    const seconds = Math.round((performance.now() - began) / 1000);
    const paid = provider.replies * REPLY_USD;
    const finished = report.attempts.filter(({ end }) => end === "finished").length;
    const figures = [
      `${RUNS} tasks, ${WORKERS} workers, ${AT_ONCE} at once: ${finished} finished in ${seconds} s`,
      `$${paid.toFixed(4)} of $${BUDGET_USD.toFixed(4)} paid, $${report.spentUsd.toFixed(4)} reported`,
      `${provider.times.length} requests, ${provider.refused} refused`,
    ];
    process.stderr.write(`${figures.join("; ")}\n`);
    const sent = report.attempts.flatMap(({ run }) => run ?? []);
    const listed = await fleet.engine.list();
    assert.deepEqual(
      {
        code,
        refused: provider.refused,
        isWithin: paid <= BUDGET_USD + AT_ONCE * REPLY_USD,
        isReported: Math.abs(paid - report.spentUsd) < 1e-6,
        checked: report.attempts.every(
          ({ end, check, files }) => end !== "finished" || (files === 1 && check === (IS_CHECKED ? 0 : undefined)),
        ),
        enough: finished >= Math.floor(RUNS / 2),
        others: [...new Set(report.attempts.map(({ state, end = state }) => end))].filter(
          (end) => !["finished", "budget", "pending"].includes(end),
        ),
        runs: new Set(listed.map(({ id }) => id)).size,
        distinct: new Set(sent).size,
      },
      {
        code: 2,
        refused: 0,
        isWithin: true,
        isReported: true,
        checked: true,
        enough: true,
        others: [],
        runs: sent.length,
        distinct: sent.length,
      },
      `${await said}\n${await problems}`,
    );
  });
});
