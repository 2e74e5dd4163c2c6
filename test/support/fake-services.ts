import type { OnlineServices } from "../../src/commands/web/services.ts";
import type { RunBrowser } from "../../src/core/ports/browser.ts";
import { type SearchHit, type Web, WebError, type WebPage } from "../../src/core/ports/services.ts";
import { createNodeWorkspace } from "../../src/node/workspace.ts";
import { FakeModel } from "./fake-model.ts";

/** A page of a web that is only in a test. */
export function fakePage(url: string, more: Partial<WebPage> = {}): WebPage {
  return { url, title: "A page", text: "Hello.", links: [], notes: [], ...more };
}

/** A web of these pages; each is also a file to download. */
export function fakeWeb(pages: readonly WebPage[]): Web {
  const find = (url: URL): WebPage => {
    const found = pages.find((page) => page.url === url.href);
    if (!found) throw new WebError(`${url.host} answered 404: there is no such page.`);
    return found;
  };
  return {
    openPage: async (url) => find(url),
    download: async (url, { reportProgress }) => {
      const { text } = find(url);
      reportProgress?.(2_000_000, 4_000_000);
      return { url: url.href, bytes: Buffer.from(text), type: "text/plain" };
    },
    send: async (url) => {
      const bytes = Buffer.from(find(url).text);
      return { url: url.href, status: 200, headers: { "content-type": "text/plain" }, bytes, isCut: false };
    },
  };
}

/** A browser that shows one page, which never changes. */
function fakeBrowser(more: Partial<RunBrowser> = {}): RunBrowser {
  const page = { url: "https://example.com/", title: "A page", notes: [], problems: [] };
  const reading = { ...page, tree: '- button "Go" [e2]', rest: "" };
  const effect = { ...reading, tree: "", isNewPage: false };
  return {
    judgeOrigin: () => "web",
    findAddress: () => new URL(page.url),
    findPrevious: async () => new URL(page.url),
    describe: async () => ({ text: 'button "Go" [e2]', address: new URL(page.url) }),
    open: async () => reading,
    goBack: async () => reading,
    click: async () => effect,
    type: async () => effect,
    read: async () => reading,
    find: async () => ({ ...reading, count: 2 }),
    takePicture: async () => ({ ...page, data: new Uint8Array() }),
    listMessages: async () => ({ ...page, messages: ["[log] Ready."] }),
    close: async () => undefined,
    ...more,
  };
}

/** All that leaves the machine, without leaving it. */
export function fakeServices(
  parts: Partial<OnlineServices> & { readonly found?: readonly SearchHit[] } = {},
): OnlineServices {
  const web = fakeWeb([fakePage("https://example.com/")]);
  return {
    web,
    downloads: web,
    search: { name: "Finder", host: "find.example", find: async () => parts.found ?? [] },
    images: {
      name: "Painter",
      host: "paint.example",
      size: "64x64",
      draw: async (prompt, size) => ({
        bytes: Buffer.from(`${prompt} ${size}`),
        model: "brush",
        costUsd: 0.04,
      }),
    },
    audio: {
      name: "Listener",
      host: "listen.example",
      most: 1000,
      transcribe: async (bytes, name) => ({
        text: `${name}: ${Buffer.from(bytes).toString()}`,
        model: "ear",
      }),
    },
    tweets: { name: "X", host: "api.x.com", post: async () => "https://x.com/i/status/7" },
    browser: fakeBrowser(),
    isSecret: () => false,
    files: createNodeWorkspace({ folders: [] }),
    getFastModel: async () => new FakeModel([{ text: '{"answer": "", "quotes": []}' }]),
    ...parts,
  };
}
