import { SHARED_LOGS } from "../../src/memory/shared/shared-logs.ts";
import { type PlantedRow, type SharedServer, sharedLogContract } from "../contract/shared-log.contract.ts";
import { teamMemoryContract } from "../contract/team-memory.contract.ts";
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
