// What the run log costs: writing, reading a run back, listing runs. `npm run bench run-log`; medians of milliseconds.
import { cp, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Run } from "../../src/core/events/run.ts";
import { openRunLog } from "../../src/runs/log/run-log.ts";
import { makeSecrets } from "../../src/runs/log/secrets.ts";
import { createRunId, getRunsFolder } from "../../src/runs/store/run-folder.ts";
import { createRunStoreForHomes } from "../../src/runs/store/run-store.ts";
import { sampleOwner } from "../support/sample-run.ts";
import { instantAgent } from "./loop/instant-agent.ts";
import { median, percentile, timesOf } from "./memory/clock.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";

const ROUNDS = 7;
const APPENDS = 500;
const RUNS = 500;
const OWNER = sampleOwner("machine-1");

const root = await mkdtemp(join(tmpdir(), "run-log-bench-"));
try {
  await measureWriting();
  await measureReading(1000, 300);
  await measureReading(5000, 1500);
  await measureListing();
  await measureRedaction();
} finally {
  await rm(root, { recursive: true, force: true });
}
exitWithChecks();

async function measureWriting(): Promise<void> {
  const log = await openRunLog(join(root, "writing"));
  const text = "x".repeat(2000);
  let seq = 0;
  const append = () => log.append({ seq: seq++, at: new Date().toISOString(), type: "said", text, by: "user" });
  const appends = await timesOf(APPENDS, append);
  const synced = await timesOf(APPENDS, async () => {
    await append();
    await log.sync();
  });
  await log.close();
  table(
    `An event of 2 kB, ${APPENDS} times`,
    ["", "median", "p99"],
    [
      ["appended", show(median(appends)), show(percentile(appends, 0.99))],
      ["appended and synced", show(median(synced)), show(percentile(synced, 0.99))],
    ],
  );
  check("an append", median(appends), 1);
}

/** A run of so many steps, stored in a home of its own. */
async function storedRun(home: string, steps: number): Promise<{ id: string; folder: string }> {
  const { live, folder } = await instantAgent({
    folder: home,
    home,
    format: "tools",
    steps,
    outcomeChars: 500,
    keepRequests: false,
  });
  live.resume();
  await live.end;
  await live.run.close();
  return { id: live.id, folder };
}

async function measureReading(steps: number, most: number): Promise<void> {
  const home = join(root, `home-${steps}`);
  const { id, folder } = await storedRun(home, steps);
  const times = await timesOf(ROUNDS, async () => {
    const { events } = await createRunStoreForHomes([home], OWNER).open(id);
    const run = Run.openStored(await openRunLog(folder), events);
    await run.close();
  });
  const { size } = await stat(join(folder, "run.jsonl"));
  table(
    `A run of ${steps} steps, ready to be gone on with`,
    ["MB", "median"],
    [[show(size / 1e6), show(median(times))]],
  );
  check(`opening a run of ${steps} steps`, median(times), most);
}

async function measureListing(): Promise<void> {
  const home = join(root, "home-list");
  const { folder } = await storedRun(home, 100);
  for (let index = 1; index < RUNS; index++)
    await cp(folder, join(getRunsFolder(home), createRunId(`copy-${index}`, new Date())), {
      recursive: true,
    });
  const list = (store: ReturnType<typeof createRunStoreForHomes>) => async () => void (await store.list());
  const [first = Number.NaN] = await timesOf(1, list(createRunStoreForHomes([home], OWNER)));
  const cached = await timesOf(ROUNDS, () => list(createRunStoreForHomes([home], OWNER))());
  const open = createRunStoreForHomes([home], OWNER);
  await open.list();
  const again = await timesOf(ROUNDS, list(open));
  table(
    `The list of ${RUNS} runs of 100 steps`,
    ["never read before", "from its cache", "once more"],
    [[first, median(cached), median(again)].map(show)],
  );
  check("the list from its cache", median(cached), 150);
}

async function measureRedaction(): Promise<void> {
  const plain = "Some ordinary words of a file, with https://a.example/?page=2 and a task-number. ".repeat(1250);
  const times = await timesOf(50, () => makeSecrets(["a key that is not there"]).redact(plain));
  table("Looking for secrets in 100 kB", ["median"], [[show(median(times))]]);
  check("looking for secrets in 100 kB", median(times), 5);
}

function show(value: number): string {
  return value.toFixed(3);
}
