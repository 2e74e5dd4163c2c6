import { decodeText } from "../files/text-encoding.ts";
import type { PageJob, PageReading } from "./page-job.ts";
import { type HtmlReading, readHtml, readResults } from "./read-html.ts";

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
