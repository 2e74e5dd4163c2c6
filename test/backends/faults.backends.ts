import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SharedLog } from "../../src/memory/shared/shared-log.ts";
import { SHARED_LOGS } from "../../src/memory/shared/shared-logs.ts";
import { sharedNote } from "../contract/shared-log.contract.ts";
import { KILLS, losesNothing, refusal } from "../support/killed-servers.ts";
import { RedisServer } from "../support/redis-server.ts";

const MEMBER = { project: "github.com/team/project", author: "Ada" };

describe("a shared log on Redis", function () {
  this.timeout(300_000);
  const opened: SharedLog[] = [];
  const servers: RedisServer[] = [];
  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close();
    for (const server of servers.splice(0)) await server.stop();
  });
  const start = async (...options: readonly string[]): Promise<RedisServer> => {
    const server = await RedisServer.start(...options);
    if (!server) throw new Error("There is no Python with venv and pip.");
    servers.push(server);
    return server;
  };
  const open = (url: string, more: { readonly secret?: string; readonly author?: string } = {}): SharedLog => {
    const log = SHARED_LOGS.redis.open({ ...MEMBER, url, ...more });
    opened.push(log);
    return log;
  };

  it(`loses and doubles nothing if its server is killed ${KILLS} times`, async () => {
    const server = await start();
    await losesNothing(server, (author) => open(server.url, { author }), {
      name: "redis",
      mostMs: 150,
      least: 500,
    });
  });

  it("asks for the right password", async () => {
    const server = await start("--requirepass", "right");
    const note = [sharedNote("one")];
    const right = await refusal(() => open(server.url, { secret: "right" }).append(note));
    const wrong = await refusal(() => open(server.url, { secret: "wrong" }).append(note));
    const none = await refusal(() => open(server.url).append(note));
    const refused = [wrong, none].map((text) => /^127\.0\.0\.1 refused the user name or the password/.test(text));
    assert.deepEqual([right, ...refused], ["none", true, true]);
  });

  it("says which rights a user lacks", async () => {
    const server = await start();
    await server.command(["ACL", "SETUSER", "ben", "on", ">pw", "~other:*", "+@all"]);
    await server.command(["ACL", "SETUSER", "eve", "on", ">pw", "~*", "+@read", "+info"]);
    const url = (name: string) => server.url.replace("//", `//${name}@`);
    for (const name of ["ben", "eve"]) {
      const text = await refusal(() => open(url(name), { secret: "pw" }).append([sharedNote("one")]));
      assert.match(text, /lacks rights on 127\.0\.0\.1/);
    }
  });

  it("works with the rights that docs/memory.md names, and keeps a member out of other projects", async () => {
    const server = await start();
    const page = await readFile(join(import.meta.dirname, "../../docs/memory.md"), "utf8");
    const [line = ""] = /^ACL SETUSER .*$/m.exec(page) ?? [];
    await server.command(line.split(" "));
    await server.command(line.replace("ada", "ben").replaceAll("autogpt:*", "autogpt:mine").split(" "));
    const [ada, ben] = ["ada", "ben"].map((name) =>
      open(server.url.replace("//", `//${name}@`), { secret: "PASSWORD", author: name }),
    );
    const { promise: heard, resolve } = Promise.withResolvers<string>();
    await ada?.pull({ limit: 1 });
    ada?.follow(() => resolve("heard"));
    await ada?.append([sharedNote("one")]);
    await ada?.append([sharedNote("two")]);
    await ada?.remove([sharedNote("one").id]);
    const page1 = await ada?.pull({ limit: 10, after: (await ada.findTail(1)) ?? "" });
    const other = await refusal(async () => ben?.append([sharedNote("three")]));
    assert.deepEqual(
      {
        left: page1?.changes.length,
        count: await ada?.count(),
        heard: await heard,
        other: /lacks rights/.test(other),
      },
      { left: 1, count: 1, heard: "heard", other: true },
    );
  });

  it("says that the server is full, and takes more once there is room", async () => {
    const server = await start("--maxmemory", "3mb", "--maxmemory-policy", "noeviction");
    const log = open(server.url);
    const notes = Array.from({ length: 600 }, (_, at) => sharedNote(`${at} ${"x".repeat(7_000)}`));
    const full = await refusal(() => log.append(notes));
    await server.command(["CONFIG", "SET", "maxmemory", "100mb"]);
    await log.append(notes);
    assert.match(full, /is full \(.*OOM.*Nothing is lost/);
    assert.equal(await log.count(), 600);
  });

  it("says that a replica can only be read", async () => {
    const server = await start();
    await server.command(["REPLICAOF", "127.0.0.1", "1"]);
    assert.match(await refusal(() => open(server.url).append([sharedNote("one")])), /can only be read/);
  });

  it("is read again from its start if the server has lost it", async () => {
    const server = await start();
    const [ada, ben] = [open(server.url), open(server.url, { author: "Ben" })];
    await ada.append([sharedNote("one"), sharedNote("two")]);
    const { cursor } = await ben.pull({ limit: 10 });
    await server.command(["FLUSHALL"]);
    await ada.append([sharedNote("three")]);
    const { changes, restarted } = await ben.pull({ limit: 10, after: cursor });
    assert.deepEqual(
      { restarted, texts: changes.map((change) => (change.type === "added" ? change.item.text : "removed")) },
      { restarted: true, texts: ["three"] },
    );
  });

  it("continues after old entries were trimmed", async () => {
    const server = await start();
    const log = open(server.url);
    await log.append([sharedNote("one"), sharedNote("two"), sharedNote("three")]);
    await server.command(["XTRIM", `autogpt:${MEMBER.project}`, "MAXLEN", "1"]);
    const { changes, isFull } = await log.pull({ limit: 10 });
    assert.deepEqual([changes.length, isFull], [1, false]);
  });

  it("says that something else is in its place", async () => {
    const server = await start();
    await server.command(["SET", `autogpt:${MEMBER.project}`, "mine"]);
    assert.match(await refusal(() => open(server.url).append([sharedNote("one")])), /WRONGTYPE/);
  });

  const addresses = {
    "redis://redis.example.com": /needs an encrypted connection to redis\.example\.com.*rediss:\/\//,
    "redis://ada:pw@127.0.0.1": /has a password in it/,
    "http://127.0.0.1:6379": /should look like rediss:\/\/user@host:6379/,
    "redis://127.0.0.1:1": /can't be used right now/,
  };
  for (const [url, expected] of Object.entries(addresses))
    it(`explains what is wrong with ${url}`, async () => {
      assert.match(await refusal(async () => open(url).count()), expected);
    });
});
