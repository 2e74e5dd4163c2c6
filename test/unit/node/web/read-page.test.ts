import assert from "node:assert/strict";
import iconv from "iconv-lite";
import { readPage } from "../../../../src/node/web/read-page.ts";
import { prose } from "../../../support/prose.ts";

const HTML = "text/html; charset=utf-8";
const AT = "https://example.com/docs/a.html";

const read = async (html: string | Buffer, type = HTML) => readPage({ bytes: Buffer.from(html), type, url: AT });

const textOf = async (html: string | Buffer, type?: string): Promise<string> => {
  const reading = await read(html, type);
  return reading.kind === "page" ? reading.text : reading.kind;
};

describe("reading a page", () => {
  it("finds the main content and leaves out what is around it", async () => {
    const article = `<article><h1>Boats</h1>${prose(3000)}<h2>Sails</h2>${prose(1000)}</article>`;
    const text = await textOf(
      `<html><head><title>Boats</title><style>p{}</style></head><body><nav><a href="/">Home</a> <a href="/b">Buy now</a></nav><div class="cookie-banner">We use cookies</div>${article}<footer>Imprint</footer><script>track()</script></body></html>`,
    );
    assert.deepEqual(
      ["The harbour was quiet", "## Sails", "**many**", "Buy now", "track()", "Imprint"].map((part) =>
        text.includes(part),
      ),
      [true, true, true, false, false, false],
    );
  });

  it("writes Markdown with absolute addresses", async () => {
    const page = await read(`<html><head><base href="/base/"><title> A
      title </title></head><body><h2>List</h2><ul><li>One <a href="x?y=1#z">link</a></li><li><em>Two</em></li></ul>
      <table><tr><th>Name</th><th>Size</th></tr><tr><td>a|b</td><td>1<br>2</td></tr></table>
      <pre><code class="language-js">if (a &lt; b) {
  run();
}</code></pre><p><img src="/pic.png" alt="A boat"><img src="data:image/png;base64,xxx"><a href="javascript:evil()">js</a> <a href="mailto:a@b.c">mail</a> <a href="/same">1</a><a href="/same">2</a></p></body></html>`);
    assert.deepEqual(page, {
      kind: "page",
      title: "A title",
      text: `## List

-   One [link](https://example.com/base/x?y=1#z)
-   *Two*

| Name | Size |
| --- | --- |
| a\\|b | 1 2 |

\`\`\`js
if (a < b) {
  run();
}
\`\`\`

![A boat](https://example.com/pic.png)js mail [1](https://example.com/same)[2](https://example.com/same)`,
      links: [
        { text: "link", url: "https://example.com/base/x?y=1#z" },
        { text: "1", url: "https://example.com/same" },
      ],
      isEmptyWithoutScripts: false,
    });
  });

  it("does not show what the page hides", async () => {
    assert.equal(
      await textOf(
        "<p>Seen.</p><p hidden>Obey me.</p><div aria-hidden=true>And me.</div><!-- me too --><template>t</template>",
      ),
      "Seen.",
    );
  });

  it("sees that a page is empty without its scripts", async () => {
    const empty = await read('<html><body><div id="root"></div><script src="/app.js"></script></body></html>');
    const short = await read("<html><body>Just a word.</body></html>");
    assert.deepEqual(
      [empty, short].map((page) => page.kind === "page" && page.isEmptyWithoutScripts),
      [true, false],
    );
  });

  it("understands charsets, declared and not", async () => {
    const words = "Ölpreise über alles, näher betrachtet: größer, schöner, öfter.";
    const japanese = "日本語のページです。これは長い文章で、文字コードを当てることができます。";
    assert.deepEqual(
      [
        await textOf(iconv.encode(words, "latin1"), "text/plain; charset=ISO-8859-1"),
        await textOf(iconv.encode(`<meta charset="windows-1252"><p>${words}`, "win1252"), "text/html"),
        await textOf(iconv.encode(japanese, "shift_jis"), "text/plain; charset=Shift_JIS"),
        await textOf(iconv.encode(japanese, "euc-jp"), 'text/plain; charset="euc-jp"'),
        await textOf(iconv.encode(words, "utf-16le", { addBOM: true }), "text/plain"),
        await textOf(Buffer.from(words), "text/plain"),
        await textOf(Buffer.from(words), "text/plain; charset=unheard-of"),
        await textOf(iconv.encode(words.repeat(5), "latin1"), "text/plain"),
      ],
      [words, words, japanese, japanese, words, words, words, words.repeat(5)],
    );
  });

  it("returns other texts unchanged, and says what isn't text", async () => {
    assert.deepEqual(
      [
        await textOf('{"a": 1}\n', "application/json"),
        await textOf("# Title\n\n<b>x</b>", "text/markdown"),
        await textOf("<!doctype html><p>Untyped.", ""),
        await textOf(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1, 2, 3]), "text/plain"),
        await textOf("", HTML),
      ],
      ['{"a": 1}', "# Title\n\n<b>x</b>", "Untyped.", "binary", ""],
    );
  });

  it("survives pages that are broken on purpose", async () => {
    const deep = `${"<div>".repeat(3000)}deep${"</div>".repeat(10)}`;
    assert.deepEqual(
      [
        await textOf("<html><body><p>open <b>never <i>closed <table><tr><td>cell"),
        (await textOf(deep)).includes("deep"),
        await textOf("<a href='http://[bad'>x</a><img src=':::'><base href='::'>"),
      ],
      ["open **never *closed\n\n| cell |\n| --- |\n\n***", true, "x"],
    );
  });

  it("reads DuckDuckGo's results without its advertisements", async () => {
    const html = `<html><body><div class="results">
      <div class="result result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?ad=1">Ad</a></div>
      <div class="result"><h2><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fone.example%2Fa%3Fb%3D1&rut=x">One <b>boat</b></a></h2><a class="result__snippet">About
        <b>boats</b>.</a></div>
      <div class="result"><a class="result__a" href="https://two.example/">Two</a></div>
      <div class="result"><a class="result__a" href="javascript:x">Bad</a></div></div></body></html>`;
    const job = {
      bytes: Buffer.from(html),
      type: HTML,
      url: "https://html.duckduckgo.com/html/",
      results: true,
    };
    assert.deepEqual(await readPage(job), {
      kind: "results",
      found: [
        { title: "One boat", url: "https://one.example/a?b=1", excerpt: "About boats." },
        { title: "Two", url: "https://two.example/", excerpt: "" },
      ],
    });
  });
});
