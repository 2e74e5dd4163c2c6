import { MilvusConnection } from "../../src/memory/shared/milvus-connection.ts";
import { formatFirstPosition } from "../../src/memory/shared/milvus-cursor.ts";
import {
  createCollection,
  createMilvusColumn,
  createMilvusVectorColumn,
  LOG_FIELDS,
} from "../../src/memory/shared/milvus-tables.ts";
import { SHARED_LOGS } from "../../src/memory/shared/shared-logs.ts";
import { type PlantedRow, type SharedServer, sharedLogContract } from "../contract/shared-log.contract.ts";
import { teamMemoryContract } from "../contract/team-memory.contract.ts";
import { MilvusServer } from "../support/milvus-server.ts";
import { RedisServer } from "../support/redis-server.ts";

describe("shared logs on Redis", function () {
  this.timeout(300_000);
  let server: RedisServer | undefined;
  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server?.stop());
  sharedLogContract("redis", () => server && redisUnderTest(server));
  teamMemoryContract(
    "redis",
    () => server && { ...redisUnderTest(server), shared: { backend: "redis", url: server.url } },
  );
});

describe("shared logs on Milvus", function () {
  this.timeout(300_000);
  let server: MilvusServer | undefined;
  before(async () => {
    server = await MilvusServer.start();
  });
  after(() => server?.stop());
  sharedLogContract("milvus", () => server && milvusUnderTest(server));
  teamMemoryContract(
    "milvus",
    () => server && { ...milvusUnderTest(server), shared: { backend: "milvus", url: server.url } },
  );
});

function milvusUnderTest(server: MilvusServer): SharedServer {
  return {
    hasVectors: true,
    open: (options) => SHARED_LOGS.milvus.open({ ...options, url: server.url }),
    plant: async (rows) => plantInMilvus(server, rows),
  };
}

/** Rows of a stranger's program, which writes into the table by itself. */
async function plantInMilvus(server: MilvusServer, rows: readonly PlantedRow[]): Promise<void> {
  const connection = new MilvusConnection(
    { url: server.url, project: "any", author: "Mallory" },
    async (call) => (await createCollection(call, "autogpt_memory_log", LOG_FIELDS)).epoch,
    () => undefined,
  );
  for (const [place, { at, ...row }] of rows.entries()) {
    const texts = {
      position: `${formatFirstPosition(Date.now() * 1_000 + place)}-0123456789ab`,
      ...{ project: row.project, author: row.author, writer: "0123456789ab", id: row.id },
      row: JSON.stringify({ ...row, at: Date.parse(at) }),
      ...{ embedder: "", vector: "" },
    };
    const fieldsData = [
      ...Object.entries(texts).map(([name, value]) => createMilvusColumn(name, [value])),
      createMilvusColumn("removed", [false]),
      createMilvusVectorColumn("none", [Float32Array.of(1, 0)]),
    ];
    const insert = { collectionName: "autogpt_memory_log", numRows: 1, fieldsData };
    await connection.use((call) => call("Insert", insert)).catch(() => "The server can't hold the field.");
  }
  connection.close();
}

function redisUnderTest(server: RedisServer): SharedServer {
  return {
    hasVectors: false,
    open: (options) => SHARED_LOGS.redis.open({ ...options, url: server.url }),
    plant: async (rows) => {
      for (const { at, ...row } of rows) await plantRow(server, { ...row, at: Date.parse(at) });
    },
  };
}

async function plantRow(server: RedisServer, row: Omit<PlantedRow, "at"> & { at: number }): Promise<void> {
  await server.command(["XADD", `autogpt:${row.project}`, "*", "row", JSON.stringify(row)]);
}
