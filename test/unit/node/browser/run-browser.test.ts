import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { clickElement } from "../../../../src/commands/web/browser-elements.ts";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import type { RunBrowser } from "../../../../src/core/ports/browser.ts";
import { createRunBrowser, type RunBrowserOptions } from "../../../../src/node/browser/run-browser.ts";
import { createAddressCheck } from "../../../../src/node/web/address-check.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { fakeServices } from "../../../support/fake-services.ts";
import { findTestBrowser } from "../../../support/real-browser.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { page, webServers } from "../../../support/web-server.ts";

const { signal } = new AbortController();

/** The address of a dev server, by the name that people use. */
const local = (port: number, path = "/"): URL => new URL(`http://localhost:${port}${path}`);

const withoutPorts = (text: string): string => text.replace(/:\d{4,5}/g, ":PORT");

/** A failure's sentence in place of a result. */
const failure = (error: unknown): string => withoutPorts(error instanceof Error ? error.message : String(error));

/** What is shown once it's another page: on a busy machine, a new tab comes after the click has ended. */
async function readOtherPage(browser: RunBrowser, title: string) {
  for (;;) {
    const page = await browser.read({}, new AbortController().signal);
    if (page.title !== title) return page;
  }
}

describe("the browser of a run", function () {
  this.timeout(60_000);
  const server = webServers();
  const tempFolder = tempFolders();
  const browsers: RunBrowser[] = [];
  let program: string | undefined;

  const start = (more: Partial<RunBrowserOptions> = {}): RunBrowser => {
    const browser = createRunBrowser({
      program: program ?? "",
      isVisible: () => false,
      allowHosts: () => [],
      checkAddress: createAddressCheck(() => []),
      ...more,
    });
    browsers.push(browser);
    return browser;
  };
  /** The reference of the first element whose line has a text. */
  const find = async (browser: RunBrowser, text: string): Promise<string> => {
    const { tree } = await browser.find(text, signal);
    const line = tree.split("\n").find((one) => one.includes(text));
    return /\[((?:t\d+)?(?:f\d+)?e\d+)\]/.exec(line ?? "")?.[1] ?? tree;
  };

  before(async function () {
    program = await findTestBrowser();
    if (program === undefined) this.skip();
  });

  afterEach(() => Promise.all(browsers.splice(0).map((browser) => browser.close())));

  it("opens a page of a dev server, acts on it and reports its errors with what changed", async () => {
    const { port } = await server((_asked, answer, { pathname }) => {
      if (pathname === "/data") return void answer.writeHead(500).end();
      page(
        answer,
        `<title>Shop</title><label>Name <input></label><select><option>Tea<option>Rum</select>
        <button onclick="console.error('boom'); fetch('/data'); this.after(Object.assign(document.createElement('p'), {textContent: 'Thanks'}))">Buy</button>`,
      );
    });
    const browser = start();
    const opened = await browser.open(local(port), signal);
    const typed = await browser.type(await find(browser, 'textbox "Name"'), { text: "Ann", press: "Tab" }, signal);
    const chosen = await browser.type(await find(browser, "combobox"), { text: "Rum" }, signal);
    const clicked = await browser.click(await find(browser, 'button "Buy"'), undefined, signal);
    const { messages } = await browser.listMessages();
    assert.deepEqual(
      {
        opened: { ...opened, url: withoutPorts(opened.url) },
        typed: typed.tree,
        chosen: chosen.tree.split("\n").filter((line) => line.includes("selected")),
        clicked: { ...clicked, url: "", problems: clicked.problems.map(withoutPorts).sort() },
        messages: messages.length,
      },
      {
        opened: {
          url: "http://localhost:PORT/",
          title: "Shop",
          notes: [],
          problems: [],
          tree: [
            "- generic [active] [e1]:",
            " - generic [e2]:",
            "  - text: Name",
            '  - textbox "Name" [e3]',
            " - combobox [e4]:",
            '  - option "Tea" [selected]',
            '  - option "Rum"',
            ' - button "Buy" [e5]',
          ].join("\n"),
          rest: "",
        },
        typed: '- textbox "Name" [e3]: Ann',
        chosen: ['- option "Rum" [selected]'],
        clicked: {
          url: "",
          title: "Shop",
          notes: [],
          problems: [
            "[error] boom (http://localhost:PORT/:2)",
            "[request] GET http://localhost:PORT/data: 500 Internal Server Error",
          ],
          tree: "- paragraph [e6]: Thanks",
          rest: "",
          isNewPage: false,
        },
        messages: 2,
      },
    );
  });

  it("stops what leads to another origin before anything is sent there, and keeps the page", async () => {
    const other = await server((_asked, answer) => page(answer, "other"));
    const away = `http://localhost:${other.port}`;
    const { port } = await server((_asked, answer, { pathname }) => {
      if (pathname === "/redirect") return void answer.writeHead(302, { location: `${away}/x?secret=1` }).end();
      page(
        answer,
        `<a href="/redirect">redirect</a><a href="${away}/link">link</a><a href="${away}/tab" target="_blank">tab</a>
        <form action="${away}/form" method="post"><input name="a" value="secret"><button>form</button></form>
        <button onclick="location = '${away}/script'">script</button>`,
      );
    });
    const browser = start();
    await browser.open(local(port), signal);
    const notes: string[] = [];
    for (const text of ['link "redirect"', 'link "link"', 'link "tab"', 'button "form"', 'button "script"']) {
      const { notes: own } = await browser.click(await find(browser, text), undefined, signal);
      notes.push(...own.map((note) => withoutPorts(note).replace(/, which was stopped: .*/, "")));
    }
    assert.deepEqual(
      { notes, asked: other.asked, shown: browser.findAddress()?.port },
      {
        notes: ["x?secret=1", "link", "tab", "form", "script"].map(
          (path) => `The page tried to open http://localhost:PORT/${path}`,
        ),
        asked: [],
        shown: String(port),
      },
    );
  });

  it("lets no page of this machine reach another origin that the user hasn't allowed, and no page of the web this machine", async () => {
    const secret = await server((_asked, answer) => page(answer, "secret"));
    const attack = (host: string): string => `
      <img src="http://${host}:${secret.port}/image"><iframe src="http://${host}:${secret.port}/frame"></iframe>
      <script>
        fetch("http://${host}:${secret.port}/fetch", {mode: "no-cors"}).catch(() => 0);
        new WebSocket("ws://${host}:${secret.port}/socket");
        navigator.sendBeacon("http://${host}:${secret.port}/beacon", "x");
      </script>`;
    const { port } = await server((_asked, answer) =>
      page(answer, ["127.0.0.1", "localhost", "[::1]", "2130706433", "rebound.example"].map(attack).join("")),
    );
    // The names of the web lead to this machine, as after rebinding; only the page's own server is allowed.
    const browser = start({
      checkAddress: createAddressCheck(
        () => [`site.example:${port}`],
        async () => ["127.0.0.1"],
      ),
    });
    const web = await browser.open(new URL(`http://site.example:${port}/`), signal);
    const own = await browser.open(local(port), signal);
    assert.deepEqual(
      { asked: secret.asked, opened: [web.url, own.url].map(withoutPorts) },
      { asked: [], opened: ["http://site.example:PORT/", "http://localhost:PORT/"] },
    );
  });

  it("lets no page of this machine send anything to a page of the web that was opened before", async () => {
    const site = await server((_asked, answer) => page(answer, "site"));
    const away = `http://site.example:${site.port}/?d=secret`;
    const { port } = await server((_asked, answer) =>
      page(answer, `<img src="${away}"><script>fetch("${away}", {mode: "no-cors"}).catch(() => 0)</script>`),
    );
    const browser = start({
      checkAddress: createAddressCheck(
        () => [`site.example:${site.port}`],
        async () => ["127.0.0.1"],
      ),
    });
    await browser.open(new URL(`http://site.example:${site.port}/`), signal);
    const { notes } = await browser.open(local(port), signal);
    assert.deepEqual(
      {
        sent: site.asked.filter((line) => line.includes("secret")),
        notes: notes.map((note) => withoutPorts(note).split(":PORT")[0]),
      },
      { sent: [], notes: ["Requests to site.example"] },
    );
  });

  it("judges an element by the frame that it's in, whose own file choosers alone get the file of a click", async () => {
    const choose =
      '<button onclick="document.querySelector(`input`).click()">Choose</button><input type="file" hidden>';
    const other = await server((_asked, answer) =>
      page(answer, `${choose}<button onclick="location = 'data:text/html,<button>Data</button>'">Leave</button>`),
    );
    const { port } = await server((_asked, answer) =>
      page(answer, `<button>Own</button><iframe src="http://ads.example:${other.port}/"></iframe>`),
    );
    const browser = start({
      checkAddress: createAddressCheck(
        () => [`site.example:${port}`, `ads.example:${other.port}`],
        async () => ["127.0.0.1"],
      ),
    });
    const { origin } = new URL(`http://site.example:${port}/`);
    await browser.open(new URL(origin), signal);
    const command = clickElement({
      workspace: createNodeWorkspace({ folders: [] }),
      services: fakeServices({ browser }),
    });
    const ref = await find(browser, "Choose");
    const call = await command.prepare({ ref }, { step: 1, signal });
    const own = await browser.describe(await find(browser, "Own"));
    const file = { name: "a.txt", bytes: Buffer.from("abc"), origin };
    const given = await browser.click(ref, file, signal);
    await browser.click(await find(browser, "Leave"), undefined, signal);
    const left = await browser.describe(await find(browser, "Data")).then(() => "", failure);
    assert.deepEqual(
      {
        hosts: isPrepared(call) && call.hosts,
        own: own.address.hostname,
        given: given.notes,
        left: left.replace(/^\w+/, ""),
      },
      {
        hosts: ["ads.example"],
        own: "site.example",
        given: ["Another frame than that of the click asked for a file, so a.txt was not sent."],
        left: " is in a frame without an address, so no one can decide on it.",
      },
    );
  });

  it("keeps a few of the tabs that a page opens", async () => {
    const { port } = await server((_asked, answer, { pathname }) =>
      page(
        answer,
        `<title>${pathname}</title><button onclick="for (let n = 0; n < 12; n++) window.open('/' + n, '_blank', 'noopener')">Open</button>`,
      ),
    );
    const browser = start();
    await browser.open(local(port), signal);
    await browser.click(await find(browser, "Open"), undefined, signal);
    await readOtherPage(browser, "/");
    let tabs = 1;
    while (
      await browser.goBack(signal).then(
        () => true,
        () => false,
      )
    )
      tabs++;
    // Those that open while the action ends are closed with the next one.
    assert.deepEqual({ isSome: tabs > 1, isFew: tabs <= 8 }, { isSome: true, isFew: true });
  });

  it("shows no more of a page's title and address than a person reads", async () => {
    const { port } = await server((_asked, answer) =>
      page(
        answer,
        '<button>Go</button><script>document.title = "x".repeat(1e6); history.pushState(0, "", "/" + "y".repeat(1e6))</script>',
      ),
    );
    const browser = start();
    const { url, title } = await browser.open(local(port), signal);
    const command = clickElement({
      workspace: createNodeWorkspace({ folders: [] }),
      services: fakeServices({ browser }),
    });
    const call = await command.prepare({ ref: await find(browser, "Go") }, { step: 1, signal });
    assert.deepEqual(
      {
        url: url.length,
        title: title.length,
        card: isPrepared(call) && JSON.stringify(call.preview).length < 500,
      },
      { url: 2000, title: 300, card: true },
    );
  });

  it("dismisses dialogs, refuses downloads, and gives a file only to the click that names it", async () => {
    const { port } = await server((_asked, answer, { pathname }) => {
      if (pathname === "/") {
        const list = "document.title = this.files[0].name + ' ' + this.files[0].size";
        return page(
          answer,
          `<input type="file" onchange="${list}"><button onclick="document.title = String(confirm('Sure?'))">Ask</button><a href="/a.zip">Get</a>`,
        );
      }
      answer.writeHead(200, { "content-type": "application/zip", "content-length": 1000 }).end(Buffer.alloc(1000));
    });
    const browser = start();
    await browser.open(local(port), signal);
    const file = { name: "a.txt", bytes: Buffer.from("abc"), origin: local(port).origin };
    const ask = await browser.click(await find(browser, "Ask"), undefined, signal);
    const get = await browser.click(await find(browser, "Get"), undefined, signal);
    const none = await browser.click(await find(browser, "Choose File"), undefined, signal);
    const given = await browser.click(await find(browser, "Choose File"), file, signal);
    const wrong = await browser.click(await find(browser, "Ask"), file, signal);
    const told = [ask, get, none, given, wrong].map(({ title, notes }) => [title, ...notes.map(withoutPorts)]);
    assert.deepEqual(told, [
      ["false", 'The page opened the dialog confirm "Sure?", which was dismissed.'],
      [
        "false",
        'The page offered the file "a.zip" (1,000 bytes) at http://localhost:PORT/a.zip. It was not saved: download_file does that, if the user has turned downloads on.',
      ],
      ["false", "The page asked for a file, and got none. A click with a file gives it one."],
      ["a.txt 3", "The page got the file a.txt."],
      [
        "false",
        'The page opened the dialog confirm "Sure?", which was dismissed.',
        "The click opened no file chooser, so a.txt was not sent.",
      ],
    ]);
  });

  it("follows links and new tabs, goes back, and refuses references of pages that are gone", async () => {
    const { port } = await server((_asked, answer, { pathname }) =>
      page(answer, `<title>${pathname}</title><a href="/two">two</a><a href="/tab" target="_blank">tab</a>`),
    );
    const browser = start();
    await browser.open(local(port), signal);
    const first = await find(browser, 'link "two"');
    const two = await browser.click(first, undefined, signal);
    const stale = await browser.click(first, undefined, signal).catch(failure);
    await browser.click(await find(browser, 'link "tab"'), undefined, signal);
    const tab = await readOtherPage(browser, "/two");
    const back = [await browser.goBack(signal), await browser.goBack(signal)];
    const end = await browser.goBack(signal).catch(failure);
    assert.deepEqual(
      { titles: [two, tab, ...back].map(({ title }) => title), stale, end },
      {
        titles: ["/two", "/tab", "/two", "/"],
        stale: `There is no element ${first} on the page now. read_page shows those that are there.`,
        end: "There is no page to go back to. Open one with open_page.",
      },
    );
  });

  it("keeps the page that is shown when another can't be opened, and says why", async () => {
    const { port } = await server((_asked, answer, { pathname }) => {
      if (pathname === "/") return page(answer, "<title>Home</title><input>");
      if (pathname === "/away") return void answer.writeHead(302, { location: "http://localhost:9/" }).end();
      return void answer.writeHead(404).end("Not here.");
    });
    const browser = start();
    await browser.open(local(port), signal);
    const none = await browser.open(new URL("http://localhost:4444/"), signal).catch(failure);
    const away = await browser.open(local(port, "/away"), signal).catch(failure);
    const lan = await browser.open(new URL("http://192.168.7.7/"), signal).catch(failure);
    const kept = await browser.read({}, signal).then(({ title }) => title, failure);
    const missing = await browser.open(local(port, "/missing"), signal);
    assert.deepEqual(
      { none, away, lan: String(lan).slice(0, 41), kept, missing: missing.notes },
      {
        none: "localhost:PORT could not be reached: nothing answers there. Check the address, try again later, or take another source.",
        away: "http://localhost:PORT/away was not opened. The page tried to open http://localhost:9/, which was stopped: the user hasn't allowed http://localhost:9. Open it with open_page if it's needed.",
        lan: "192.168.7.7 is not on the public internet",
        kept: "Home",
        missing: ["The server answered with the status 404."],
      },
    );
  });

  it("reports a page that never loads, closes one that never answers, and opens the next", async () => {
    const { port } = await server((_asked, answer, { pathname }) => {
      answer.writeHead(200, { "content-type": "text/html" });
      if (pathname === "/half") return void answer.write("<h1>Half</h1>");
      answer.end(`<button onclick="for (;;);">Hang</button>`);
    });
    const browser = start();
    const half = await browser.open(local(port, "/half"), signal);
    await browser.open(local(port), signal);
    const hung = await browser.click(await find(browser, "Hang"), undefined, signal).catch(failure);
    const again = await browser.open(local(port), signal);
    assert.deepEqual(
      { half: [half.tree, ...half.notes], hung, again: again.tree },
      {
        half: ['- heading "Half" [level=1] [e2]', "The page was still loading after 10 seconds."],
        hung: "The page no longer responds; one of its scripts may run without end. It was closed.",
        again: '- button "Hang" [t3e2]',
      },
    );
  });

  it("takes pictures of what is shown, of an element and of the whole page", async () => {
    const { port } = await server((_asked, answer) =>
      page(
        answer,
        `<body style="margin: 0"><button style="width: 200px; height: 100px">Go</button><div style="height: 9000px">`,
      ),
    );
    const browser = start();
    await browser.open(local(port), signal);
    const sizes = [];
    for (const what of [{}, { of: await find(browser, "Go") }, { isWhole: true }]) {
      const { data } = await browser.takePicture({ isWhole: false, ...what }, signal);
      const view = new DataView(data.buffer, data.byteOffset);
      sizes.push([view.getUint32(16), view.getUint32(20)]);
    }
    assert.deepEqual(sizes, [
      [1280, 800],
      [200, 100],
      [1280, 4000],
    ]);
  });

  it("leaves nothing behind, and says so if it can't be started", async () => {
    const { port } = await server((_asked, answer) => page(answer, "Hello."));
    const temporary = await tempFolder();
    const { TMPDIR } = process.env;
    process.env.TMPDIR = temporary;
    const browser = start();
    await browser.open(local(port), signal);
    const during = (await readdir(temporary)).filter((name) => name.startsWith("autogpt-browser-")).length;
    await browser.close();
    const broken = await start({ program: process.execPath }).open(local(port), signal).catch(failure);
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    const closed = await browser.read({}, signal).catch(failure);
    assert.deepEqual(
      {
        during,
        left: await readdir(temporary),
        origin: browser.judgeOrigin(local(port)),
        broken: String(broken).includes("could not be driven"),
        closed,
      },
      {
        during: 1,
        left: [],
        origin: "local",
        broken: true,
        closed: "No page is open in the browser. Open one with open_page.",
      },
    );
  });
});
