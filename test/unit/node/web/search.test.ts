import assert from "node:assert/strict";
import type { WebSearch } from "../../../../src/core/ports/services.ts";
import { createAddressCheck } from "../../../../src/node/web/address-check.ts";
import { checkSearchTemplate, createCustomWebSearch } from "../../../../src/node/web/custom-search.ts";
import { createDuckDuckGoSearch } from "../../../../src/node/web/duckduckgo.ts";
import { createGoogleWebSearch } from "../../../../src/node/web/google-search.ts";
import { page, webServers } from "../../../support/web-server.ts";

const WORKER = new URL("../../../../src/node/web/page-worker.ts", import.meta.url);
const checkAddress = createAddressCheck(() => ["127.0.0.1"]);

const find = async (search: WebSearch, query = "red boats"): Promise<unknown> =>
  search
    .find(query, 3, new AbortController().signal)
    .catch((error: unknown) => (error instanceof Error ? error.message.replace(/:\d{4,5}/g, "") : error));

describe("searching the web", () => {
  const server = webServers();

  it("asks DuckDuckGo's plain page, and says when it wants a person or finds nothing", async () => {
    const { address, asked } = await server((_asked, answer, url) => {
      const query = url.searchParams.get("q");
      if (query === "captcha") page(answer, '<form class="anomaly-modal"></form>', 202);
      else if (query === "busy") page(answer, "", 429);
      else if (query === "nothing") page(answer, "<html><body>No results.</body></html>");
      else
        page(
          answer,
          '<html><body><div class="result"><a class="result__a" href="https://a.example/">A</a></div></body></html>',
        );
    });
    const search = createDuckDuckGoSearch({ checkAddress, worker: WORKER, address: `${address}/html/` });
    assert.deepEqual(
      [
        await find(search, "red boats & more"),
        await find(search, "nothing"),
        await find(search, "captcha"),
        await find(search, "busy"),
        asked[0],
      ],
      [
        [{ title: "A", url: "https://a.example/", excerpt: "" }],
        [],
        "DuckDuckGo asks for a captcha, because many searches came from here. Wait some minutes, open a page that you know, or ask the user to set another engine (autogpt.web.searchProvider).",
        "127.0.0.1 answered 429: too many requests came from here. Try again later, or take another source.",
        "GET /html/?q=red+boats+%26+more",
      ],
    );
  });

  it("asks Google with the key in a header", async () => {
    let key: unknown;
    const { address, asked } = await server((request, answer) => {
      key = request.headers["x-goog-api-key"];
      answer.end(JSON.stringify({ items: [{ title: "A", link: "https://a.example/", snippet: "About A." }] }));
    });
    const search = createGoogleWebSearch({
      checkAddress,
      key: "secret",
      keyStep: "set GOOGLE_API_KEY",
      engine: "eng",
      address: `${address}/customsearch/v1`,
    });
    assert.deepEqual(
      [await find(search), key, asked],
      [
        [{ title: "A", url: "https://a.example/", excerpt: "About A." }],
        "secret",
        ["GET /customsearch/v1?cx=eng&q=red+boats&num=3"],
      ],
    );
  });

  it("reads the answers of other services, each in its own shape", async () => {
    const shapes: Readonly<Record<string, unknown>> = {
      brave: {
        query: { original: "x" },
        web: {
          results: [{ title: "A &amp; <strong>B</strong>", url: "https://a.example/", description: "About A." }],
        },
      },
      searxng: { results: [{ title: "A & B", url: "https://a.example/", content: "About A." }], answers: [] },
      bing: { webPages: { value: [{ name: "A & B", url: "https://a.example/", snippet: "About A." }] } },
      serper: { organic: [{ title: "A & B", link: "https://a.example/", snippet: "About A." }] },
      bare: [{ title: "A & B", href: "https://a.example/", body: "About A." }, { title: "B", href: "ftp://b/" }, 7],
      nothing: { results: [] },
    };
    const { address } = await server((_asked, answer, url) =>
      answer.end(JSON.stringify(shapes[url.searchParams.get("q") ?? ""])),
    );
    const search = createCustomWebSearch({
      template: `${address}/?q={query}&n={count}`,
      headers: {},
      key: "",
      keyStep: "",
    });
    const one = [{ title: "A & B", url: "https://a.example/", excerpt: "About A." }];
    assert.deepEqual(await Promise.all(Object.keys(shapes).map((shape) => find(search, shape))), [
      one,
      one,
      one,
      one,
      one,
      [],
    ]);
  });

  it("sends a service's key to that service alone, and says what is wrong", async () => {
    const keys: unknown[] = [];
    const { address, asked } = await server((request, answer, url) => {
      keys.push(request.headers["x-subscription-token"]);
      if (url.pathname === "/refused") answer.writeHead(401).end();
      else if (url.pathname === "/away") answer.writeHead(302, { location: "http://93.184.216.34/" }).end();
      else answer.end("<html>not JSON</html>");
    });
    const search = (path: string) =>
      createCustomWebSearch({
        template: `${address}${path}?q={query}`,
        headers: { "X-Subscription-Token": "{key}" },
        key: "k$&1",
        keyStep: "set SEARCH_API_KEY",
      });
    assert.deepEqual(
      [await find(search("/refused")), await find(search("/away")), await find(search("/html")), keys, asked[0]],
      [
        "The search service at 127.0.0.1 rejects the key (401). The user can change it: set SEARCH_API_KEY. Work without a search until then.",
        "127.0.0.1 redirects to another site: http://93.184.216.34/ If that is what you want, ask for that address.",
        "The search service at 127.0.0.1 did not answer in JSON. Ask the user to look at autogpt.web.searchUrl; work without a search until then.",
        ["k$&1", "k$&1", "k$&1"],
        "GET /refused?q=red%20boats",
      ],
    );
  });

  it("detects a template that cannot be used", () => {
    assert.deepEqual(
      ["https://a.example/?q={query}", "https://a.example/", "{query}", "", "ftp://a/{query}"].map(
        (template) => checkSearchTemplate(template) === undefined,
      ),
      [true, false, false, false, false],
    );
  });
});
