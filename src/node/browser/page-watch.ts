import { setTimeout as wait } from "node:timers/promises";
import type {
  BrowserContext,
  ConsoleMessage,
  Dialog,
  Download,
  FileChooser,
  Frame,
  Page,
  Request,
  Response,
} from "playwright-core";
import { cutText, formatQuantity } from "../../core/base/text.ts";
import type { UploadFile } from "../../core/ports/browser.ts";
import { getHostWithPort } from "../web/address-check.ts";
import { findFrameAddress } from "./frames.ts";

const MOST_MESSAGES = 200;
const MOST_PROBLEMS = 10;
const MOST_NOTES = 12;
/** Hosts to which requests were refused, and documents whose size is known: a page can name any number. */
const MOST_KEPT = 100;
const LONGEST = 300;
const LONGEST_NOTE = 1_000;

/** Requests that stay open on purpose. */
const LASTING: ReadonlySet<string> = new Set(["eventsource", "websocket", "media", "ping"]);

/** How requests end on purpose: their page was left, or its document was refused. */
const PURPOSE: ReadonlySet<string> = new Set(["net::ERR_ABORTED", "net::ERR_BLOCKED_BY_CLIENT"]);

/** A file for the chooser of one frame. */
interface OfferedFile {
  readonly file: UploadFile;
  readonly frame: Frame;
}

/** Everything that pages do beside what they show: messages, failed requests, dialogs, downloads, wishes for files. */
export class PageWatch {
  private readonly messages: string[] = [];
  private problems: string[] = [];
  private moreProblems = 0;
  private notes: string[] = [];
  private readonly refused = new Set<string>();
  private readonly pending = new Set<Request>();
  /** Bytes of documents, as their servers state them. */
  private readonly sizes = new Map<string, number>();
  private navigations = 0;
  private upload: OfferedFile | undefined;

  watch(context: BrowserContext): void {
    context.on("console", (message) => this.addMessage(message));
    context.on("weberror", (error) => this.addProblem(`[uncaught] ${error.error().message}`));
    context.on("dialog", (dialog) => void this.dismiss(dialog).catch(() => undefined));
    context.on("request", (request) => {
      if (isOfTab(request)) this.navigations++;
      if (!LASTING.has(request.resourceType())) this.pending.add(request);
    });
    context.on("requestfinished", (request) => this.pending.delete(request));
    context.on("requestfailed", (request) => this.addFailure(request));
    context.on("response", (response) => this.addResponse(response));
  }

  watchPage(page: Page): void {
    page.once("close", () => {
      for (const request of this.pending) if (findTab(request) === page) this.pending.delete(request);
    });
    page.on("download", (download) => void this.refuseDownload(download).catch(() => undefined));
    page.on("filechooser", (chooser) => void this.answerChooser(chooser));
  }

  private async answerChooser(chooser: FileChooser): Promise<void> {
    const { upload } = this;
    this.upload = undefined;
    if (!upload) return this.note("The page asked for a file, and got none. A click with a file gives it one.");
    const { name, bytes, origin } = upload.file;
    try {
      const frame = await chooser.element().ownerFrame();
      if (frame !== upload.frame || findFrameAddress(frame)?.origin !== origin)
        return this.note(`Another frame than that of the click asked for a file, so ${name} was not sent.`);
      await chooser.setFiles({ name, mimeType: findMediaType(name), buffer: Buffer.from(bytes) });
      this.note(`The page got the file ${name}.`);
    } catch {
      this.note(`The page didn't take the file ${name}.`);
    }
  }

  note(whole: string): void {
    const text = cutText(whole, LONGEST_NOTE);
    if (!this.notes.includes(text) && this.notes.length < MOST_NOTES) this.notes.push(text);
  }

  get hasNotes(): boolean {
    return this.notes.length > 0;
  }

  /** A request that a page may not send. */
  noteRefused(url: URL): void {
    if (this.refused.size < MOST_KEPT) this.refused.add(getHostWithPort(url));
  }

  /** The number of documents that tabs have asked for. */
  get documents(): number {
    return this.navigations;
  }

  /** Gives the file to the next element that asks for one in its frame. Returns a function that says if none did, and takes it back. */
  offerUpload(offered: OfferedFile | undefined): () => void {
    this.upload = offered;
    return () => {
      if (this.upload) this.note(`The click opened no file chooser, so ${this.upload.file.name} was not sent.`);
      this.upload = undefined;
    };
  }

  listMessages(): readonly string[] {
    return [...this.messages];
  }

  /** The notes and problems since the last call. */
  take(): { readonly notes: readonly string[]; readonly problems: readonly string[] } {
    const { notes, problems, moreProblems: more } = this;
    const refused = [...this.refused];
    [this.notes, this.problems, this.moreProblems] = [[], [], 0];
    this.refused.clear();
    return {
      notes: refused.length === 0 ? notes : [...notes, explainRefused(refused)],
      problems: more > 0 ? [...problems, `${more} more: see page_console.`] : problems,
    };
  }

  /** Waits until the page has loaded what an action asked for, for a few seconds at most. */
  async settle(page: Page, documents: number, signal: AbortSignal): Promise<void> {
    await wait(100, undefined, { signal });
    if (this.navigations !== documents) await page.waitForLoadState("load", { timeout: 10_000 }).catch(() => undefined);
    for (let quiet = 0, rounds = 0; quiet < 2 && rounds < 30; rounds++) {
      await wait(100, undefined, { signal });
      quiet = this.isBusyLoading(page) ? 0 : quiet + 1;
    }
  }

  private isBusyLoading(page: Page): boolean {
    return [...this.pending].some((request) => findTab(request) === page);
  }

  private addMessage(message: ConsoleMessage): void {
    const { url, lineNumber } = message.location();
    const place = url === "" ? "" : ` (${url}:${lineNumber + 1})`;
    const text = `[${message.type()}] ${message.text()}${place}`;
    // Chrome repeats each failed request here, with less about it.
    if (message.text().startsWith("Failed to load resource:")) return;
    if ([...this.refused].some((host) => message.text().includes(host))) return;
    if (message.type() === "error") this.addProblem(text);
    else this.keep(text);
  }

  private addFailure(request: Request): void {
    this.pending.delete(request);
    const url = URL.parse(request.url());
    const why = request.failure()?.errorText ?? "failed";
    if (!url || PURPOSE.has(why) || this.refused.has(getHostWithPort(url))) return;
    this.addProblem(`[request] ${request.method()} ${request.url()}: ${why}`);
  }

  private addResponse(response: Response): void {
    const status = response.status();
    const url = URL.parse(response.url());
    const length = response.headers()["content-length"];
    if (isOfTab(response.request()) && length !== undefined) {
      if (this.sizes.size === MOST_KEPT) this.sizes.clear();
      this.sizes.set(response.url(), Number(length));
    }
    if (status < 400 || !url || url.pathname === "/favicon.ico" || this.refused.has(getHostWithPort(url))) return;
    if (!isOfTab(response.request()))
      this.addProblem(`[request] ${response.request().method()} ${response.url()}: ${status} ${response.statusText()}`);
  }

  private addProblem(text: string): void {
    const kept = this.keep(text);
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(kept);
    else this.moreProblems++;
  }

  private keep(text: string): string {
    const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
    this.messages.push(short);
    if (this.messages.length > MOST_MESSAGES) this.messages.shift();
    return short;
  }

  private async dismiss(dialog: Dialog): Promise<void> {
    const text = dialog.message().slice(0, LONGEST);
    // A page that wants to keep its reader would stay forever.
    if (dialog.type() === "beforeunload") return dialog.accept();
    this.note(`The page opened the dialog ${dialog.type()} ${JSON.stringify(text)}, which was dismissed.`);
    await dialog.dismiss();
  }

  private async refuseDownload(download: Download): Promise<void> {
    const size = this.sizes.get(download.url());
    const sized = size === undefined ? "" : ` (${formatQuantity(size, "byte")})`;
    this.note(
      `The page offered the file ${JSON.stringify(download.suggestedFilename())}${sized} at ${download.url().slice(0, LONGEST)}. It was not saved: download_file does that, if the user has turned downloads on.`,
    );
    await download.cancel();
  }
}

function findTab(request: Request): Page | undefined {
  try {
    return request.frame().page();
  } catch {
    // The frame isn't there yet, or no longer.
    return undefined;
  }
}

/** True for a request of a tab's document, not of a frame's within it. */
export function isOfTab(request: Request): boolean {
  const page = findTab(request);
  return page !== undefined && request.isNavigationRequest() && page.mainFrame() === request.frame();
}

function explainRefused(hosts: readonly string[]): string {
  return `Requests to ${hosts.slice(0, 5).join(", ")} were refused: a page of the web reaches nothing of this machine and its network, and a page of these only what the user has allowed. open_page asks the user for an origin of this machine; autogpt.web.allowHosts is the user's setting for hosts that are always allowed.`;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  webp: "image/webp",
  zip: "application/zip",
};

function findMediaType(name: string): string {
  return MEDIA_TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
}
