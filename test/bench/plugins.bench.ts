import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as esbuild from "esbuild";
import { PluginCatalog } from "../../src/plugins/catalog.ts";
import { Consents } from "../../src/plugins/consents.ts";
import { HOOKS } from "../../src/plugins/hooks.ts";
import { instantAgent } from "./loop/instant-agent.ts";
import { rawCalls } from "./loop/raw-calls.ts";
import { median, percentile, threadMs } from "./memory/clock.ts";
import { check, exitWithChecks, table, tellMachine } from "./memory/report.ts";

// What plugins cost a run. `npm run bench plugins`; milliseconds by the clock, each figure of the round with the least in the way. What runs
// without plugins differ by is less than what rounds do, so those are compared by the processor time of their steps, in pairs.

const STEPS = 300;
const ROUNDS = 5;
/** Runs without plugins, in pairs. */
const PAIRS = 12;
const PLUGINS = 10;
/** The hooks of a step and of the start. */
const EVERY = Object.keys(HOOKS).filter((name) => !["model", "embedder", "answer"].includes(name));

/** Code of plugins that was loaded, by its path. */
const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    if (/src\/plugins\/(folders|process)\//.test(url)) loaded.push(url);
    return next(url, context);
  },
});

const root = await mkdtemp(join(tmpdir(), "plugins-bench-"));
/** The program of plugins as it is shipped. */
const runner = join(root, "plugin-runner.mjs");
try {
  await esbuild.build({
    entryPoints: [new URL("../../src/plugins/folders/runner.ts", import.meta.url).pathname],
    outfile: runner,
    ...({ bundle: true, minify: true, platform: "node", format: "esm", logLevel: "error" } as const),
  });
  const ways = {
    "no plugins at all": () => undefined,
    "none found": () => catalog("none"),
    "ten around commands": () => catalog("ten", ["beforeCommand", "afterCommand"]),
    "ten at every stage": () => catalog("all", EVERY),
  };
  const rounds: Record<string, Round[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  const without = await timePairs();
  const raw: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, make] of inTurns(Object.entries(ways), round)) {
      rounds[name]?.push(await timeRun(await make()));
    }
    raw.push(await timeRaw());
  }
  report(rounds, Math.min(...raw), without);
} finally {
  await rm(root, { recursive: true, force: true });
}
exitWithChecks();

/** A catalog over a folder of the user's with no plugin, or with ten. */
async function catalog(which: string, hooks: readonly string[] = []): Promise<PluginCatalog> {
  const userFolder = join(root, "none");
  await mkdir(userFolder, { recursive: true });
  const { createFolderSource } = await import("../../src/plugins/folder-source.ts");
  const storage = join(root, "storage");
  const sources = [
    createFolderSource({
      userFolder,
      storage,
      named: hooks.length === 0 ? [] : await noOps(which, hooks),
      runner,
    }),
  ];
  return new PluginCatalog(sources, new Consents(join(root, "consents.json")), "commandLine");
}

/** Plugins with hooks that do nothing. */
async function noOps(which: string, hooks: readonly string[]): Promise<string[]> {
  return Promise.all(
    Array.from({ length: PLUGINS }, async (_, index) => {
      const folder = join(root, `${which}-${index}`);
      await mkdir(folder, { recursive: true });
      await writeFile(
        join(folder, "index.mjs"),
        `export default { ${hooks.map((name) => `${name}() {}`).join(", ")} };`,
      );
      return folder;
    }),
  );
}

/** In the other order every second time, so that none always follows the same one. */
function inTurns<T>(all: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? all : all.toReversed();
}

/** What a step takes more of the processor where no plugin is found, in each pair of runs. */
async function timePairs(): Promise<readonly number[]> {
  const differences: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const times = { none: 0, unused: 0 };
    for (const way of inTurns(["none", "unused"] as const, pair)) {
      const plugins = way === "unused" ? await catalog("none") : undefined;
      times[way] = (await timeRun(plugins)).ownP50;
    }
    differences.push(times.unused - times.none);
  }
  check("modules of plugins that were loaded without any", loaded.length, 0);
  return differences;
}

/** What a step's calls of ten processes take with nothing of ours, where something else is done between them. */
async function timeRaw(): Promise<number> {
  const calls = await rawCalls(PLUGINS, {
    step: 1,
    command: "write_note",
    outcome: "Some words. ".repeat(42),
  });
  const times: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    times.push(await calls.step());
    await wait(1);
  }
  calls.close();
  return median(times);
}

interface Round {
  /** Processor time of a step in this program's thread: the mean, and the median. */
  readonly own: number;
  readonly ownP50: number;
  readonly first: number;
  readonly p50: number;
  readonly p99: number;
}

async function timeRun(plugins: PluginCatalog | undefined): Promise<Round> {
  const [asked, spent]: [number[], number[]] = [[], []];
  const [began, ownBefore] = [performance.now(), threadMs()];
  const made = await instantAgent({
    folder: await mkdtemp(join(root, "run-")),
    ...{ format: "tools", steps: STEPS, outcomeChars: 500, keepRequests: false },
    asked: () => {
      asked.push(performance.now());
      spent.push(threadMs());
    },
    ...(plugins ? { plugins } : {}),
  });
  made.live.resume();
  await made.live.end;
  await made.live.run.close();
  await wait(300);
  const own = (threadMs() - ownBefore) / STEPS;
  const steps = stretches(asked);
  const ownP50 = median(stretches(spent));
  return {
    own,
    ownP50,
    first: (asked[0] ?? Number.NaN) - began,
    p50: median(steps),
    p99: percentile(steps, 0.99),
  };
}

function stretches(times: readonly number[]): readonly number[] {
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}

function report(rounds: Readonly<Record<string, readonly Round[]>>, raw: number, without: readonly number[]): void {
  tellMachine();
  const best = (name: string, figure: keyof Round): number =>
    Math.min(...(rounds[name] ?? []).map((round) => round[figure]));
  const names = Object.keys(rounds);
  table(
    `${STEPS} steps, ${PLUGINS} plugins in processes of their own`,
    ["", "first prompt", "step p50", "step p99", "own", "own p50"],
    names.map((name) => [
      name,
      ...(["first", "p50", "p99", "own", "ownP50"] as const).map((figure) => best(name, figure).toFixed(2)),
    ]),
  );
  const [none = "", , ten = "", every = ""] = names;
  const more = (name: string, figure: keyof Round): number => best(name, figure) - best(none, figure);
  console.log(`  The same calls of ten processes with nothing of ours, p50: ${raw.toFixed(2)}`);
  check("a step without plugins, more", median(without), 0.05);
  check("a step with ten plugins, more", more(ten, "p50"), 1);
  check("p99 with ten plugins, more", more(ten, "p99"), 5);
  check("the first prompt with ten plugins, more", more(every, "first"), 300);
}
