import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import { findWalls } from "../../../../src/isolation/walls/find-walls.ts";
import { createSharedNamespaces } from "../../../../src/isolation/walls/namespaces.ts";
import { createHostCheck, isAllowedHost, openRunNetwork } from "../../../../src/isolation/walls/network.ts";
import { findOnPath } from "../../../../src/node/processes/programs.ts";
import { createAddressCheck } from "../../../../src/node/web/address-check.ts";

describe("the network of an isolated run", () => {
  it("knows hosts by name, by port, below a name, and as a group of registries", () => {
    const hosts = ["example.com", "https://Files.Example.org/x", "*.cdn.net", "own.host:8443", "registries"];
    const allowed = (address: string) => isAllowedHost(new URL(address), hosts);
    assert.deepEqual(
      Object.fromEntries(
        [
          ...["https://example.com/a", "http://example.com/", "https://EXAMPLE.com./", "https://files.example.org/"],
          ...["https://a.cdn.net/", "https://own.host:8443/", "https://registry.npmjs.org/x", "https://pypi.org/"],
          ...[
            "https://example.com:22/",
            "https://example.com:80/",
            "https://www.example.com/",
            "https://notexample.com/",
            "https://cdn.net/",
          ],
          ...["https://own.host/", "https://example.com.evil.net/", "http://127.0.0.1/", "https://acdn.net/"],
        ].map((address) => [address, allowed(address)]),
      ),
      {
        "https://example.com/a": true,
        "http://example.com/": true,
        "https://EXAMPLE.com./": true,
        "https://files.example.org/": true,
        "https://a.cdn.net/": true,
        "https://own.host:8443/": true,
        "https://registry.npmjs.org/x": true,
        "https://pypi.org/": true,
        "https://example.com:22/": false,
        "https://example.com:80/": false,
        "https://www.example.com/": false,
        "https://notexample.com/": false,
        "https://cdn.net/": false,
        "https://own.host/": false,
        "https://example.com.evil.net/": false,
        "http://127.0.0.1/": false,
        "https://acdn.net/": false,
      },
    );
  });

  it("never reaches this machine or its network, whatever the user allows", async () => {
    const hosts = [
      "localhost",
      "127.0.0.1:8080",
      "[::1]",
      "10.0.0.8",
      "named.example",
      "169.254.169.254",
      "0x7f000001",
      "[::ffff:10.0.0.1]",
    ];
    const refused: string[] = [];
    const check = createHostCheck(
      hosts,
      (sentence) => refused.push(sentence),
      createAddressCheck(
        () => [],
        async () => ["192.168.1.1"],
      ),
    );
    const reached: string[] = [];
    for (const address of [
      ...["http://localhost/", "http://127.0.0.1:8080/", "http://[::1]/", "http://10.0.0.8/", "https://named.example/"],
      ...["http://169.254.169.254/latest", "http://0x7f000001/", "http://[::ffff:10.0.0.1]/", "http://2130706433/"],
    ])
      await check(new URL(address)).then(
        () => reached.push(address),
        () => undefined,
      );
    assert.deepEqual({ reached, refused: refused.length }, { reached: [], refused: 9 });
  });

  it("leads programs of the run to allowed hosts, and says what it refused", async function () {
    if ((await findWalls("auto")).engine !== "bubblewrap") this.skip();
    const [bwrap = "", nsenter = ""] = [findOnPath(["bwrap"]), findOnPath(["nsenter"])];
    const server = http.createServer((_, answer) => answer.end("from outside")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const namespaces = await createSharedNamespaces({ bwrap, nsenter }, os.tmpdir());
    const network = await openRunNetwork(namespaces, [`files.example:${port}`], async () => [
      { address: "127.0.0.1", family: 4 },
    ]);
    const proxy = new URL(network.env.http_proxy ?? "").port;
    const [program = "", ...args] = [...namespaces.enter, "/bin/bash", "-c"];
    const ask = async (address: string): Promise<string> => {
      const line = `exec 3<>/dev/tcp/127.0.0.1/${proxy}; printf 'GET ${address} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3`;
      const child = spawn(program, [...args, line]);
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += String(chunk);
      });
      await once(child, "close");
      return (
        text
          .trim()
          .split(/\r?\n/)
          .findLast((part) => /[a-z]/.test(part)) ?? ""
      );
    };
    const allowed = await ask(`http://files.example:${port}/`);
    const refused = await ask("http://other.example/");
    const outside = spawnSync("/bin/bash", ["-c", `exec 3<>/dev/tcp/127.0.0.1/${proxy}`]).status;
    const refusals = network.takeRefusals();
    await network.close();
    namespaces.close();
    server.close();
    const sentence = "other.example was refused: the user allows other hosts only (autogpt.isolation.hosts).";
    assert.deepEqual(
      { allowed, refused, refusals, isOutside: outside === 0, again: network.takeRefusals() },
      { allowed: "from outside", refused: sentence, refusals: [sentence], isOutside: false, again: [] },
    );
  });
});
