import assert from "node:assert/strict";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { SharedLog } from "../../src/memory/shared/shared-log.ts";
import { SHARED_LOGS, type SharedLogName } from "../../src/memory/shared/shared-logs.ts";
import { sharedNote } from "../contract/shared-log.contract.ts";
import { refusal } from "../support/killed-servers.ts";
import { RedisServer } from "../support/redis-server.ts";
import { type Certificates, makeCertificates, TlsPostgres, tlsBefore } from "../support/tls-servers.ts";

const PASSWORD = "correct horse";

describe("a shared log over TLS", function () {
  this.timeout(400_000);
  const opened: SharedLog[] = [];
  const ends: (() => unknown)[] = [];
  let own: Certificates;
  let other: Certificates;
  before(async () => {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), "autogpt-tls-"));
    ends.push(() => fs.rm(folder, { recursive: true }));
    own = await makeCertificates(path.join(folder, "own"));
    other = await makeCertificates(path.join(folder, "other"));
  });
  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close();
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  const open = (backend: SharedLogName, url: string, secret?: string): SharedLog => {
    const options = { project: "github.com/team/project", author: "Ada", url };
    const log = SHARED_LOGS[backend].open({ ...options, ...(secret === undefined ? {} : { secret }) });
    opened.push(log);
    return log;
  };
  const write = (log: SharedLog) => refusal(() => log.append([sharedNote("one")]));
  const read = async (log: SharedLog) =>
    (await log.pull({ limit: 10 })).changes.map((change) => change.type === "added" && change.item.text);

  describe("on PostgreSQL", () => {
    let server: TlsPostgres;
    before(async () => {
      server = await TlsPostgres.start(own, PASSWORD);
      ends.push(() => server.stop());
    });
    const trusting = (authority: string): string => server.url(`sslmode=verify-full&sslrootcert=${authority}`);

    it("is written and read if the address names the authority, and finds nothing without pgvector", async () => {
      const log = open("postgres", trusting(own.authority), PASSWORD);
      const wrote = await write(log);
      const found = await log.findNearest?.({ embedder: "one", vector: Float32Array.of(1, 0) }, 3);
      const sql =
        "select bool_and(ssl) as encrypted from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'AutoGPT'";
      const [connections] = await server.query(sql);
      assert.deepEqual([wrote, await read(log), found, connections], ["none", ["one"], [], { encrypted: true }]);
    });

    it("refuses a server of an authority that the address doesn't name", async () => {
      const refused = await write(open("postgres", trusting(other.authority), PASSWORD));
      const unnamed = await write(open("postgres", server.url("sslmode=require"), PASSWORD));
      assert.match(refused, /certificate/);
      assert.match(unnamed, /certificate/);
    });

    it("refuses a certificate for another host", async () => {
      const url = trusting(own.authority).replace("127.0.0.1", "localhost");
      assert.match(await write(open("postgres", url, PASSWORD)), /certificate/);
    });

    it("says that the password is wrong, or lacks", async () => {
      const wrong = await write(open("postgres", trusting(own.authority), "a guess"));
      const none = await write(open("postgres", trusting(own.authority)));
      assert.match(wrong, /refused the user name or the password/);
      assert.match(none, /refused the user name or the password/);
    });
  });

  it("is written and read on Redis behind TLS, and refuses another authority", async () => {
    const server = await RedisServer.start();
    if (!server) throw new Error("There is no Python with venv and pip.");
    const proxy = await tlsBefore(server.port, own);
    ends.push(
      () => server.stop(),
      () => proxy.close(),
    );
    const url = (ca: string): string => `rediss://127.0.0.1:${proxy.port}/?ca=${ca}`;
    const log = open("redis", url(own.authority));
    const wrote = await write(log);
    const refused = await write(open("redis", url(other.authority)));
    assert.deepEqual([wrote, await read(log)], ["none", ["one"]]);
    assert.match(refused, /certificate/);
  });
});
