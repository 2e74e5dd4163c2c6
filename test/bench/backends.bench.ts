// What a memory costs that a team shares, over real servers: `npm run bench backends`. To make the index of a million vectors takes many
// minutes; NOTES=100000 in the environment makes fewer, and the names of the figures tell how many there were.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { KEPT_MEMORIES } from "../../src/memory/shared/shared-exchange.ts";
import { SHARED_LOGS } from "../../src/memory/shared/shared-logs.ts";
import { sharedNote } from "../contract/shared-log.contract.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { RedisServer } from "../support/redis-server.ts";
import type { MemberAnswer } from "./backends/member.ts";
import { missTheServer } from "./backends/missing-server.ts";
import { DIMENSIONS, Member, makeNotes, type Reached, until } from "./backends/team.ts";
import { median, percentile, timesOf } from "./memory/clock.ts";
import { bundleMemory } from "./memory/entry-point.ts";
import { numbers, randomEmbedder, randomMemory, randomVector } from "./memory/random-memories.ts";
import { check, exitWithChecks, table, tellMachine } from "./memory/report.ts";

const LARGEST = Number(process.env.NOTES ?? 1_000_000);
const PULLED = 50_000;
const EXCHANGES = 10;
const QUERIES = 100;
const INDEX_MINUTES = 40;

const root = fs.mkdtempSync(path.join(os.tmpdir(), "backends-bench-"));
const shipped = await bundleMemory(root);
const postgres = await startPostgres();
if (!postgres) throw new Error("There is no Python with venv and pip.");

try {
  tellMachine();
  await exchangeOverAll(postgres);
  const database = await newDatabase(postgres);
  await makeNotes(postgres, database, "pulled", PULLED);
  await pull({ backend: "postgres", url: postgres.url(database), shipped });
  await searchLargest(postgres);
  await missTheServer(root, postgres, database);
} finally {
  await postgres.stop();
  fs.rmSync(root, { recursive: true, force: true });
}
exitWithChecks();

/** A database with the tables, for which a log is opened once. */
async function newDatabase(server: PostgresServer): Promise<string> {
  const database = await server.newDatabase();
  const log = SHARED_LOGS.postgres.open({ url: server.url(database), project: "any", author: "Ada" });
  await log.count().finally(() => log.close());
  return database;
}

async function exchangeOverAll(server: PostgresServer): Promise<void> {
  await exchange({ backend: "postgres", url: server.url(await server.newDatabase()), shipped });
  const redis = await RedisServer.start();
  if (redis) await exchange({ backend: "redis", url: redis.url, shipped }).finally(() => redis.stop());
  else console.log("  Redis isn't measured: its server can't be installed here.");
}

/** How soon another process sees a note. */
async function exchange(reached: Reached): Promise<void> {
  const [ada, bob] = ["Ada", "Bob"].map((author) => new Member(newFolder(), author, "exchange", reached));
  if (!ada || !bob) return;
  try {
    const exchangeOf = async (round: number): Promise<void> => {
      const text = `The port of test server ${round} is ${8_000 + round}.`;
      const [writer, reader] = round % 2 === 0 ? [ada, bob] : [bob, ada];
      const seen = reader.ask({ type: "see", text });
      await Promise.all([writer.ask({ type: "add", text }), seen]);
    };
    // Once each before, so that both are connected.
    await timesOf(2, exchangeOf);
    const times = await timesOf(EXCHANGES, (round) => exchangeOf(round + 2));
    table(
      `Another process sees a note, over ${reached.backend}, ms`,
      ["p50", "longest"],
      [[median(times), Math.max(...times)].map(show)],
    );
    check(`another process sees a note over ${reached.backend}, ms`, Math.max(...times), 2_000);
  } finally {
    await Promise.all([ada.end(), bob.end()]);
  }
}

/** A new member's empty memory. */
async function pull(reached: Reached): Promise<void> {
  const member = new Member(newFolder(), "Bob", "pulled", reached);
  try {
    const all = await member.ask({ type: "hold", count: PULLED, hasVectors: false });
    const embedded = await member.ask({ type: "hold", count: PULLED, hasVectors: true });
    table(
      `${PULLED} notes pulled into an empty memory`,
      ["s", "s until each has its vector", "MB more"],
      [[all.ms / 1_000, embedded.ms / 1_000, embedded.most].map(show)],
    );
    check(`${PULLED} notes pulled into an empty memory, s`, all.ms / 1_000, 60);
  } finally {
    await member.end();
  }
}

/** A server with more notes than a member keeps. */
async function searchLargest(server: PostgresServer): Promise<void> {
  // The graph of the index is made in memory, as an administrator of a large server would have it.
  await server.query("alter system set maintenance_work_mem = '3GB'");
  await server.query("select pg_reload_conf()");
  const database = await newDatabase(server);
  const made = performance.now();
  await makeNotes(server, database, "largest", LARGEST);
  const reached: Reached = { backend: "postgres", url: server.url(database), shipped };
  const log = SHARED_LOGS.postgres.open({ url: reached.url, project: "largest", author: "Ada" });
  const random = numbers(9);
  const embedder = randomEmbedder(DIMENSIONS).id;
  const query = () => ({ embedder, vector: randomVector(DIMENSIONS, random) });
  try {
    const filled = performance.now();
    // The first vector that a member sends makes the index.
    await log.append([sharedNote("The first.", { embedded: query() })]);
    const isReady = await until(
      INDEX_MINUTES * 60_000,
      async () => (await log.findNearest?.(query(), 10).catch(() => []))?.length === 10,
    );
    const indexed = performance.now();
    const before = process.memoryUsage.rss();
    const times = isReady ? await timesOf(QUERIES, () => log.findNearest?.(query(), 10)) : [Number.NaN];
    const growth = (process.memoryUsage.rss() - before) / 1e6;
    table(
      `${LARGEST} x ${DIMENSIONS} on the server`,
      ["s to fill", "s to index", "nearest p50, ms", "p99", "MB more here"],
      [[(filled - made) / 1_000, (indexed - filled) / 1_000, median(times), percentile(times, 0.99), growth].map(show)],
    );
    check(`nearest of ${LARGEST} on the server, p50, ms`, median(times), 50);
    await joinLargest(reached);
  } finally {
    await log.close();
  }
}

/** A member who keeps the newest and asks the server for the others: the first time, and when the program starts again. */
async function joinLargest(reached: Reached): Promise<void> {
  const folder = newFolder();
  const first = await joined(folder, reached);
  const again = await joined(folder, reached);
  const shown = ({ times, most, now }: MemberAnswer): readonly string[] =>
    [median(times), percentile(times, 0.99), most, now.rss, now.heapUsed, now.heapTotal, now.external].map(show);
  table(
    `A member's program next to ${LARGEST} on the server, MB more than before`,
    ["", "recall p50, ms", "p99", "most", "at the end", "objects", "their space", "arrays"],
    [
      ["the first time", ...shown(first)],
      ["started again", ...shown(again)],
    ],
  );
  check(`a member's program next to ${LARGEST} on the server, the first time, MB`, first.most, 300);
  check(`a member's program next to ${LARGEST} on the server, started again, MB`, again.most, 300);
}

async function joined(folder: string, reached: Reached): Promise<MemberAnswer> {
  const member = new Member(folder, "Bob", "largest", reached);
  try {
    const { most, large, mostOfLarge } = KEPT_MEMORIES;
    const count = Math.min(LARGEST, LARGEST > large ? mostOfLarge : most);
    await member.ask({ type: "hold", count, hasVectors: true });
    const random = numbers(10);
    const texts = Array.from({ length: QUERIES }, (_, place) => randomMemory(place, random).text);
    return await member.ask({ type: "recall", texts });
  } finally {
    await member.end();
  }
}

function newFolder(): string {
  return fs.mkdtempSync(path.join(root, "member-"));
}

function show(value: number): string {
  return value.toFixed(2);
}
