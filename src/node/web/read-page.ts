import { decodePage } from "./decode-page.ts";
import type { PageJob, PageReading } from "./page-job.ts";
import { type HtmlReading, readHtml } from "./read-html.ts";
import { readResults } from "./read-results.ts";

/** Makes text of what came from the web. */
export async function readPage({ bytes, type, url, results }: PageJob): Promise<PageReading> {
  const text = await decodePage(Buffer.from(bytes), type);
  if (text === undefined) return { kind: "binary" };
  if (results) return { kind: "results", found: readResults(text, url) };
  if (isHtml(type, text)) return { kind: "page", ...readAnyHtml(text, url) };
  return { kind: "page", title: "", text: text.trim(), links: [], isEmptyWithoutScripts: false };
}

/** A page that is nested deeper than anybody can follow still has its words. */
function readAnyHtml(html: string, url: string): HtmlReading {
  try {
    return readHtml(html, url);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { title: "", text: wordsOf(html), links: [], isEmptyWithoutScripts: false };
  }
}

function wordsOf(html: string): string {
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
