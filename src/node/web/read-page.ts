import { isProbablyReaderable, Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import type { PageLink, SearchHit } from "../../core/ports/services.ts";
import { convertToMarkdown } from "../documents/markdown.ts";
import { decodeText } from "../files/text-encoding.ts";
import type { PageJob, PageReading } from "./page-job.ts";

/** Extracts the text of a web response. */
export async function readPage({ bytes, type, url, results }: PageJob): Promise<PageReading> {
  const text = await decodePage(Buffer.from(bytes), type);
  if (text === undefined) return { kind: "binary" };
  if (results) return { kind: "results", found: readResults(text, url) };
  if (isHtml(type, text)) return { kind: "page", ...readAnyHtml(text, url) };
  return { kind: "page", title: "", text: text.trim(), links: [], isEmptyWithoutScripts: false };
}

/** For a page that's nested too deeply for the parser, its words are still returned. */
function readAnyHtml(html: string, url: string): HtmlReading {
  try {
    return readHtml(html, url);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { title: "", text: extractWords(html), links: [], isEmptyWithoutScripts: false };
  }
}

function extractWords(html: string): string {
  return html
    .replace(/<(script|style|template)\b.*?<\/\1>/gis, " ")
    .replace(/<[^<>]{0,1000}>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function isHtml(type: string, text: string): boolean {
  if (/\b(?:text\/html|application\/xhtml\+xml)\b/i.test(type)) return true;
  return type === "" && /^\s*<(?:!doctype html|html|head|body)\b/i.test(text.slice(0, 500));
}

/** Decodes a page's bytes according to its server, its own declaration, or a guess; undefined if it isn't text. */
async function decodePage(bytes: Buffer, type: string): Promise<string | undefined> {
  if (hasMark(bytes)) return (await decodeText(bytes))?.text;
  const declared = findCharset(type) ?? findDeclaredCharset(bytes);
  const text = declared === undefined ? undefined : tryDecode(bytes, declared);
  if (text !== undefined) return isText(text) ? text : undefined;
  const loose = new TextDecoder().decode(bytes);
  const isUtf8 = !loose.slice(0, -3).includes("\uFFFD");
  if (isUtf8) return isText(loose) ? loose : undefined;
  return (await decodeText(bytes))?.text;
}

/** The charset of a media type, in lower case. */
function findCharset(type: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(type)?.[1]?.toLowerCase();
}

/** The charset in `<meta charset>` or an XML declaration within the first kilobyte. */
function findDeclaredCharset(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 1024).toString("latin1");
  return (
    /<meta[^>]{1,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(start)?.[1] ??
    /^<\?xml[^>]{1,100}encoding\s*=\s*["']([\w.:-]+)/i.exec(start)?.[1]
  );
}

function tryDecode(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}

function hasMark([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0xef;
}

function isText(text: string): boolean {
  return !text.slice(0, 10_000).includes("\0");
}

/** The readable content of an HTML page. */
interface HtmlReading {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  readonly links: readonly PageLink[];
  readonly isEmptyWithoutScripts: boolean;
}

/** In larger pages, finding the main content takes too long, so the page's own markup is used. */
const READABLE_LENGTH = 1_500_000;
/** If the main content has less text, it may be everything but the content. */
const LITTLE_TEXT = 200;
const MOST_LINKS = 2_000;

/** Reads an HTML page: its main content as Markdown, and its links with absolute addresses. */
function readHtml(html: string, url: string): HtmlReading {
  const { document } = parseHTML(completeHtml(html));
  const links = makeAbsolute(document, url);
  const hasScripts = document.querySelector("script") !== null;
  const title = collapseSpaces(document.querySelector("title")?.textContent ?? "");
  const text = html.length <= READABLE_LENGTH ? extractArticleText(document) : undefined;
  const all = text ?? convertToMarkdown(findMainPart(document));
  return { title, text: all, links, isEmptyWithoutScripts: hasScripts && all.length < LITTLE_TEXT };
}

/** Completes a fragment, as the parser expects a whole page. */
function completeHtml(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
}

function extractArticleText(document: Document): string | undefined {
  if (!isProbablyReaderable(document)) return undefined;
  const copy = document.cloneNode(true) as Document;
  const article = new Readability(copy, { serializer: (node) => node }).parse();
  if (!(article?.content instanceof Object) || (article.textContent?.trim().length ?? 0) < LITTLE_TEXT)
    return undefined;
  return convertToMarkdown(article.content as HTMLElement);
}

const NEVER_READ = "title,script,style,noscript,template,svg,iframe,object,[hidden],[aria-hidden=true]";
const AROUND = "nav,footer,aside";

/** The main content as marked by the page; otherwise everything except navigation and similar parts. */
function findMainPart(document: Document): HTMLElement {
  for (const element of document.querySelectorAll(NEVER_READ)) element.remove();
  const marked = document.querySelector<HTMLElement>("main,[role=main],article");
  if (marked && (marked.textContent?.trim().length ?? 0) >= LITTLE_TEXT) return marked;
  const root = document.body?.textContent?.trim() ? document.body : document.documentElement;
  const around = [...root.querySelectorAll(AROUND)];
  const rest = measureText(root) - around.reduce((sum, element) => sum + measureText(element), 0);
  if (rest >= LITTLE_TEXT) for (const element of around) element.remove();
  return root;
}

function measureText(element: Element): number {
  return element.textContent?.trim().length ?? 0;
}

/** Makes the addresses in a page absolute, and returns its links: each address once, in order. */
function makeAbsolute(document: Document, url: string): readonly PageLink[] {
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url)?.href ?? url;
  const links = new Map<string, PageLink>();
  for (const anchor of document.querySelectorAll("a[href]")) {
    const to = URL.parse(anchor.getAttribute("href") ?? "", base);
    if (to?.protocol !== "http:" && to?.protocol !== "https:") {
      anchor.removeAttribute("href");
      continue;
    }
    anchor.setAttribute("href", to.href);
    const text = collapseSpaces(anchor.textContent ?? "") || collapseSpaces(anchor.getAttribute("aria-label") ?? "");
    if (links.size < MOST_LINKS && !links.has(to.href)) links.set(to.href, { text, url: to.href });
  }
  for (const image of document.querySelectorAll("img[src]")) {
    const from = URL.parse(image.getAttribute("src") ?? "", base);
    if (from?.protocol === "http:" || from?.protocol === "https:") image.setAttribute("src", from.href);
    else image.removeAttribute("src");
  }
  return [...links.values()];
}

/** The text with white space collapsed into single spaces. */
function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Reads the results of DuckDuckGo's page without scripts, and leaves out advertisements. */
function readResults(html: string, url: string): readonly SearchHit[] {
  const { document } = parseHTML(html);
  return [...document.querySelectorAll(".result")].flatMap((result) => {
    const anchor = result.querySelector("a.result__a");
    const target = findTarget(anchor?.getAttribute("href") ?? "", url);
    if (!anchor || target === undefined || result.classList.contains("result--ad")) return [];
    return [
      {
        title: collapseSpaces(anchor.textContent ?? ""),
        url: target,
        excerpt: collapseSpaces(result.querySelector(".result__snippet")?.textContent ?? ""),
      },
    ];
  });
}

/** The address behind a tracking link. */
function findTarget(href: string, url: string): string | undefined {
  const link = URL.parse(href, url);
  const target = link?.searchParams.get("uddg") ?? link?.href;
  const parsed = target === undefined ? null : URL.parse(target);
  const isAdvertisement = parsed?.pathname === "/y.js" && parsed.hostname.endsWith("duckduckgo.com");
  const isWeb = parsed?.protocol === "http:" || parsed?.protocol === "https:";
  return isWeb && !isAdvertisement ? parsed.href : undefined;
}
