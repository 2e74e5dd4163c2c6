import { SHARED_LOGS } from "../../src/memory/shared/shared-logs.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { type PlantedRow, type SharedServer, sharedLogContract } from "./shared-log.contract.ts";
import { teamMemoryContract } from "./team-memory.contract.ts";

describe("shared logs", function () {
  this.timeout(120_000);
  let server: PostgresServer | undefined;
  let database = "";
  before(async () => {
    server = await startPostgres();
    if (!server) console.error("PostgreSQL isn't tested: there is no Python with venv and pip.");
    else database = await server.newDatabase();
  });
  after(() => server?.stop());

  const underTest = (): SharedServer | undefined => server && postgresUnderTest(server, database);
  sharedLogContract("postgres", underTest);
  teamMemoryContract("postgres", () => {
    const found = underTest();
    return found && server && { ...found, shared: { backend: "postgres", url: server.url(database) } };
  });
});

function postgresUnderTest(server: PostgresServer, database: string): SharedServer {
  return {
    hasVectors: true,
    open: (options) => SHARED_LOGS.postgres.open({ ...options, url: server.url(database) }),
    plant: async (rows) => plant(server, database, rows),
  };
}

async function plant(server: PostgresServer, database: string, rows: readonly PlantedRow[]): Promise<void> {
  const options = { url: server.url(database), project: "any", author: "Mallory" };
  const log = SHARED_LOGS.postgres.open(options);
  await log.count().finally(() => log.close());
  for (const { project, author, id, kind, text, source, at } of rows)
    await server.query(
      "insert into memory_item (project, author, id, kind, text, source, at) values ($1, $2, $3, $4, $5, $6, $7)",
      [project, author, id, kind, text, source, at],
      database,
    );
}
