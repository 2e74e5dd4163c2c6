import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { openRedisLog } from "../../../../src/memory/shared/servers/redis-log.ts";
import type { SharedLog } from "../../../../src/memory/shared/shared-log.ts";

/** What a server answers to a command, by its first word. */
type Answers = Readonly<Record<string, (socket: Socket) => unknown>>;

const EMPTY: Answers = {
  INFO: (socket) => socket.write("$19\r\nredis_version:7.0.0\r\n"),
  HLEN: (socket) => socket.write(":3\r\n"),
  EVAL: (socket) => socket.write("*2\r\n$1\r\ne\r\n$3\r\n1-1\r\n"),
};

describe("a log on a Redis server", () => {
  const servers: Server[] = [];
  const logs: SharedLog[] = [];
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
    for (const server of servers.splice(0)) server.close();
  });

  /** The address of a server with some answers of its own. It knows no command but the last of what arrives together. */
  async function serve(answers: Answers): Promise<string> {
    const server = createServer((socket) => {
      socket.on("error", () => "The client left.");
      socket.on("data", (bytes) => {
        const word = /\r\n([A-Z]+)\r\n/.exec(bytes.toString())?.[1] ?? "";
        ({ ...EMPTY, ...answers })[word]?.(socket);
      });
    });
    servers.push(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    return `redis://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  function open(url: string): SharedLog {
    const log = openRedisLog({ url, project: "p", author: "a" }, 10);
    logs.push(log);
    return log;
  }

  it("that sends without end is left", async () => {
    const chunk = Buffer.alloc(1024 * 1024, "x");
    const { promise: isLeft, resolve } = Promise.withResolvers<string>();
    const flood = (socket: Socket): void => {
      socket.once("close", () => resolve("left"));
      socket.write("$999999999\r\n");
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
        socket.once("drain", more);
      };
      more();
    };
    const log = open(await serve({ HLEN: flood }));
    const reason = await log.count().catch((error: unknown) => String(error));
    assert.deepEqual([/too large/.test(String(reason)), await isLeft], [true, "left"]);
  });

  it("that announces more than a program has room for is left", async () => {
    const log = open(await serve({ HLEN: (socket) => socket.write("*33000000\r\n".repeat(200)) }));
    await assert.rejects(log.count(), /too large/);
  });

  it("is followed again after only the connection that waits was lost", async () => {
    let waits = 0;
    const { promise: isAgain, resolve } = Promise.withResolvers<string>();
    const wait = (socket: Socket): void => {
      if (++waits === 1) socket.destroy();
      else resolve("again");
    };
    const log = open(await serve({ XREAD: wait }));
    await log.count();
    assert.equal(await isAgain, "again");
  });
});
