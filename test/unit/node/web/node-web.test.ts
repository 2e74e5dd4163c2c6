import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { findBrowserProgram } from "../../../../src/node/browser/program.ts";
import { createAddressCheck } from "../../../../src/node/web/address-check.ts";
import { createBrowser } from "../../../../src/node/web/browser.ts";
import { createNodeWeb, type NodeWebOptions } from "../../../../src/node/web/node-web.ts";
import { prose } from "../../../support/prose.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { page, webServers } from "../../../support/web-server.ts";

const WORKER = new URL("../../../../src/node/web/page-worker.ts", import.meta.url);
const checkAddress = createAddressCheck(() => ["127.0.0.1"]);

const look = async (address: string, parts: Partial<NodeWebOptions> = {}, signal = new AbortController().signal) =>
  createNodeWeb({ checkAddress, maxBytes: 5_000_000, worker: WORKER, ...parts })
    .openPage(new URL(address), { signal, browser: true })
    .catch((error: unknown) => (error instanceof Error ? error.message.replace(/:\d{4,5}/g, "") : error));

describe("the web", () => {
  const server = webServers();

  it("reads a page, and only the beginning of one that is too large", async () => {
    const { address } = await server((_asked, answer) => page(answer, `<title>T</title><body>${prose(40_000)}`));
    const [whole, cut] = [await look(`${address}/a`), await look(`${address}/a`, { maxBytes: 10_000 })];
    assert.deepEqual(
      [whole, cut].map((one) => {
        const { title, text, notes } = one as { title: string; text: string; notes: readonly string[] };
        return { title, isLong: text.length > 20_000, notes };
      }),
      [
        { title: "T", isLong: true, notes: [] },
        {
          title: "T",
          isLong: false,
          notes: ["The page is larger than 10000 bytes (autogpt.web.maxBytes), so only its beginning was read."],
        },
      ],
    );
  });

  it("says what is no text, by its type and by its bytes", async () => {
    const { address } = await server((_asked, answer, url) => {
      answer.setHeader("content-type", url.pathname === "/pdf" ? "application/pdf" : "text/plain");
      answer.end(Buffer.from([1, 0, 2, 0, 0, 3, 255, 254]));
    });
    const what = (path: string, kind: string): string =>
      `http://127.0.0.1${path} is ${kind}, which is no text. If the file itself is wanted, get it with download_file; read_file reads PDF and Word files.`;
    assert.deepEqual(
      [await look(`${address}/pdf`), await look(`${address}/odd`)],
      [what("/pdf", "application/pdf"), what("/odd", "text/plain")],
    );
  });

  it("gives up a page while reading it, when asked to", async () => {
    const { address } = await server((_asked, answer) => page(answer, prose(3_000_000)));
    const stop = new AbortController();
    const looking = look(address, {}, stop.signal);
    setTimeout(() => stop.abort(new Error("Stopped.")), 150);
    assert.equal(await looking, "Stopped.");
  });

  it("downloads whole files and reports its progress", async () => {
    const { address } = await server((_asked, answer) => {
      answer.writeHead(200, { "content-type": "application/zip", "content-length": 300_000 });
      answer.end(Buffer.alloc(300_000, 7));
    });
    const told: (readonly [number, number | undefined])[] = [];
    const web = createNodeWeb({ checkAddress, maxBytes: 10, worker: WORKER });
    const { bytes, type } = await web.download(new URL(`${address}/a.zip`), {
      signal: new AbortController().signal,
      reportProgress: (now, total) => told.push([now, total]),
    });
    assert.deepEqual(
      { length: bytes.length, type, last: told.at(-1) },
      { length: 300_000, type: "application/zip", last: [300_000, 300_000] },
    );
  });

  it("says that a page needs its scripts when there is no browser", async () => {
    const { address } = await server((_asked, answer) => page(answer, "<body><script>1</script></body>"));
    const found = await look(address);
    assert.deepEqual((found as { notes: unknown }).notes, [
      "The page is (nearly) empty without its scripts, and no browser was there to run them. Look for its data elsewhere.",
    ]);
  });
});

describe("a browser", () => {
  const server = webServers();
  const tempFolder = tempFolders();
  const program = findBrowserProgram("auto");

  it("opens a page that needs its scripts, asks nothing that was not checked, and leaves nothing behind", async function () {
    if (program === undefined) this.skip();
    const { address, port, asked } = await server((_asked, answer, url) => {
      answer.setHeader("access-control-allow-origin", "*");
      if (url.pathname === "/data") answer.end("Drawn by a script. ".repeat(20));
      else
        page(
          answer,
          `<body><p id="a"></p><script>
            const put = (text) => { document.getElementById("a").append(text); };
            fetch("/data").then((got) => got.text()).then(put);
            for (const host of ["localhost", "[::1]", "127.0.0.2", "0x7f000002"])
              fetch("http://" + host + ":${port}/leak").then((got) => got.ok && put("LEAK"), () => undefined);
          </script></body>`,
        );
    });
    const temporary = await tempFolder();
    const { TMPDIR } = process.env;
    process.env.TMPDIR = temporary;
    const found = await look(`${address}/app`, { browse: createBrowser(program, checkAddress) });
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    const { text, notes } = found as { text: string; notes: unknown };
    assert.deepEqual(
      {
        start: text.slice(0, 18),
        leaked: text.includes("LEAK") || asked.some((one) => one.includes("leak")),
        notes,
        left: await readdir(temporary),
      },
      { start: "Drawn by a script.", leaked: false, notes: ["The page was opened in a browser."], left: [] },
    );
  });

  it("is never one that a relative place of the search path leads to", async () => {
    skipWithout("files as POSIX has them");
    const folder = await tempFolder();
    await writeFile(join(folder, "chromium"), "#!/bin/sh\n", { mode: 0o755 });
    const found = [relative(process.cwd(), folder), folder].map((PATH) =>
      findBrowserProgram("auto", "auto", { PATH }, "linux"),
    );
    assert.deepEqual(found, [undefined, join(folder, "chromium")]);
  });

  it("is found where the user says, or not at all", () => {
    assert.deepEqual(
      [
        findBrowserProgram("off"),
        findBrowserProgram("/no/such/browser"),
        findBrowserProgram(process.execPath),
        findBrowserProgram("auto", "auto", { PATH: "/no/such/folder" }, "linux"),
      ],
      [undefined, undefined, process.execPath, undefined],
    );
  });
});
