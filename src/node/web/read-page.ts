import { decodePage } from "./decode-page.ts";
import type { PageJob, PageReading } from "./page-job.ts";
import { readHtml } from "./read-html.ts";
import { readResults } from "./read-results.ts";

/** Makes text of what came from the web. */
export async function readPage({ bytes, type, url, results }: PageJob): Promise<PageReading> {
  const text = await decodePage(Buffer.from(bytes), type);
  if (text === undefined) return { kind: "binary" };
  if (results) return { kind: "results", found: readResults(text, url) };
  if (isHtml(type, text)) return { kind: "page", ...readHtml(text, url) };
  return { kind: "page", title: "", text: text.trim(), links: [], isEmptyWithoutScripts: false };
}

function isHtml(type: string, text: string): boolean {
  if (/\b(?:text\/html|application\/xhtml\+xml)\b/i.test(type)) return true;
  return type === "" && /^\s*<(?:!doctype html|html|head|body)\b/i.test(text.slice(0, 500));
}
