import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createAddressCheck } from "../../../../src/node/web/address-check.ts";
import { createGetter, type GetOptions, type WebResponse } from "../../../../src/node/web/get.ts";
import { checkResponse } from "../../../../src/node/web/response-error.ts";
import { skipWithout } from "../../../support/skips.ts";
import { page, webServers } from "../../../support/web-server.ts";

const get = (address: string, more: Partial<GetOptions> = {}): Promise<WebResponse> =>
  createGetter(createAddressCheck(() => ["127.0.0.1"]))(new URL(address), {
    signal: new AbortController().signal,
    most: 5_000_000,
    seconds: 10,
    accept: "*/*",
    ...more,
  });

const said = async (address: string, more?: Partial<GetOptions>): Promise<string> =>
  get(address, more).then(
    ({ body }) => body.bytes.toString(),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe("getting an address", () => {
  const server = webServers();

  it("sends neither cookies nor credentials, and says honestly what it is", async () => {
    const { address } = await server((asked, answer) => {
      answer.setHeader("set-cookie", "a=b");
      if (asked.url === "/") answer.writeHead(302, { location: "/next" }).end();
      else answer.end(JSON.stringify(asked.headers));
    });
    const { host, ...headers } = JSON.parse(await said(`${address}/`));
    assert.deepEqual(headers, {
      "user-agent": "Mozilla/5.0 (compatible; AutoGPT-VSCode/1.0)",
      accept: "*/*",
      "accept-language": "en,*;q=0.5",
      "accept-encoding": "gzip, br",
      connection: "close",
    });
  });

  it("sends a key to the origin that it is for, and not on with a redirect", async () => {
    const echo = await server((asked, answer) => answer.end(String(asked.headers["x-key"])));
    const { address } = await server((asked, answer) => {
      const location = asked.url === "/here" ? "/echo" : echo.address;
      if (asked.url === "/echo") answer.end(String(asked.headers["x-key"]));
      else answer.writeHead(307, { location }).end();
    });
    const headers = { "x-key": "secret" };
    assert.deepEqual(
      [await said(`${address}/here`, { headers }), await said(`${address}/there`, { headers })],
      ["secret", "undefined"],
    );
  });

  it("unpacks what is packed, in up to two layers", async () => {
    const ways: Readonly<Record<string, readonly [string, (text: string) => Buffer]>> = {
      "/gzip": ["gzip", gzipSync],
      "/br": ["br", brotliCompressSync],
      "/deflate": ["deflate", deflateSync],
      "/both": ["gzip, br", (text) => brotliCompressSync(gzipSync(text))],
      "/odd": ["compress", (text) => Buffer.from(text)],
      "/three": ["gzip, gzip, gzip", gzipSync],
      "/broken": ["gzip", (text) => Buffer.from(text)],
    };
    const { address, port } = await server((asked, answer) => {
      const [encoding, pack] = ways[asked.url ?? ""] ?? ["", Buffer.from];
      answer.writeHead(200, { "content-encoding": encoding }).end(pack("Hello."));
    });
    assert.deepEqual(await Promise.all(Object.keys(ways).map((path) => said(address + path))), [
      "Hello.",
      "Hello.",
      "Hello.",
      "Hello.",
      "The answer is packed in a way that cannot be unpacked here (compress).",
      "The answer is packed in 3 layers, so it was not unpacked.",
      `127.0.0.1:${port} sent data that can't be unpacked. Take another source.`,
    ]);
  });

  it("stops at its limit, whatever the packed bytes unpack to", async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    const { address } = await server((asked, answer) => {
      if (asked.url === "/bomb") answer.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
      else answer.end(Buffer.alloc(6_000_000));
    });
    const [packed, plain] = [await get(`${address}/bomb`), await get(`${address}/plain`)];
    assert.deepEqual(
      [packed, plain].map(({ body }) => ({ length: body.bytes.length, isCut: body.isCut })),
      [
        { length: 5_000_000, isCut: true },
        { length: 5_000_000, isCut: true },
      ],
    );
  });

  it("stops packed bytes that unpack to nothing", async () => {
    skipWithout("connections that keep their end");
    const { address } = await server((_asked, answer) => {
      answer.writeHead(200, { "content-encoding": "gzip" });
      const empty = gzipSync("");
      for (let count = 0; count < 6000; count++) answer.write(empty);
      answer.end();
    });
    const { body } = await get(address, { most: 50_000 });
    assert.deepEqual({ length: body.bytes.length, isCut: body.isCut }, { length: 0, isCut: true });
  });

  it("follows redirects within a site, and ends those without end", async () => {
    const { address, asked } = await server((_asked, answer, url) => {
      const left = Number(url.pathname.slice(1));
      if (left > 0) answer.writeHead(302, { location: `/${left - 1}` }).end();
      else answer.end("There.");
    });
    assert.deepEqual(
      [await said(`${address}/10`), await said(`${address}/1000`), asked.length],
      [
        "There.",
        `${address.slice(7)} redirects without end (more than 10 times), so it was given up. Take another source.`,
        22,
      ],
    );
  });

  it("checks each hop of a redirect as it checks the first", async () => {
    const targets = [
      "http://127.0.0.2/",
      "http://169.254.169.254/latest/meta-data/",
      "//[::1]/",
      "http://0x7f000002/",
      "file:///etc/passwd",
      "http://user:secret@127.0.0.1/",
      "http://93.184.216.34/?stolen=1",
      "http://",
    ];
    const { address } = await server((_asked, answer, url) =>
      answer.writeHead(302, { location: targets[Number(url.pathname.slice(1))] }).end(),
    );
    const host = address.slice(7);
    const refused = (other: string): string =>
      `${other} is not on the public internet but on this machine or in its network, so it is not asked. The user can allow it by adding "${other}" to autogpt.web.allowHosts.`;
    assert.deepEqual(await Promise.all(targets.map((_target, index) => said(`${address}/${index}`))), [
      refused("127.0.0.2"),
      refused("169.254.169.254"),
      refused("::1"),
      refused("127.0.0.2"),
      "It leads to a file: address; only http and https are opened.",
      "The address at 127.0.0.1 holds a user name or password. Leave it out.",
      `${host} redirects to another site: http://93.184.216.34/?stolen=1 If that is what you want, ask for that address.`,
      `${host} redirects to an invalid address. Take another source.`,
    ]);
  });

  it("does not wait longer than it may, and stops when asked to", async () => {
    const { address } = await server((asked, answer) => {
      if (asked.url === "/drip") answer.write("x");
    });
    const stop = new AbortController();
    const stopped = said(`${address}/drip`, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("The user stopped it.")), 20);
    const host = address.slice(7);
    const late = `${host} took longer than 0.1 seconds, so it was given up. Try again later, or take another source.`;
    assert.deepEqual(
      [
        await said(`${address}/silent`, { seconds: 0.1 }),
        await said(`${address}/drip`, { seconds: 0.1 }),
        await stopped,
      ],
      [late, late, "The user stopped it."],
    );
  });

  it("says what is wrong with a connection", async () => {
    const pem = await readFile(new URL("../../../fixtures/self-signed.pem", import.meta.url));
    const tls = await server((_asked, answer) => answer.end("secret"), pem);
    const plain = await server((asked) => asked.socket.destroy());
    const noHttp = await server((asked) => asked.socket.end("SSH-2.0-OpenSSH\r\n"));
    const onTls = plain.address.replace("http:", "https:");
    assert.deepEqual(
      await Promise.all([tls.address, plain.address, noHttp.address, "http://127.0.0.1:1"].map((one) => said(one))),
      [
        `127.0.0.1:${tls.port} cannot be trusted: its certificate is self-signed. Take another source, or tell the user.`,
        `127.0.0.1:${plain.port} could not be reached: it closed the connection. Check the address, try again later, or take another source.`,
        `127.0.0.1:${noHttp.port} does not answer in HTTP. Check the address.`,
        "127.0.0.1:1 could not be reached: nothing answers there. Check the address, try again later, or take another source.",
      ],
    );
    assert.match(await said(onTls), /does not speak TLS as it should|closed the connection/);
  });
});

describe("an answer that is not what was asked for", () => {
  const server = webServers();

  const trouble = async (address: string): Promise<string> =>
    (checkResponse(await get(address))?.message ?? "none").replace(/127\.0\.0\.1:\d+/g, "HOST");

  it("is recognized by its status", async () => {
    const { address } = await server((_asked, answer, url) => {
      if (url.pathname === "/429") answer.setHeader("retry-after", "30");
      answer.writeHead(Number(url.pathname.slice(1))).end("x");
    });
    assert.deepEqual(
      await Promise.all([200, 204, 401, 403, 404, 418, 429, 500, 503].map((status) => trouble(`${address}/${status}`))),
      [
        "none",
        "none",
        "HOST answered 401: this page is only for those who log in. Take another source.",
        "HOST answered 403: it does not let us see this page. Take another source.",
        "HOST answered 404: there is no such page. Check the address, or search for it with web_search.",
        "HOST answered 418: it rejected the request. Check the address, or take another source.",
        "HOST answered 429: too many requests came from here. Try again in 30 seconds, or take another source.",
        "HOST answered 500: it has a problem. Try again later, or take another source.",
        "HOST answered 503: it is overloaded or closed for now. Try again later, or take another source.",
      ],
    );
  });

  it("may be a test for people, but a page with a captcha in a form is none", async () => {
    const pages: Readonly<Record<string, readonly [number, string]>> = {
      "/cloudflare": [403, "<title>Just a moment...</title><script src=/cdn-cgi/challenge-platform/x></script>"],
      "/ok": [200, "<title>Just a moment...</title>"],
      "/hcaptcha": [200, '<title>Sure?</title><div class="h-captcha" data-x></div><p>Tick the box.</p>'],
      "/form": [
        200,
        `<h1>Contact</h1>${"<p>Words about us and more words.</p>".repeat(40)}<div class="g-recaptcha" x></div>`,
      ],
    };
    const { address } = await server((_asked, answer, url) => {
      const [status, html] = pages[url.pathname] ?? [404, ""];
      page(answer, html, status);
    });
    const test = "HOST asks for a captcha and shows nothing else. Take another source, or ask the user to look.";
    assert.deepEqual(await Promise.all(Object.keys(pages).map((path) => trouble(address + path))), [
      test,
      test,
      test,
      "none",
    ]);
  });
});
