import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { completeProfile } from "../../src/core/prompt/profile.ts";
import { WORKERS } from "../../src/headless/workers.ts";
import { createCopy } from "../../src/isolation/copy/create-copy.ts";
import { beginRun } from "../../src/runtime/compose-run.ts";
import { createNodeIsolation } from "../../src/runtime/isolated/node-isolation.ts";
import { FakeModel, says } from "../support/fake-model.ts";
import { makeRepository } from "../support/repositories.ts";
import { TEST_SETTINGS, testHost } from "../support/test-host.ts";
import { median } from "./memory/clock.ts";
import { check, exitWithChecks, table, tellMachine } from "./memory/report.ts";

// The time from the start of an isolated run on this repository to the first prompt that its model gets. With BENCH_LARGE=1 also
// the copy of a repository with 200,000 files, beside what others take. `npm run bench -- isolated-start`; milliseconds.

const ROUNDS = 7;
const MOST_MS = 2_000;
const LARGE_FILES = 200_000;
const LARGE_ROUNDS = 3;

/** A run in a new window: the sandbox is tried again. */
async function startMs(work: string, data: string): Promise<number> {
  let asked = 0;
  const model = new FakeModel([
    async () => {
      asked ||= performance.now();
      return says("task_complete", { reason: "Done." });
    },
  ]);
  const models = { smart: model, fast: model };
  const host = { ...testHost({ data, models }), isolation: createNodeIsolation(WORKERS.copy) };
  const started = performance.now();
  const [task, mode] = ["Tidy.", "isolated"] as const;
  const profile = completeProfile(task);
  const run = await beginRun(host, { task, profile, folder: work, settings: TEST_SETTINGS, models, mode });
  run.live.resume();
  await run.live.end;
  await run.dispose();
  return asked - started;
}

function git(...args: readonly string[]): void {
  execFileSync("git", args, { stdio: ["ignore", "ignore", "inherit"] });
}

async function timeOf(act: () => unknown): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

/** The copy of a large repository beside a shared clone and a plain copy, in turns. */
async function largeCopy(top: string): Promise<void> {
  const work = join(top, "large");
  makeRepository(
    work,
    Object.fromEntries(
      Array.from({ length: LARGE_FILES }, (_, file) => [
        `part${Math.floor(file / 500)}/sub${Math.floor(file / 50) % 10}/file${file}.ts`,
        `export const value${file} = ${file};\n`.repeat(1 + (file % 40)),
      ]),
    ),
  );
  const { signal } = new AbortController();
  const kinds = {
    copy: (to: string) =>
      createCopy({
        ...{ run: "copy", home: to, folders: [{ name: "large", path: work }], lend: [], signal },
        ...{ quotaBytes: 2 ** 32, worker: WORKERS.copy, reportProgress: () => undefined },
      }),
    "git clone --shared": (to: string) => git("clone", "-q", "--shared", work, to),
    "cp -r": (to: string) => execFileSync("cp", ["-r", work, to]),
  };
  const times = new Map(Object.keys(kinds).map((name) => [name, [] as number[]]));
  for (let round = 0; round < LARGE_ROUNDS; round++)
    for (const [name, make] of Object.entries(kinds)) {
      const to = join(top, "copies", "copy");
      await mkdir(join(top, "copies"), { recursive: true });
      times.get(name)?.push(await timeOf(() => make(to)));
      await rm(to, { recursive: true });
    }
  const own = median(times.get("copy") ?? []);
  table(
    `A copy of ${LARGE_FILES.toLocaleString("en")} files`,
    ["", "median ms", "times the copy"],
    [...times].map(([name, all]) => [name, median(all).toFixed(0), (median(all) / own).toFixed(2)]),
  );
}

const top = await realpath(await mkdtemp("/var/tmp/autogpt-isolated-start-"));
try {
  const work = join(top, "work");
  git("clone", "-q", "--shared", join(import.meta.dirname, "../.."), work);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await startMs(work, join(top, `data${round}`)));
  tellMachine();
  check(`from the start to the first prompt, median of ${ROUNDS}, ms`, median(times), MOST_MS);
  if (process.env.BENCH_LARGE) await largeCopy(top);
} finally {
  await rm(top, { recursive: true, force: true });
}
exitWithChecks();
