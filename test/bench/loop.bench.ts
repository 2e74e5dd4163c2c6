import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countMessageTokens, requestTokens } from "../../src/core/context/tokens.ts";
import type { ModelRequest, ReplyFormat } from "../../src/core/ports/model.ts";
import { History } from "../../src/core/prompt/history.ts";
import { buildPrompt } from "../../src/core/prompt/prompt.ts";
import { readLog } from "../../src/runs/log/read-log.ts";
import { type InstantAgent, type InstantParts, instantAgent } from "./loop/instant-agent.ts";
import { median, percentile } from "./memory/clock.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";

// What the loop costs beside the model and the commands. `npm run bench loop`; medians of milliseconds.

const FORMATS: readonly ReplyFormat[] = ["tools", "jsonSchema", "text"];
const STEPS = 1000;
const ROUNDS = 3;
const EARLY = [5, 25] as const;
const LATE = [980, 1000] as const;

const root = await mkdtemp(join(tmpdir(), "loop-bench-"));
try {
  await measureSteps("tools", 500);
  await measureSteps("text", 500);
  await measureSteps("tools", 8000);
  await measurePrefix();
} finally {
  await rm(root, { recursive: true, force: true });
}
exitWithChecks();

async function agent(parts: Omit<InstantParts, "folder">): Promise<InstantAgent> {
  return instantAgent({ ...parts, folder: await mkdtemp(join(root, "run-")) });
}

/** What each step of some whole runs took, on the disk, synced each step: on the clock, and of the processor. */
async function measureSteps(format: ReplyFormat, outcomeChars: number): Promise<void> {
  const runs: Steps[] = [];
  for (let round = 0; round < ROUNDS; round++) runs.push(await timeRun(format, outcomeChars));
  const rows = (["clock", "processor", "prompt"] as const).map((kind) => {
    // Of the round in which other programs were in the way least: what grows with the run grows in each of them.
    const window = ([from, to]: readonly [number, number]) =>
      Math.min(...runs.map((run) => median(run[kind].slice(from - 1, to))));
    const all = runs.flatMap((run) => run[kind]);
    return { kind, figures: [median(all), percentile(all, 0.99), window(EARLY), window(LATE)] as const };
  });
  table(
    `A step of ${STEPS}, ${format}, outcomes of ${outcomeChars} characters, ${runs[0]?.compactions} compactions`,
    ["", "median", "p99", `steps ${EARLY.join("-")}`, `steps ${LATE.join("-")}`],
    rows.map(({ kind, figures }) => [kind, ...figures.map(show)]),
  );
  const [, , early, late] = rows[0]?.figures ?? [0, 0, 0, Number.NaN];
  check("median of a step", rows[0]?.figures[0] ?? Number.NaN, 5);
  check("late steps against early ones", late, Math.max(1.2 * early, early + 1));
}

/** Milliseconds of each step. */
interface Steps {
  readonly clock: readonly number[];
  readonly processor: readonly number[];
  readonly prompt: readonly number[];
  readonly compactions: number;
}

async function timeRun(format: ReplyFormat, outcomeChars: number): Promise<Steps> {
  const made = await agent({ format, steps: STEPS, outcomeChars, keepRequests: false });
  const ends: { clock: number; processor: number }[] = [];
  let compactions = 0;
  made.live.run.onEvent(({ type }) => {
    if (type === "compacted") compactions++;
    if (type !== "ended") return;
    const { user, system } = process.cpuUsage();
    ends.push({ clock: performance.now(), processor: (user + system) / 1000 });
  });
  made.live.resume();
  await made.live.end;
  await made.live.run.close();
  const between = (kind: "clock" | "processor"): number[] =>
    ends.slice(1).map((end, index) => end[kind] - (ends[index]?.[kind] ?? 0));
  const prompt = await promptTimes(made.folder, format);
  return { clock: between("clock"), processor: between("processor"), prompt, compactions };
}

/** How long each prompt took to build, as the loop builds it: over a history that renders each step once. */
async function promptTimes(folder: string, format: ReplyFormat): Promise<number[]> {
  const { events } = await readLog(folder);
  const [started] = events;
  if (started?.type !== "started") throw new Error("The benchmark's own log does not begin with its start.");
  const history = new History();
  const times: number[] = [];
  for (const event of events) {
    history.apply(event);
    if (event.type !== "asked") continue;
    const start = performance.now();
    buildPrompt(started, history, { ...event, format });
    times.push(performance.now() - start);
  }
  return times;
}

/** What a provider's cache can serve of a 30-step run's prompts: the part that is the same as in the prompt before. */
async function measurePrefix(): Promise<void> {
  const rows: string[][] = [];
  for (const format of FORMATS) {
    const made = await agent({ format, steps: 30, outcomeChars: 2000, keepRequests: true });
    made.live.resume();
    await made.live.end;
    await made.live.run.close();
    const shares = made.requests.slice(1).map((request, index) => cachedShare(made.requests[index], request));
    rows.push([
      format,
      ...[shares[0], shares[8], shares.at(-1), median(shares)].map((share) => `${(100 * (share ?? 0)).toFixed(1)}%`),
    ]);
  }
  table(
    "Share of a prompt that is the beginning of the one before, in tokens, over 30 steps",
    ["format", "step 2", "step 10", "step 30", "median"],
    rows,
  );
}

function cachedShare(before: ModelRequest | undefined, now: ModelRequest): number {
  const same = now.messages.findIndex(
    (message, index) => JSON.stringify(message) !== JSON.stringify(before?.messages[index]),
  );
  const fixed = requestTokens({ ...now, messages: [] });
  const shared = now.messages.slice(0, same).reduce((sum, message) => sum + countMessageTokens(message), 0);
  return (fixed + shared) / requestTokens(now);
}

function show(ms: number | undefined): string {
  return (ms ?? Number.NaN).toFixed(3);
}
