import { setTimeout as wait } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";
import { WebError } from "../../core/ports/services.ts";
import { type CheckedProxy, startCheckedProxy } from "../web/checked-proxy.ts";
import { type ConnectedBrowser, type LaunchOptions, launchBrowser } from "./connection.ts";
import { guardDocuments } from "./gate.ts";
import type { BrowserOrigins, PageRealm } from "./origins.ts";
import { isOfTab, PageWatch } from "./page-watch.ts";

const VIEWPORT = { width: 1280, height: 800 } as const;

/** Bytes that one browser may receive and send, and the longest body of a plain request. */
const LIMITS = { mostBytes: 1_000_000_000, mostSent: 50_000_000 };
/** Tabs that stay open behind the one that is shown, itself included. */
const MOST_TABS = 4;
/** Tabs at any moment; those that a page opens beyond are closed at once. */
const MOST_OPENED = 8;
const ANSWER_MS = 3_000;
/** Pixels of the longest picture of a whole page. */
const MOST_HEIGHT = 4_000;

/** The tabs of a run's browser, which starts with the first. Pages of the web and of this machine are never open together. */
export class PageTabs {
  readonly watch = new PageWatch();
  private readonly origins: BrowserOrigins;
  private readonly createOptions: (proxyPort: number) => LaunchOptions;
  private started: Promise<ConnectedBrowser> | undefined;
  private proxies: CheckedProxy[] = [];
  private readonly contexts = new Map<PageRealm, BrowserContext>();
  private realm: PageRealm = "web";
  private shown: Page[] = [];
  private readonly numbers = new WeakMap<Page, number>();
  private count = 0;
  private asked = 0;
  private documents = 0;
  private isOpening = false;

  constructor(origins: BrowserOrigins, createOptions: (proxyPort: number) => LaunchOptions) {
    this.origins = origins;
    this.createOptions = createOptions;
  }

  /** The tab that is shown. */
  get page(): Page | undefined {
    return this.shown.at(-1);
  }

  /** The number of the tab that is shown, from 1. */
  get tab(): number {
    return this.page ? (this.numbers.get(this.page) ?? 0) : 0;
  }

  /** Changes with the document that is shown. */
  get document(): number {
    return this.documents;
  }

  /** Notes the document that is shown. The returned function waits, for five seconds at most, until one that was asked for since is shown. */
  expectDocument(): (signal: AbortSignal) => Promise<void> {
    const { asked, document } = this;
    return async (signal) => {
      const isDue = () => this.asked !== asked && this.document === document && !this.watch.hasNotes;
      for (let rounds = 0; rounds < 50 && isDue(); rounds++) await wait(100, undefined, { signal });
    };
  }

  /** A new tab for a page of a realm; those of the other realm are closed. */
  async prepare(realm: PageRealm): Promise<Page> {
    const starting = this.start();
    const { browser } = await starting;
    // Closed meanwhile, as at the end of the run: nothing of it may be opened again.
    if (this.started !== starting) throw new WebError("The browser has ended. Open the page again with open_page.");
    if (realm !== this.realm) await this.leavePage();
    this.realm = realm;
    const context = this.contexts.get(realm) ?? (await this.createContext(browser, realm));
    this.contexts.set(realm, context);
    this.isOpening = true;
    try {
      return await context.newPage();
    } finally {
      this.isOpening = false;
    }
  }

  /** Closes a tab whose page couldn't be opened: the one before it is shown as it was. */
  async drop(page: Page): Promise<void> {
    await page.close().catch(() => undefined);
  }

  /** Closes the oldest tabs. */
  async trim(): Promise<void> {
    await Promise.all(this.shown.slice(0, -MOST_TABS).map((page) => page.close().catch(() => undefined)));
  }

  /** The address that going back leads to: the tab's own history, or the tab before it. */
  async findPrevious(): Promise<URL | undefined> {
    const { page } = this;
    return page && ((await findEarlierPage(page)) ?? readWebAddress(this.shown.at(-2)?.url()));
  }

  /** Goes back; undefined if there is nothing to go back to. */
  async goBack(timeout: number): Promise<Page | undefined> {
    const { page } = this;
    if (!page) return undefined;
    if (await findEarlierPage(page)) await page.goBack({ waitUntil: "commit", timeout });
    else if (this.shown.length > 1) await page.close();
    else return undefined;
    return this.page;
  }

  /** Whether the tab's scripts leave it time for anything else. */
  async isResponding(): Promise<boolean> {
    const { page } = this;
    if (!page || page.isClosed()) return true;
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ANSWER_MS).unref());
    return Promise.race([
      page.evaluate("1").then(
        () => true,
        () => true,
      ),
      late,
    ]);
  }

  async leavePage(): Promise<void> {
    await Promise.all(this.shown.map((page) => page.close().catch(() => undefined)));
  }

  async close(): Promise<void> {
    const { started, proxies } = this;
    [this.started, this.proxies, this.shown] = [undefined, [], []];
    this.contexts.clear();
    this.documents++;
    const connected = await started?.catch(() => undefined);
    await connected?.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  }

  private start(): Promise<ConnectedBrowser> {
    this.started ??= this.launch().catch(async (error: unknown) => {
      // Closing would wait for this start.
      this.started = undefined;
      await this.close();
      throw error;
    });
    return this.started;
  }

  private async launch(): Promise<ConnectedBrowser> {
    const { port } = await this.startProxy("web");
    const connected = await launchBrowser(this.createOptions(port));
    try {
      const judge = this.judgeDocument.bind(this);
      await guardDocuments(connected.browser, judge, () => this.asked++);
    } catch {
      await connected.close();
      throw new WebError(
        "This browser can't hold the pages that it opens, so it isn't used. Update it, or name another.",
      );
    }
    connected.browser.on("disconnected", () => void this.close());
    return connected;
  }

  private judgeDocument({ url, isTab }: { readonly url: URL; readonly isTab: boolean }): boolean {
    const { origins, realm } = this;
    if (isTab ? origins.mayShow(url, realm) : origins.mayFrame(url, realm)) {
      if (isTab) this.asked++;
      return true;
    }
    const what = isTab ? "The page tried to open" : "A frame of the page tried to show";
    this.watch.note(
      `${what} ${url.href.slice(0, 300)}, which was stopped: the user hasn't allowed ${url.origin}. Open it with open_page if it's needed.`,
    );
    return false;
  }

  private async startProxy(realm: PageRealm): Promise<CheckedProxy> {
    // The list of this start, which closing takes along: the proxy may only listen by then.
    const { proxies } = this;
    const check = this.origins.createCheck(realm, (url) => this.watch.noteRefused(url));
    const proxy = await startCheckedProxy(check, LIMITS);
    proxies.push(proxy);
    return proxy;
  }

  private async createContext(browser: ConnectedBrowser["browser"], realm: PageRealm): Promise<BrowserContext> {
    const { port } = await this.startProxy(realm);
    const context = await browser.newContext({
      acceptDownloads: false,
      // A worker would answer requests after its page is closed.
      serviceWorkers: "block",
      viewport: VIEWPORT,
      proxy: { server: `http://127.0.0.1:${port}`, bypass: "<-loopback>" },
    });
    this.watch.watch(context);
    context.on("page", (page) => this.adopt(page));
    return context;
  }

  /** A new tab is the one that is shown, until it's closed. */
  private adopt(page: Page): void {
    if (this.shown.length >= MOST_OPENED + (this.isOpening ? 1 : 0)) {
      this.watch.note("The page opened many tabs, some of which were closed.");
      void page.close().catch(() => undefined);
      return;
    }
    if (!this.isOpening) this.watch.note("The page opened a new tab, which is shown now. go_back returns.");
    this.shown.push(page);
    this.numbers.set(page, ++this.count);
    this.documents++;
    this.watch.watchPage(page);
    let hasBegun = false;
    page.on("request", (request) => {
      if (isOfTab(request)) hasBegun = true;
    });
    page.on("framenavigated", (frame) => {
      if (frame !== page.mainFrame() || !hasBegun) return;
      hasBegun = false;
      if (page.url() !== "about:blank") this.documents++;
    });
    page.once("close", () => {
      this.shown = this.shown.filter((one) => one !== page);
      this.documents++;
    });
  }
}

/** The page before in a tab's own history. */
async function findEarlierPage(page: Page): Promise<URL | undefined> {
  const session = await page.context().newCDPSession(page);
  const { currentIndex, entries } = await session.send("Page.getNavigationHistory");
  await session.detach();
  return readWebAddress(entries[currentIndex - 1]?.url);
}

function readWebAddress(url: string | undefined): URL | undefined {
  return (url !== undefined && /^https?:/.test(url) && URL.parse(url)) || undefined;
}

/** The part of a page that a picture of the whole shows. */
export async function measurePage(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const width = page.viewportSize()?.width ?? 1280;
  const height = await page.evaluate("document.documentElement.scrollHeight");
  return { x: 0, y: 0, width, height: Math.max(1, Math.min(MOST_HEIGHT, Number(height) || 1)) };
}
