// A site in a thread of its own, so that what it costs is not measured. It posts its port.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { prose } from "../../support/prose.ts";

const row = "<tr><td><a href=/x>a</a></td><td>b</td></tr>";
const pages: Readonly<Record<string, Buffer>> = {
  "/1mb": Buffer.from(`<html><body><article>${prose(1_000_000)}</article></body></html>`),
  "/6mb": Buffer.from(`<html><body><article>${prose(6_000_000)}</article></body></html>`),
  "/table": Buffer.from(`<html><body><table>${row.repeat(120_000)}</table></body></html>`),
};
const bomb = gzipSync(Buffer.alloc(1_000_000_000, "<p>bomb</p>"), { level: 9 });

const server = createServer((asked, answer) => {
  const left = /^\/redirect\/(\d+)$/.exec(asked.url ?? "")?.[1];
  if (left !== undefined) return answer.writeHead(302, { location: `/redirect/${Number(left) - 1}` }).end();
  answer.setHeader("content-type", "text/html");
  if (asked.url === "/bomb") return answer.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  return answer.end(pages[asked.url?.replace("?", "") ?? ""]);
});
server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
