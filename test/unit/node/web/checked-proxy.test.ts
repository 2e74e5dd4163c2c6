import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { createAddressCheck } from "../../../../src/node/web/address-check.ts";
import { startCheckedProxy } from "../../../../src/node/web/checked-proxy.ts";
import { webServers } from "../../../support/web-server.ts";

describe("the proxy that a browser is behind", () => {
  const server = webServers();

  it("passes on what goes to an address that was checked, and nothing else", async () => {
    const { address, port } = await server(async (asked, answer) =>
      answer.end(`${asked.method} ${asked.url} ${await text(asked)} ${asked.headers["proxy-authorization"]}`),
    );
    const proxy = await startCheckedProxy(createAddressCheck(() => ["127.0.0.1"]));
    const ask = (path: string, method = "GET", body = ""): Promise<string> =>
      new Promise((resolve) => {
        const headers = { "proxy-authorization": "secret" };
        request({ host: "127.0.0.1", port: proxy.port, path, method, headers }, async (answer) =>
          resolve(`${answer.statusCode} ${await text(answer)}`),
        ).end(body);
      });
    try {
      const said = [
        await ask(`${address}/a?b=c`),
        await ask(`${address}/p`, "PUT", "größer"),
        (await ask(`http://localhost:${port}/`)).slice(0, 24),
        await ask("ftp://127.0.0.1/"),
        await ask("/no-address"),
        (await ask(`${address}/p`, "POST", "x".repeat(1_000_001))).slice(0, 3),
      ];
      assert.deepEqual(said, [
        "200 GET /a?b=c  undefined",
        "200 PUT /p größer undefined",
        "403 localhost (127.0.0.1",
        "403 Only http is passed on like this.",
        "403 Only http is passed on like this.",
        "403",
      ]);
    } finally {
      await proxy.close();
    }
  });

  it("makes tunnels to addresses that were checked, and to no other", async () => {
    const { port } = await server((_asked, answer) => answer.end("through"));
    const proxy = await startCheckedProxy(createAddressCheck(() => ["127.0.0.1"]));
    const tunnel = (target: string): Promise<string> => {
      const socket = connect(proxy.port, "127.0.0.1");
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
      socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      return text(socket).catch((error: unknown) => String(error));
    };
    try {
      const [open, refused, broken] = await Promise.all([`127.0.0.1:${port}`, `localhost:${port}`, "[::1"].map(tunnel));
      assert.deepEqual(
        [open?.startsWith("HTTP/1.1 200"), open?.endsWith("through"), refused?.slice(0, 12), broken?.slice(0, 12)],
        [true, true, "HTTP/1.1 403", "HTTP/1.1 403"],
      );
    } finally {
      await proxy.close();
    }
  });

  it("asks the server of the address, whatever the client calls it", async () => {
    const { address } = await server((asked, answer) => answer.end(asked.headers.host));
    const proxy = await startCheckedProxy(createAddressCheck(() => ["127.0.0.1"]));
    const sent = request({
      ...{ host: "127.0.0.1", port: proxy.port, path: `${address}/` },
      headers: { host: "other.example" },
    }).end();
    const [answer] = await once(sent, "response");
    const host = await text(answer);
    await proxy.close();
    assert.equal(host, new URL(address).host);
  });

  it("makes tunnels for TLS to servers that were checked, not to others at their addresses", async () => {
    const reached: Buffer[] = [];
    const far = createServer((socket) => {
      socket
        .on("error", () => undefined)
        .once("data", (bytes) => {
          reached.push(bytes);
          socket.destroy();
        });
    }).listen(0, "127.0.0.1");
    await once(far, "listening");
    const { port } = far.address() as AddressInfo;
    const proxy = await startCheckedProxy(async ({ hostname }) => {
      if (hostname === "evil.example") throw new Error("It isn't allowed.");
      return [{ address: "127.0.0.1", family: 4 }];
    });
    const isReached = async (servername: string, target = "named.example"): Promise<boolean> => {
      const socket = connect(proxy.port, "127.0.0.1");
      socket.write(`CONNECT ${target}:${port} HTTP/1.1\r\n\r\n`);
      await once(socket, "data");
      const before = reached.length;
      const closed = once(socket, "close");
      connectTls({ socket, servername }).on("error", () => undefined);
      await closed;
      return reached.length > before;
    };
    const answers = [
      await isReached("named.example"),
      await isReached("also.example"),
      await isReached("evil.example"),
      await isReached(""),
      await isReached("", "127.0.0.1"),
    ];
    await proxy.close();
    far.close();
    assert.deepEqual(answers, [true, true, false, false, true]);
  });

  it("ends a tunnel that sends too much", async () => {
    const { port } = await server((_asked, answer) => answer.end());
    const proxy = await startCheckedProxy(
      createAddressCheck(() => ["127.0.0.1"]),
      { mostBytes: 1000 },
    );
    const socket = connect(proxy.port, "127.0.0.1");
    socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
    await once(socket, "data");
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n${"x".repeat(1000)}`);
    const [isError] = await once(socket, "close");
    await proxy.close();
    assert.equal(isError, false);
  });
});
