import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { PluginCatalog } from "../../src/plugins/catalog.ts";
import { Consents } from "../../src/plugins/consents.ts";
import { HOOKS } from "../../src/plugins/hooks.ts";
import { instantAgent } from "./loop/instant-agent.ts";
import { median, percentile, threadMs } from "./memory/clock.ts";
import { check, exitWithChecks, table, tellMachine } from "./memory/report.ts";

// What plugins cost a run. `npm run bench plugins`; milliseconds by the clock, each figure of the round with the least in the way.

const STEPS = 300;
const ROUNDS = 5;
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
try {
  const ways = {
    "no plugins at all": () => undefined,
    "none found": () => catalog("none"),
    "ten around commands": () => catalog("ten", ["beforeCommand", "afterCommand"]),
    "ten at every stage": () => catalog("all", EVERY),
  };
  const rounds: Record<string, Round[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, make] of Object.entries(ways)) {
      rounds[name]?.push(await timeRun(await make()));
      if (name === "none found" && round === 0)
        check("modules of plugins that were loaded without any", loaded.length, 0);
    }
  report(rounds);
} finally {
  await rm(root, { recursive: true, force: true });
}
exitWithChecks();

/** A catalog over a folder of the user's with no plugin, or with ten. */
async function catalog(which: string, hooks: readonly string[] = []): Promise<PluginCatalog> {
  const userFolder = join(root, "none");
  await mkdir(userFolder, { recursive: true });
  const { folderSource } = await import("../../src/plugins/folder-source.ts");
  const storage = join(root, "storage");
  const runner = new URL("../../src/plugins/folders/runner.ts", import.meta.url);
  const sources = [
    folderSource({ userFolder, storage, named: hooks.length === 0 ? [] : await noOps(which, hooks), runner }),
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

interface Round {
  /** Processor time of a step in this program's thread. */
  readonly own: number;
  readonly first: number;
  readonly p50: number;
  readonly p99: number;
}

async function timeRun(plugins: PluginCatalog | undefined): Promise<Round> {
  const asked: number[] = [];
  const [began, ownBefore] = [performance.now(), threadMs()];
  const made = await instantAgent({
    folder: await mkdtemp(join(root, "run-")),
    ...{ format: "tools", steps: STEPS, outcomeChars: 500, keepRequests: false },
    asked: () => asked.push(performance.now()),
    ...(plugins ? { plugins } : {}),
  });
  made.live.resume();
  await made.live.end;
  await made.live.run.close();
  await wait(300);
  const own = (threadMs() - ownBefore) / STEPS;
  const steps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  return { own, first: (asked[0] ?? Number.NaN) - began, p50: median(steps), p99: percentile(steps, 0.99) };
}

function report(rounds: Readonly<Record<string, readonly Round[]>>): void {
  tellMachine();
  const best = (name: string, figure: keyof Round): number =>
    Math.min(...(rounds[name] ?? []).map((round) => round[figure]));
  const names = Object.keys(rounds);
  table(
    `${STEPS} steps, ${PLUGINS} plugins in processes of their own`,
    ["", "first prompt", "step p50", "step p99", "own"],
    names.map((name) => [
      name,
      ...(["first", "p50", "p99", "own"] as const).map((figure) => best(name, figure).toFixed(2)),
    ]),
  );
  const [none = "", unused = "", ten = "", every = ""] = names;
  const more = (name: string, figure: keyof Round): number => best(name, figure) - best(none, figure);
  check("a step without plugins, more", more(unused, "p50"), 0.05);
  check("a step with ten plugins, more", more(ten, "p50"), 1);
  check("p99 with ten plugins, more", more(ten, "p99"), 5);
  check("the first prompt with ten plugins, more", more(every, "first"), 300);
}
