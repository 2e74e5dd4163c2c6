import type { Page } from "playwright-core";
import { getErrorMessage } from "../../core/base/errors.ts";
import { cutText } from "../../core/base/text.ts";
import type {
  BrowserEffect,
  BrowserElement,
  BrowserInput,
  BrowserPage,
  BrowserReading,
  RunBrowser,
  UploadFile,
} from "../../core/ports/browser.ts";
import { WebError } from "../../core/ports/services.ts";
import type { AddressCheck } from "../web/address-check.ts";
import { findElementFrame, findFrameAddress } from "./frames.ts";
import { BrowserOrigins } from "./origins.ts";
import { measurePage, PageTabs } from "./page-tabs.ts";
import {
  cutLines,
  failToFind,
  findLines,
  listNewLines,
  readReference,
  readTree,
  selectElement,
  type TreeLine,
} from "./page-tree.ts";

/** Options of a run's browser. */
export interface RunBrowserOptions {
  readonly program: string;
  /** Whether its windows are shown, as of its start. */
  isVisible(): boolean;
  /** Hosts allowed in any network, as of each request. */
  allowHosts(): readonly string[];
  readonly checkAddress: AddressCheck;
}

const START_MS = 30_000;
const LOAD_MS = 10_000;
const READ_MS = 10_000;
const ACTION_MS = 5_000;
/** Estimated tokens of what an action has changed, and of what a search finds. */
const EFFECT_TOKENS = 600;
const FOUND_TOKENS = 900;
const LONGEST_ADDRESS = 2_000;
const LONGEST_TITLE = 300;

/** Creates the browser of a run. Nothing is started or loaded before its first page. */
export function createRunBrowser(options: RunBrowserOptions): RunBrowser {
  return new SteeredBrowser(options);
}

class SteeredBrowser implements RunBrowser {
  private readonly origins: BrowserOrigins;
  private readonly tabs: PageTabs;
  private lines: readonly TreeLine[] = [];
  private linesOf = -1;
  private queue: Promise<unknown> = Promise.resolve();

  constructor({ program, isVisible, allowHosts, checkAddress }: RunBrowserOptions) {
    this.origins = new BrowserOrigins(allowHosts, checkAddress);
    this.tabs = new PageTabs(this.origins, (proxyPort) => ({ program, isVisible: isVisible(), proxyPort }));
  }

  judgeOrigin(url: URL): ReturnType<RunBrowser["judgeOrigin"]> {
    return this.origins.judge(url);
  }

  findAddress(): URL | undefined {
    const url = this.tabs.page?.url();
    return (url && /^https?:/.test(url) && URL.parse(url)) || undefined;
  }

  findPrevious(): Promise<URL | undefined> {
    return this.tabs.findPrevious();
  }

  describe(reference: string): Promise<BrowserElement> {
    const text = this.findLine(reference);
    return this.runAlone(new AbortController().signal, async () => {
      const frame = await findElementFrame(this.locate(this.requirePage(), reference), ACTION_MS);
      const address = findFrameAddress(frame);
      if (!address) throw new WebError(`${reference} is in a frame without an address, so no one can decide on it.`);
      return { text, address };
    });
  }

  /** The line of an element as it was last read. */
  private findLine(reference: string): string {
    if (this.linesOf !== this.tabs.document) failToFind(reference);
    const line = this.lines.find((one) => one.reference === readReference(reference).name);
    return line?.text.replace(/^- /, "") ?? failToFind(reference);
  }

  open(url: URL, signal: AbortSignal): Promise<BrowserReading> {
    return this.runAlone(signal, async () => {
      const page = await this.tabs.prepare(await this.origins.open(url, signal));
      try {
        await this.load(page, url);
      } catch (error) {
        await this.tabs.drop(page);
        throw error;
      }
      await this.tabs.trim();
      return this.readNewPage(page, signal);
    });
  }

  private async load(page: Page, url: URL): Promise<void> {
    const answer = await page.goto(url.href, { waitUntil: "commit", timeout: START_MS }).catch((error: unknown) => {
      throw this.explainFailure(error, url);
    });
    if (answer?.headers()["proxy-status"] === "autogpt") throw new WebError(await answer.text());
    const status = answer?.status() ?? 200;
    if (status >= 400) this.tabs.watch.note(`The server answered with the status ${status}.`);
  }

  goBack(signal: AbortSignal): Promise<BrowserReading> {
    return this.runAlone(signal, async () => {
      const page = await this.tabs.goBack(START_MS);
      if (!page) throw new WebError("There is no page to go back to. Open one with open_page.");
      return this.readNewPage(page, signal);
    });
  }

  click(reference: string, file: UploadFile | undefined, signal: AbortSignal): Promise<BrowserEffect> {
    return this.runAction(signal, async (page) => {
      const element = this.locate(page, reference);
      const offered = file && { file, frame: await findElementFrame(element, ACTION_MS) };
      const finish = this.tabs.watch.offerUpload(offered);
      await element.click({ timeout: ACTION_MS });
      return finish;
    });
  }

  type(reference: string, { text, press }: BrowserInput, signal: AbortSignal): Promise<BrowserEffect> {
    return this.runAction(signal, async (page) => {
      const element = this.locate(page, reference);
      if (text !== undefined) {
        const isChoice = /^'?combobox/.test(this.findLine(reference));
        const chosen = isChoice && (await element.selectOption(text, { timeout: 1000 }).catch(() => undefined));
        if (!chosen) await element.fill(text, { timeout: ACTION_MS });
      }
      if (press !== undefined) await element.press(press, { timeout: ACTION_MS, noWaitAfter: true });
    });
  }

  read({ of, from }: { readonly of?: string; readonly from?: string }, signal: AbortSignal): Promise<BrowserReading> {
    return this.runAlone(signal, async () => {
      const lines = await this.readLines(this.requirePage());
      const part = of === undefined ? lines : (selectElement(lines, readReference(of).name) ?? failToFind(of));
      const start = from === undefined ? 0 : part.findIndex((line) => line.reference === readReference(from).name);
      if (start < 0) failToFind(from ?? "");
      return { ...(await this.describePage()), ...cutLines(part.slice(start)) };
    });
  }

  find(text: string, signal: AbortSignal): ReturnType<RunBrowser["find"]> {
    return this.runAlone(signal, async () => {
      const { found, count } = findLines(await this.readLines(this.requirePage()), text);
      const { tree, rest } = cutLines(found, FOUND_TOKENS);
      return { ...(await this.describePage()), tree, rest: rest && "More places are left out.", count };
    });
  }

  takePicture(
    { of, isWhole }: { readonly of?: string; readonly isWhole: boolean },
    signal: AbortSignal,
  ): ReturnType<RunBrowser["takePicture"]> {
    return this.runAlone(signal, async () => {
      const page = this.requirePage();
      const options = { timeout: READ_MS, scale: "css" } as const;
      const clip = isWhole ? { fullPage: true, clip: await measurePage(page) } : {};
      const data = await (of === undefined
        ? page.screenshot({ ...options, ...clip })
        : this.locate(page, of).screenshot(options));
      return { ...(await this.describePage()), data };
    });
  }

  listMessages(): ReturnType<RunBrowser["listMessages"]> {
    return this.runAlone(new AbortController().signal, async () => {
      this.requirePage();
      const page = await this.describePage();
      return { ...page, messages: this.tabs.watch.listMessages() };
    });
  }

  close(): Promise<void> {
    this.origins.forget();
    return this.tabs.close();
  }

  /** One command at a time, which ends with the run's signal. */
  private runAlone<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    const next = this.queue.then(async () => {
      signal.throwIfAborted();
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const stop = (): void => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      try {
        return await Promise.race([act(), aborted]);
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof WebError ? error : await this.explainTrouble(error);
      } finally {
        signal.removeEventListener("abort", stop);
      }
    });
    this.queue = next.catch(() => undefined);
    return next;
  }

  private runAction(
    signal: AbortSignal,
    run: (page: Page) => Promise<(() => void) | undefined | void>,
  ): Promise<BrowserEffect> {
    return this.runAlone(signal, async () => {
      const page = this.requirePage();
      const { lines, linesOf } = this;
      const { documents } = this.tabs.watch;
      const arrive = this.tabs.expectDocument();
      const finish = await run(page);
      await this.tabs.watch.settle(page, documents, signal);
      await arrive(signal);
      finish?.();
      await this.tabs.trim();
      const shown = this.requirePage();
      if (this.tabs.document !== linesOf) return { ...(await this.readNewPage(shown, signal)), isNewPage: true };
      const added = listNewLines(lines, await this.readLines(shown));
      return { ...(await this.describePage()), ...cutLines(added, EFFECT_TOKENS), isNewPage: false };
    });
  }

  private async readNewPage(page: Page, signal: AbortSignal): Promise<BrowserReading> {
    const late = await page.waitForLoadState("load", { timeout: LOAD_MS }).catch(() => true);
    if (late) this.tabs.watch.note(`The page was still loading after ${LOAD_MS / 1000} seconds.`);
    else await this.tabs.watch.settle(page, this.tabs.watch.documents, signal);
    const lines = await this.readLines(this.requirePage());
    return { ...(await this.describePage()), ...cutLines(lines) };
  }

  private async readLines(page: Page): Promise<readonly TreeLine[]> {
    const { document } = this.tabs;
    const snapshot = await page.ariaSnapshot({ mode: "ai", timeout: READ_MS });
    this.lines = readTree(snapshot, this.tabs.tab);
    this.linesOf = document;
    return this.lines;
  }

  private async describePage(): Promise<BrowserPage> {
    const page = this.requirePage();
    // A page can write megabytes into both.
    const [url, title] = [cutText(page.url(), LONGEST_ADDRESS), cutText(await page.title(), LONGEST_TITLE)];
    return { url, title, ...this.tabs.watch.take() };
  }

  private requirePage(): Page {
    const { page } = this.tabs;
    if (!page || !this.findAddress()) throw new WebError("No page is open in the browser. Open one with open_page.");
    return page;
  }

  private locate(page: Page, reference: string): ReturnType<Page["locator"]> {
    this.findLine(reference);
    return page.locator(`aria-ref=${readReference(reference).own}`);
  }

  /** Why a page couldn't be opened. */
  private explainFailure(error: unknown, url: URL): WebError {
    const [first = ""] = getErrorMessage(error).split("\n");
    const { notes } = this.tabs.watch.take();
    if (notes.length > 0) return new WebError(`${url.href} was not opened. ${notes.join(" ")}`);
    if (/Timeout/.test(first))
      return new WebError(`${url.host} didn't answer within ${START_MS / 1000} seconds. Check that its server runs.`);
    const code = /net::(\w+)/.exec(first)?.[1] ?? first;
    return new WebError(`${url.href} could not be opened (${code}). Check the address, and that its server runs.`);
  }

  /** Why an action failed, in a sentence. A page whose scripts never end is closed, since nothing works in it. */
  private async explainTrouble(error: unknown): Promise<WebError> {
    const message = getErrorMessage(error);
    if (/has been closed|has ended|crashed/.test(message)) {
      await this.tabs.close();
      return new WebError("The page or its browser has ended. Open the page again with open_page.");
    }
    if (!(await this.tabs.isResponding())) {
      await this.tabs.leavePage();
      return new WebError("The page no longer responds; one of its scripts may run without end. It was closed.");
    }
    const cover = /^.*(<[^>]{1,200}>.*intercepts pointer events).*$/m.exec(message)?.[1];
    const [first = ""] = message.replace(/^\w+\.\w+: /, "").split("\n");
    const why = cover === undefined ? first : `Another element is above it: ${cover}`;
    return new WebError(`${why} read_page shows the page as it is now.`);
  }
}
