import assert from "node:assert/strict";
import { createAddressCheck } from "../../../../src/node/web/address-check.ts";
import { createNodeWeb } from "../../../../src/node/web/node-web.ts";
import { fakeServices } from "../../../support/fake-services.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { webServers } from "../../../support/web-server.ts";

const web = createNodeWeb({
  checkAddress: createAddressCheck(() => ["127.0.0.1"]),
  maxBytes: 100_000,
  worker: "never started",
});

describe("calling an API", () => {
  const server = webServers();
  const planted = plantedBenches();
  const withWeb = async (parts = web) => (await planted({}, { services: fakeServices({ web: parts }) })).bench;

  it("shows and sends method, address, headers and body, and returns JSON that people can read", async () => {
    const { address } = await server(async (asked, answer) => {
      const body = (await asked.toArray()).join("");
      answer.writeHead(201, { "content-type": "application/json" });
      answer.end(JSON.stringify([asked.method, asked.headers["content-type"], asked.headers["x-a"], body]));
    });
    const bench = await withWeb();
    const call = { url: `${address}/pets`, method: "POST", headers: { "X-A": "1" }, body: '{"a": 1}' };
    assert.deepEqual(await bench.try("call_api", call), {
      preview: {
        kind: "details",
        text: `POST ${address}/pets\nX-A: 1\ncontent-type: application/json\n\n{"a": 1}`,
      },
      outcome: {
        status: "done",
        output:
          'HTTP 201, 44 bytes\ncontent-type: application/json\n\n[\n  "POST",\n  "application/json",\n  "1",\n  "{\\"a\\": 1}"\n]',
        source: { kind: "web", name: `${address}/pets` },
      },
    });
  });

  it("sends nothing again to where a server wants it, except what only reads", async () => {
    const { address, asked } = await server((request, answer) => {
      if (request.url === "/end") answer.end("ok");
      else answer.writeHead(307, { location: "/end" }).end();
    });
    const bench = await withWeb();
    const outcomes = [];
    for (const method of ["GET", "POST", "DELETE"])
      outcomes.push(await bench.call("call_api", { url: `${address}/${method}`, method }));
    assert.deepEqual(
      { asked, outputs: outcomes.map((one) => (one.status === "done" ? one.output : one.status)) },
      {
        asked: ["GET /GET", "GET /end", "POST /POST", "DELETE /DELETE"],
        outputs: ["HTTP 200, 2 bytes\n\nok", "HTTP 307, 0 bytes\nlocation: /end", "HTTP 307, 0 bytes\nlocation: /end"],
      },
    );
  });

  it("cuts answers that are too long, and leaves out what is no text", async () => {
    const { address } = await server((request, answer) =>
      answer.end(request.url === "/long" ? "x".repeat(300_000) : Buffer.alloc(10)),
    );
    const bench = await withWeb();
    const long = await bench.call("call_api", { url: `${address}/long` });
    const binary = await bench.call("call_api", { url: `${address}/binary` });
    assert.deepEqual(
      [long, binary].map((one) =>
        one.status === "done" ? [one.output.length < 21_000, one.output.slice(0, 75)] : one,
      ),
      [
        [true, `HTTP 200, 100000 bytes, cut there because it is longer\n\n${"x".repeat(19)}`],
        [true, "HTTP 200, 10 bytes\n\n(no text)"],
      ],
    );
  });

  const refused = {
    "a key": { headers: { Authorization: "Bearer sk-1" } },
    "a cookie": { headers: { cookie: "a=b" } },
    "a key of another name": { headers: { "X-Api-Key": "1" } },
    "another host": { headers: { Host: "other.example" } },
    "a second header": { headers: { "X-A": "1\r\nX-B: 2" } },
    "a credential in the address": { url: "https://me:secret@127.0.0.1/" },
  };
  for (const [what, args] of Object.entries(refused))
    it(`refuses ${what} before anything is shown or sent`, async () => {
      const { address, asked } = await server((_request, answer) => answer.end());
      const { status } = await (await withWeb()).call("call_api", { url: address, ...args });
      assert.deepEqual({ status, asked }, { status: "failed", asked: [] });
    });

  it("doesn't ask this machine unless the user allows the host", async () => {
    const { address, asked } = await server((_request, answer) => answer.end());
    const strict = createNodeWeb({ checkAddress: createAddressCheck(() => []), maxBytes: 1000, worker: "" });
    const outcome = await (await withWeb(strict)).call("call_api", { url: address });
    assert.deepEqual(
      { asked, error: outcome.status === "failed" && outcome.error.includes("autogpt.web.allowHosts") },
      { asked: [], error: true },
    );
  });
});
