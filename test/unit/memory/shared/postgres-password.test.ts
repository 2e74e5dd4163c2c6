import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { openPostgresLog } from "../../../../src/memory/shared/servers/postgres-log.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

/** A server's request for the password as it is. */
const ASKS = Buffer.from([..."R"].map((sign) => sign.charCodeAt(0)).concat(0, 0, 0, 8, 0, 0, 0, 3));

describe("a team's memory in PostgreSQL without a password", () => {
  const tempFolder = tempFolders();
  const { PGPASSWORD, PGPASSFILE } = process.env;
  afterEach(() => {
    for (const [name, value] of Object.entries({ PGPASSWORD, PGPASSFILE }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });

  for (const from of ["the environment", "the user's file"])
    it(`doesn't send another server's from ${from}`, async () => {
      const file = join(await tempFolder(), "pgpass");
      await writeFile(file, "*:*:*:*:another server's", { mode: 0o600 });
      if (from === "the environment") process.env.PGPASSWORD = "another server's";
      else process.env.PGPASSFILE = file;
      const sent: string[] = [];
      const server = net.createServer((socket) => {
        socket
          .on("error", () => undefined)
          .once("data", () => {
            socket.write(ASKS);
            socket.once("data", (bytes) => {
              sent.push(bytes.toString("latin1"));
              socket.destroy();
            });
          });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      const log = openPostgresLog({
        url: `postgres://ada@127.0.0.1:${port}/team`,
        project: "p",
        author: "Ada",
      });
      await assert.rejects(log.count());
      await log.close();
      server.close();
      assert.deepEqual(sent, ["p\0\0\0\x05\0"]);
    });
});
